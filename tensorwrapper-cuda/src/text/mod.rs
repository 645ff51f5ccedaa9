//! Kernels as text: what is to be computed, written down in CUDA C++ for one shape, one layout and one element type; between routines of
//! linear algebra for one element type alone.
//!
//! The bodies of kernels are templates in `numbers.cuh`, `fold.cuh`, `contract.cuh` and `linear.cuh`. What is generated is the type that such a
//! template takes: where elements lie, what is done with each, and how large everything is. One text serves NVRTC and the simulator,
//! which differ in a preamble. Nothing here knows of a driver, of memory, or of whether there is a GPU.

mod contract;
mod copy;
mod fold;
mod linear;
mod program;
mod space;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use num_complex::Complex;

pub(super) use contract::contracted;
pub(super) use copy::copied;
pub(super) use fold::{Fold, Input, folded};
pub(super) use linear::{Counted, Dense, Fitted, LINEAR, Pass};

use super::gemm::Gemm;
use super::hash::Digest;
use tensorwrapper_core::backend::{LoopNest, Program, Reduction};
use tensorwrapper_core::element::{Dtype, EveryDtype};
use tensorwrapper_core::layout::Strided;

/// What NVRTC compiles before a kernel's own text.
pub(super) const ON_DEVICE: [&str; 5] = [include_str!("device.cuh"), NUMBERS, FOLD, CONTRACT, BETWEEN];
/// What follows the simulator's preamble before a kernel's own text.
pub(super) const ON_HOST: [&str; 4] = [NUMBERS, FOLD, CONTRACT, BETWEEN];
const NUMBERS: &str = include_str!("numbers.cuh");
const FOLD: &str = include_str!("fold.cuh");
const CONTRACT: &str = include_str!("contract.cuh");
const BETWEEN: &str = include_str!("linear.cuh");

/// What is compiled as one: a text with one kernel or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// Made of the text, so that equal names are equal texts.
    pub(super) name: String,
    pub(super) text: String,
}

/// A kernel: where it is written, and in what blocks of threads it is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kernel {
    /// Its name in the text, which begins with the text's, so that equal names are equal code.
    pub(super) name: String,
    pub(super) source: Arc<Source>,
    /// What it is, for people and for the table of registers.
    pub(super) kind: &'static str,
    pub(super) dtype: Dtype,
    pub(super) blocks: u32,
    pub(super) threads: u32,
    /// Bytes of shared memory of a block: as many in every launch of a kernel.
    pub(super) shared: u32,
}

impl Kernel {
    /// The one kernel of a text, which has the text's name there: its kind and element type, blocks, threads and bytes of shared memory.
    fn alone(text: &str, (kind, dtype): (&'static str, Dtype), blocks: u32, threads: usize, shared: usize) -> Kernel {
        let source = Arc::new(Source::new(text));
        Kernel { name: source.name.clone(), source, kind, dtype, blocks, threads: threads as u32, shared: shared as u32 }
    }
}

/// Memory that a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    Input(usize),
    Output,
    /// What lies between the kernels of one operation.
    Scratch,
}

/// One pointer that a kernel is given: memory, and the byte in it where the kernel's positions begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) memory: Memory,
    pub(super) start: usize,
}

/// A kernel and its arguments, the written one last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) kernel: Kernel,
    pub(super) arguments: Vec<Argument>,
}

/// All kernels of an operation, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Launches {
    /// Copies of factors that come before the product.
    pub(super) before: Vec<Launch>,
    /// A product of matrices that a library computes before the others.
    pub(super) product: Option<Gemm>,
    pub(super) launches: Vec<Launch>,
    /// Bytes of scratch memory.
    pub(super) scratch: usize,
}

impl Launches {
    /// All kernels.
    pub(super) fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.before.iter().chain(&self.launches).map(|launch| &launch.kernel)
    }
}

/// How many blocks a GPU runs at once, about: fewer leave it idle. The largest there are today have 132 to 148 multiprocessors.
const MANY_BLOCKS: usize = 264;

/// Which kernels are chosen; anything but `Chosen` is for tests, whose shapes are small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// By size and strides.
    #[default]
    Chosen,
    /// A library's products wherever tensors are matrices where they lie, however small; all else by size and strides.
    Library,
    /// Tiles wherever they can be: products of two tensors as matrices in blocks that are as large as they get, elements turned in shared memory.
    LargeTiles,
    /// The same with small blocks of matrices.
    SmallTiles,
    /// Reductions by blocks of threads, sums cut into parts.
    Parts,
    /// A thread for each element of the result.
    Threads,
}

impl<'a> Fold<'a> {
    /// A program and its reduction alone, into this output.
    pub(super) fn map(
        nest: &'a LoopNest,
        (program, reduction): (&'a Program, Reduction),
        inputs: Vec<Input<'a>>,
        (output, dtype): (&'a Strided, Dtype),
    ) -> Fold<'a> {
        Fold { nest, dtype, inputs, program, reduction, alpha: Complex::ONE, then: None, others: Vec::new(), output }
    }
}

/// The text of an element type.
fn type_name(dtype: Dtype) -> &'static str {
    match dtype.every() {
        EveryDtype::F32 => "float",
        EveryDtype::F64 => "double",
        EveryDtype::C32 => "tw::complex<float>",
        EveryDtype::C64 => "tw::complex<double>",
    }
}

/// A constant, exactly.
fn number(value: Complex<f64>) -> String {
    let bits = |x: f64| format!("0x{:016x}ll", x.to_bits());
    format!("tw::number_of<T>::from({}, {})", bits(value.re), bits(value.im))
}

impl Source {
    /// A text, in which its name stands as `KERNEL`.
    fn new(text: &str) -> Source {
        let name = format!("tw_{}", Digest::of_text(text).name());
        Source { text: text.replace("KERNEL", &name), name }
    }
}

/// The types of indices and of positions, as narrow as these numbers of points and positions allow.
fn integers(points: usize, reach: usize) -> String {
    // Loops go past the end by one round of all threads.
    const FAR: usize = 1 << 30;
    let index = if points <= FAR { "unsigned" } else { "unsigned long long" };
    let position = if reach <= FAR { "int" } else { "long long" };
    format!("  using I = {index};\n  using P = {position};\n")
}

/// Into how many parts of one length so many terms are cut, where `wanted` are: none is empty.
fn cut(terms: usize, wanted: usize) -> usize {
    terms.div_ceil(terms.div_ceil(wanted))
}
