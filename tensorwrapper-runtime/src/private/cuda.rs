//! The generated kernels without a GPU: what `tests/cuda/` runs in the simulator and compiles by NVRTC. Programs have no use for it;
//! no expansion calls it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exec::Context;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_cuda::simulator;
pub use tensorwrapper_cuda::simulator::{Asked, Collected, Schedule};
pub use tensorwrapper_cuda::{Compiled, Route, beside, compile, version};

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

    /// Has contexts measure from now on, with these times of a library's product, of one behind copies, and of generated kernels.
    pub fn set_clock(&self, times: Option<[f64; 3]>) {
        self.0.set_clock(times);
    }

    /// What contexts whose kernels are collected here have asked their devices for.
    pub fn asked(&self) -> Asked {
        self.0.asked()
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

    /// How often such contexts have copied from a tensor's own pinned memory.
    pub fn direct_transfers(&self) -> usize {
        self.0.direct_transfers()
    }

    /// How many products of matrices such contexts have left to a library.
    pub fn products(&self) -> usize {
        self.0.products()
    }

    /// Has contexts measure from now on, with these times of a library's product, of one behind copies, and of generated kernels; contexts
    /// that are made from now on keep their choices in a file.
    pub fn set_clock(&self, times: Option<[f64; 3]>, file: Option<PathBuf>) {
        self.0.set_clock(times, file);
    }

    /// How often such contexts have measured.
    pub fn measurements(&self) -> usize {
        self.0.measurements()
    }

    /// How many routines of linear algebra such contexts have left to a library.
    pub fn routines(&self) -> usize {
        self.0.routines()
    }

    /// What such contexts have asked their devices for.
    pub fn asked(&self) -> Asked {
        self.0.asked()
    }

    /// Has kernels of a kind not compile from now on.
    pub fn break_kernels(&self, kind: &str) {
        self.0.break_kernels(kind);
    }

    /// How often such contexts have queued what was recorded.
    pub fn replays(&self) -> usize {
        self.0.replays()
    }

    /// Gives such contexts so many bytes of memory from now on, all together; how many were taken.
    pub fn limit_memory(&self, bytes: usize) -> usize {
        self.0.limit_memory(bytes)
    }

    /// Has such contexts refuse to record from now on, for this reason; without one they record again.
    pub fn refuse_to_record(&self, reason: Option<ErrorKind>) {
        self.0.refuse_to_record(reason);
    }

    /// A context that runs them.
    #[must_use]
    pub fn context(&self, schedule: Schedule, route: Route) -> Context {
        Context::on(self.0.device(schedule, route))
    }
}
