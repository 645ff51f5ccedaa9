//! NVIDIA GPUs: the same operations, computed by generated kernels.
//!
//! `text` writes kernels for what is to be computed; a `Driver` has memory and runs them: `gpu` by the CUDA driver, compiled by
//! NVRTC, and `simulator` on the processor, for tests on machines without a GPU; `device` is the backend over either, and `session` keeps what a
//! plan needs in their memory. `ready` has the ways to compute a contraction: `gemm` finds the products of matrices that a library computes,
//! `choice` remembers where else they are quicker. `linear` has a library's linear algebra done. `library` finds NVIDIA's libraries when
//! the program runs, so that nothing of them is needed to build it. `disk` has the files in which programs keep things for each other.

mod autotune;
mod contraction;
mod copies;
mod device;
mod disk;
mod driver;
mod gemm;
mod gpu;
mod hash;
mod launch;
mod library;
mod linear;
mod memory;
mod once_map;
mod pages;
mod parallel;
mod region;
mod routine;
mod session;
pub mod simulator;
mod staging;
mod stream_lock;
mod text;

pub use gpu::open;
pub use gpu::{Compiled, compile, version};
pub use parallel::try_for_each;
pub use text::Route;
