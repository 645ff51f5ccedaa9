//! The CUDA backend of [tensorwrapper](https://docs.rs/tensorwrapper): a [`Device`](tensorwrapper_core::backend::Device) with
//! memory of its own, which computes by generated kernels, cuBLAS and cuSOLVER.
//!
//! [`open`] opens a GPU. NVIDIA's libraries are found when the program runs, so that nothing of CUDA is needed to build it. What
//! the GPU cannot compute (user functions, and linear algebra that cuSOLVER does not have) goes to the host device that `open` is
//! given.
//!
//! For those who work on this crate, its modules from the bottom up:
//!
//! | module | holds |
//! |---|---|
//! | `memory`, `staging`, `once_map`, `parallel`, `hash`, `disk` | addresses, pinned buffers, and small tools |
//! | `text` | the generator of kernels: CUDA C++ for one operation, as text |
//! | `gemm` | contractions that are products of matrices, for cuBLAS |
//! | `routine`, `autotune`, `stream_lock` | routines of linear algebra with their arguments; measured strategies; who may queue work |
//! | `driver` | the trait of what has memory and runs kernels, with `region`, `copies`, `pages` and `launch` over it |
//! | `contraction`, `linear` | prepared contractions; linear algebra |
//! | `device`, `session` | the backend over any driver: single operations, and whole plans in the device's memory |
//! | `library`, `gpu` | the driver of a GPU |
//! | `simulator` | the driver of the tests, which runs the same kernels on the processor |
//!
//! A new kind of kernel goes into `text`, with its body as a template in a `.cuh` file; both drivers run it unchanged. The files
//! of this crate import each other in one direction.
//!
//! Everything above the `Driver` is the same for a GPU and for the simulator, so the simulator leaves out `gpu/` alone. For
//! that, `tests/stand_in/` is the driver, NVRTC, cuBLAS and cuSOLVER on the processor, as far as `gpu/` calls them; `export!`
//! compares each function with the binding of its name. A device is closed when its last user is dropped.

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
#[doc(hidden)]
pub mod simulator;
mod staging;
mod stream_lock;
mod text;

pub use gpu::open;
#[doc(hidden)]
pub use gpu::{Compiled, compile, version};
#[doc(hidden)]
pub use parallel::try_for_each;
#[doc(hidden)]
pub use text::Route;
