//! The generated kernels without a GPU: what `tests/cuda/` runs in the simulator and compiles by NVRTC. Programs have no use for it;
//! no expansion calls it.

use std::path::Path;
use std::sync::Arc;

use crate::backend::cuda::simulator;
pub use crate::backend::cuda::simulator::{Collected, Schedule};
pub use crate::backend::cuda::{Compiled, Route, compile, version};
use crate::error::Error;
use crate::exec::Context;

/// Kernels, collected by contexts that compute nothing.
#[derive(Clone, Debug, Default)]
pub struct Collection(simulator::Collection);

/// The same, compiled for the processor.
#[derive(Clone, Debug)]
pub struct Programs(Arc<simulator::Programs>);

impl Collection {
    /// A context whose kernels are collected here.
    #[must_use]
    pub fn context(&self, route: Route) -> Context {
        Context::on(self.0.device(route))
    }

    /// All kernels, by their names.
    pub fn kernels(&self) -> Vec<Collected> {
        self.0.kernels()
    }

    /// What NVRTC compiles before the texts of kernels.
    pub fn preamble() -> String {
        simulator::Collection::preamble()
    }

    /// The command that compiles C++.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) where it cannot be run.
    pub fn compiler() -> Result<String, Error> {
        simulator::Collection::compiler()
    }

    /// Compiles all kernels in a folder, their text changed before.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](crate::ErrorKind::Kernel), and [`ErrorKind::Io`](crate::ErrorKind::Io) for the folder.
    pub fn compile(&self, folder: &Path, change: impl Fn(&str) -> String) -> Result<Programs, Error> {
        self.0.compile(folder, change).map(Programs)
    }
}

impl Programs {
    /// How often contexts that run them have copied from the host, and to it.
    pub fn transfers(&self) -> [usize; 2] {
        self.0.transfers()
    }

    /// How many products of matrices such contexts have left to a library.
    pub fn products(&self) -> usize {
        self.0.products()
    }

    /// A context that runs them.
    #[must_use]
    pub fn context(&self, schedule: Schedule, route: Route) -> Context {
        Context::on(self.0.device(schedule, route))
    }
}
