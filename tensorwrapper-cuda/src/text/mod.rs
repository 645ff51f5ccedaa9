//! Kernels as text: what is to be computed, written down in CUDA C++ for one shape, one layout and one element type; between routines of
//! linear algebra for one element type alone.
//!
//! The bodies of kernels are templates in `numbers.cuh`, `fold.cuh`, `contract.cuh` and `linear.cuh`. What is generated is the type that such a
//! template takes: where elements lie, what is done with each, and how large everything is. One text serves NVRTC and the simulator,
//! which differ in a preamble. Nothing here knows of a driver, of memory, or of whether there is a GPU.

mod columns;
mod contract;
mod copy;
mod fold;
mod launch;
mod linear;
mod program;
mod route;
mod space;
mod syntax;
mod templates;
#[cfg(test)]
mod tests;

pub(crate) use contract::contracted;
pub(crate) use copy::copied;
pub(crate) use fold::{Fold, Input, folded};
pub(crate) use launch::{Argument, Gemm, Kernel, Launch, Launches, Memory, Source, Stored, Turn};
pub(crate) use linear::{Counted, Dense, Fitted, LINEAR, Pass};
pub use route::Route;
pub(crate) use templates::{ON_DEVICE, ON_HOST};
