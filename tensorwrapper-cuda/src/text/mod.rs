//! Kernels as text: what is to be computed, written down in CUDA C++ for one shape, one layout and one element type; between routines of
//! linear algebra for one element type alone.
//!
//! The bodies of kernels are templates in `numbers.cuh`, `fold.cuh`, `contract.cuh` and `linear.cuh`. What is generated is the type that such a
//! template takes: where elements lie, what is done with each, and how large everything is. One text serves NVRTC and the simulator,
//! which differ in a preamble. Nothing here knows of a driver, of memory, or of whether there is a GPU.

mod contract;
mod copy;
mod fold;
mod launch;
mod linear;
mod pointers;
mod program;
mod route;
mod space;
mod syntax;
mod templates;
#[cfg(test)]
mod tests;

pub(crate) use contract::contract_launches;
pub(crate) use copy::copy_launch;
pub(crate) use fold::{Fold, Input, fold_launches};
pub(crate) use launch::{Argument, Gemm, Kernel, Launch, Launches, Memory, Source, Stored, Transpose};
pub(crate) use linear::{BatchShape, LINEAR, MatrixPart, Pass, SizedLaunch};
pub use route::Route;
pub(crate) use templates::{ON_DEVICE, ON_HOST};
