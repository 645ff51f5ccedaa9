//! What an operation consists of on a device: kernels with their arguments, and a product of matrices for a library.

use std::sync::Arc;

use num_complex::Complex;

use crate::hash::Digest;
use tensorwrapper_core::element::Dtype;

/// What is compiled as one: a text with one kernel or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Made of the text, so that equal names are equal texts.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A kernel: where it is written, and in what blocks of threads it is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// Its name in the text, which begins with the text's, so that equal names are equal code.
    pub(crate) name: String,
    pub(crate) source: Arc<Source>,
    /// What it is, for people and for the table of registers.
    pub(crate) kind: &'static str,
    pub(crate) dtype: Dtype,
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    /// Bytes of shared memory of a block: as many in every launch of a kernel.
    pub(crate) shared: u32,
}

impl Kernel {
    /// The one kernel of a text, which has the text's name there: its kind and element type, blocks, threads and bytes of shared memory.
    pub(super) fn alone(text: &str, (kind, dtype): (&'static str, Dtype), blocks: u32, threads: usize, shared: usize) -> Kernel {
        let source = Arc::new(Source::new(text));
        Kernel { name: source.name.clone(), source, kind, dtype, blocks, threads: threads as u32, shared: shared as u32 }
    }
}

/// Memory that a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    Input(usize),
    Output,
    /// What lies between the kernels of one operation.
    Scratch,
}

/// One pointer that a kernel is given: memory, and the byte in it where the kernel's positions begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) memory: Memory,
    pub(crate) start: usize,
}

/// A kernel and its arguments, the written one last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    pub(crate) arguments: Vec<Argument>,
}

/// All kernels of an operation, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Launches {
    /// Copies of factors that come before the product.
    pub(crate) before: Vec<Launch>,
    /// A product of matrices that a library computes before the others.
    pub(crate) product: Option<Gemm>,
    pub(crate) launches: Vec<Launch>,
    /// Bytes of scratch memory.
    pub(crate) scratch: usize,
}

impl Launches {
    /// Generated kernels alone.
    pub(super) fn generated(launches: Vec<Launch>, scratch: usize) -> Launches {
        Launches { before: Vec::new(), product: None, launches, scratch }
    }

    /// All kernels.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.before.iter().chain(&self.launches).map(|launch| &launch.kernel)
    }
}

/// How a stored matrix becomes the factor. No library conjugates what it does not transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transpose {
    Plain,
    Transposed,
    Adjoint,
}

/// Where matrices lie, in elements: the neighbours of a column are neighbours in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) argument: Argument,
    /// From a column to the next.
    pub(crate) ld: i32,
    /// From a product of the batch to the next; 0 where all have the same matrix.
    pub(crate) batch_stride: i64,
}

/// `C = alpha · transpose(A) · transpose(B)` for each product of a batch, all matrices stored by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gemm {
    pub(crate) dtype: Dtype,
    /// Rows of the result, its columns, and terms of each sum.
    pub(crate) sizes: [i32; 3],
    pub(crate) alpha: Complex<f64>,
    pub(crate) factors: [(Transpose, Stored); 2],
    pub(crate) output: Stored,
    pub(crate) batch: i32,
    /// Whether products in single precision may drop the last bits of their factors.
    pub(crate) tf32: bool,
}

impl Source {
    /// A text, in which its name stands as `KERNEL`.
    pub(super) fn new(text: &str) -> Source {
        let name = format!("tw_{}", Digest::of_text(text).name());
        Source { text: text.replace("KERNEL", &name), name }
    }
}
