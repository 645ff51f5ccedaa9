//! An operation as a device runs it: kernels with their arguments, and perhaps a product of matrices for a library.

use std::sync::Arc;

use num_complex::Complex;

use crate::hash::Digest;
use tensorwrapper_core::element::Dtype;

/// A text that is compiled as one unit, with one kernel or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// A digest of the text, so that equal names mean equal texts.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A kernel: its text, and the blocks of threads that it is launched with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// Its name in the text. It begins with the name of the text, so that equal names mean equal code.
    pub(crate) name: String,
    pub(crate) source: Arc<Source>,
    /// A short description, for people and for the table of registers in the tests.
    pub(crate) kind: &'static str,
    pub(crate) dtype: Dtype,
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    /// Bytes of shared memory of a block. They are the same in every launch of a kernel.
    pub(crate) shared: u32,
}

impl Kernel {
    /// The only kernel of a text, which has the name of the text.
    pub(super) fn alone(text: &str, (kind, dtype): (&'static str, Dtype), blocks: u32, threads: usize, shared: usize) -> Kernel {
        let source = Arc::new(Source::new(text));
        Kernel { name: source.name.clone(), source, kind, dtype, blocks, threads: threads as u32, shared: shared as u32 }
    }
}

/// Memory that a kernel gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    Input(usize),
    Output,
    /// Memory between the kernels of one operation.
    Scratch,
}

/// A pointer that a kernel gets: memory, and the byte in it that the kernel counts positions from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) memory: Memory,
    pub(crate) start: usize,
}

/// A kernel and its arguments. The last one is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    pub(crate) arguments: Vec<Argument>,
}

/// All kernels of an operation, in the order in which they run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Launches {
    /// Copies of factors, in front of the product.
    pub(crate) before: Vec<Launch>,
    /// A product of matrices that a library computes.
    pub(crate) product: Option<Gemm>,
    /// The kernels behind the product; without a product, all of them.
    pub(crate) launches: Vec<Launch>,
    /// Bytes of scratch memory.
    pub(crate) scratch: usize,
}

impl Launches {
    /// Generated kernels only.
    pub(super) fn generated(launches: Vec<Launch>, scratch: usize) -> Launches {
        Launches { before: Vec::new(), product: None, launches, scratch }
    }

    /// All kernels.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.before.iter().chain(&self.launches).map(|launch| &launch.kernel)
    }
}

/// How a factor is read from its stored matrix. Libraries conjugate only together with a transposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transpose {
    Plain,
    Transposed,
    Adjoint,
}

/// A batch of matrices that are stored by columns; strides count elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) argument: Argument,
    /// The leading dimension: the stride from one column to the next.
    pub(crate) ld: i32,
    /// The stride from one product of the batch to the next; 0 if all use the same matrix.
    pub(crate) batch_stride: i64,
}

/// `C = alpha · transpose(A) · transpose(B)` for each product of a batch, all matrices stored by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gemm {
    pub(crate) dtype: Dtype,
    /// The numbers of rows and columns of the result, and of terms in each sum.
    pub(crate) sizes: [i32; 3],
    pub(crate) alpha: Complex<f64>,
    pub(crate) factors: [(Transpose, Stored); 2],
    pub(crate) output: Stored,
    pub(crate) batch: i32,
    /// Whether factors in single precision may be rounded to TF32.
    pub(crate) tf32: bool,
}

impl Source {
    /// A text, in which `KERNEL` is replaced by its name.
    pub(super) fn new(text: &str) -> Source {
        let name = format!("tw_{}", Digest::of_text(text).name());
        Source { text: text.replace("KERNEL", &name), name }
    }
}
