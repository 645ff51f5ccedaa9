//! NVIDIA GPUs: the same operations, computed by generated kernels.
//!
//! `text` writes kernels for what is to be computed; a `Driver` has memory and runs them: `gpu` by the CUDA driver, compiled by
//! NVRTC, and `simulator` on the processor, for tests on machines without a GPU; `device` is the backend over either, and `session` keeps what a
//! plan needs in their memory. `ready` has the ways to compute a contraction: `gemm` finds the products of matrices that a library computes,
//! `choice` remembers where else they are quicker. `linear` has a library's linear algebra done. `library` finds NVIDIA's libraries when
//! the program runs, so that nothing of them is needed to build it. `disk` has the files in which programs keep things for each other.

mod beside;
mod choice;
mod copies;
mod device;
mod disk;
mod driver;
mod gemm;
mod gpu;
mod hash;
mod library;
mod linear;
mod once;
mod pages;
mod ready;
mod session;
pub mod simulator;
mod staging;
mod text;
mod turns;

pub use beside::beside;
pub use gpu::open;
pub use gpu::{Compiled, compile, version};
pub use text::Route;
