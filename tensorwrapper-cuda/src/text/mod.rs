//! The generator of kernels. It writes CUDA C++ for one operation with its extents, layouts and element type; the kernels between
//! routines of linear algebra serve all sizes of one element type.
//!
//! The bodies of kernels are templates in `numbers.cuh`, `fold.cuh`, `contract.cuh` and `linear.cuh`. What is generated is the
//! type that instantiates a template: where elements lie, what is done with each, and how large everything is. NVRTC and the
//! simulator get the same text behind different preambles. Nothing here knows a driver, memory, or whether there is a GPU.

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
mod tile;

pub(crate) use contract::contract_launches;
pub(crate) use copy::copy_launch;
pub(crate) use fold::{Fold, Input, fold_launches};
pub(crate) use launch::{Argument, Gemm, Kernel, Launch, Launches, Memory, Source, Stored, Transpose};
pub(crate) use linear::{BatchShape, LINEAR, MatrixPart, Pass, SizedLaunch};
pub use route::Route;
pub(crate) use templates::{ON_DEVICE, ON_HOST};
