//! A driver without a GPU, for tests: it runs the text of the kernels on the processor, compiled by the system's C++ compiler,
//! thread by thread.
//!
//! Compiling one kernel takes longer than running hundreds, so a test has two rounds. In the first, devices of a [`Collection`]
//! collect kernels and compute nothing; then [`Collection::compile`] compiles all of them at once; in the second round, devices
//! of these [`CompiledKernels`] run them. Memory of the device ends at a guard page, and is filled with NaN.
//!
//! The simulator knows what a barrier is, and nothing of what kernels compute. In place of cuBLAS and cuSOLVER it has naive
//! routines with the same arguments. Tests set what a device would measure, how much memory there is and what fails, and read
//! what devices were asked for.

mod collection;
mod compile;
mod compiled;
mod counted;
mod deferred;
mod driver;
mod gemm;
mod memory;
mod round;
mod settings;
mod solver;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use collection::{Collected, Collection};
pub use compiled::CompiledKernels;
use driver::Simulator;
#[cfg(test)]
pub(crate) use gemm::multiply;
use round::Round;
pub use settings::{KernelRequests, Schedule};

use crate::device::Cuda;
use crate::text::Route;
use tensorwrapper_core::backend::Device;

fn device(round: Round, route: Route, host: Arc<dyn Device>) -> Arc<dyn Device> {
    Arc::new(Cuda::new(Arc::new(Simulator::new(round, route)), route, host))
}

impl Collection {
    /// A device that collects its kernels here and computes nothing: its results are zeros. `host` computes what is left to the
    /// host.
    pub fn device(&self, route: Route, host: Arc<dyn Device>) -> Arc<dyn Device> {
        device(Round::Collecting(self.clone()), route, host)
    }
}

impl CompiledKernels {
    /// A device that runs these kernels. `host` computes what is left to the host.
    pub fn device(self: &Arc<CompiledKernels>, schedule: Schedule, route: Route, host: Arc<dyn Device>) -> Arc<dyn Device> {
        device(Round::Running(self.clone(), schedule), route, host)
    }
}
