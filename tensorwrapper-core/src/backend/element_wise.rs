//! Element-wise programs that a device prepares: those of few elements, where deciding how to compute them takes longer than to compute
//! them.

use std::fmt;

use super::{LoopNest, Program, Reduction};
use crate::element::Dtype;
use crate::layout::Strided;
use crate::storage::{SliceMut, SliceRef};

/// What [`Device::map`](super::Device::map) would be called with, without the memory: `output[o] = reduction over the reduced axes of
/// program(inputs)`.
#[derive(Clone, Copy, Debug)]
pub struct ElementWise<'m> {
    /// The iteration space.
    pub nest: &'m LoopNest,
    /// What is computed for each of its points.
    pub program: &'m Program,
    /// What is done along the reduced axes.
    pub reduction: Reduction,
    /// The element type of the output.
    pub dtype: Dtype,
    /// The layouts of the inputs, and whether each is conjugated.
    pub inputs: &'m [(&'m Strided, bool)],
    /// The layout of the output.
    pub output: &'m Strided,
}

/// An element-wise program that a device has prepared.
pub trait RunMap: fmt::Debug + Send + Sync {
    /// Computes it and writes all of the output. `inputs` has the memory of each input that the program reads, in the order of their
    /// numbers.
    ///
    /// # Panics
    /// When memory has another element type than it was prepared for, or is too small.
    fn run(&self, inputs: &[SliceRef<'_>], output: SliceMut<'_>);
}
