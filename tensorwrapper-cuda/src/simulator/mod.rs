//! A driver without a GPU: the text of the kernels, compiled for the processor by the system's C++ compiler and run thread by thread.
//!
//! Compiling one kernel takes longer than running hundreds, so it is done in two rounds: in the first, kernels are collected and
//! nothing is computed; then all of them are compiled; in the second they run. Memory of the device ends at a page that nobody may
//! touch, and is poisoned. For tests alone; it knows what a barrier is, and nothing of what kernels compute.

mod collection;
mod compile;
mod counted;
mod deferred;
mod driver;
mod gemm;
mod memory;
mod phase;
mod programs;
mod settings;
mod solver;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use collection::{Collected, Collection};
use driver::Simulator;
#[cfg(test)]
pub(crate) use gemm::multiply;
use phase::Round;
pub use programs::CompiledKernels;
pub use settings::{KernelRequests, Schedule};

use crate::device::Cuda;
use crate::text::Route;
use tensorwrapper_core::backend::Device;

fn device(round: Round, route: Route, host: Arc<dyn Device>) -> Arc<dyn Device> {
    Arc::new(Cuda::new(Arc::new(Simulator::new(round, route)), route, host))
}

impl Collection {
    /// A device that collects its kernels here and computes nothing: what it gives is zeros. The host computes what no kernel does.
    pub fn device(&self, route: Route, host: Arc<dyn Device>) -> Arc<dyn Device> {
        device(Round::Collecting(self.clone()), route, host)
    }
}

impl CompiledKernels {
    /// A device that runs these kernels. The host computes what no kernel does.
    pub fn device(self: &Arc<CompiledKernels>, schedule: Schedule, route: Route, host: Arc<dyn Device>) -> Arc<dyn Device> {
        device(Round::Running(self.clone(), schedule), route, host)
    }
}
