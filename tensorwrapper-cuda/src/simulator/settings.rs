//! What tests set for devices and read from them: the times that measurements find, kernels that do not compile, and counts of
//! requests.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::autotune::Strategy;

/// The order in which the threads of a block run between barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// One thread after the other, each as far as its next barrier.
    Lockstep,
    /// One warp after the other, each as far as a barrier of the whole block.
    Forward,
    /// The same, from the last warp and its last thread on.
    Backward,
}

impl Schedule {
    /// All schedules.
    pub const ALL: [Schedule; 3] = [Schedule::Lockstep, Schedule::Forward, Schedule::Backward];

    /// Its number in the shim.
    pub(super) fn number(self) -> std::ffi::c_int {
        match self {
            Schedule::Lockstep => 0,
            Schedule::Forward => 1,
            Schedule::Backward => 2,
        }
    }
}

/// Settings and counts that tests and devices share.
#[derive(Debug, Default)]
pub(super) struct Settings(Mutex<Values>);

#[derive(Debug, Default)]
pub(super) struct Values {
    /// The seconds that each strategy takes; without them nothing is measured.
    pub(super) times: Option<[f64; Strategy::ALL.len()]>,
    /// The file in which new devices keep the fastest strategies.
    pub(super) file: Option<PathBuf>,
    /// The number of measurements.
    pub(super) measurements: usize,
    pub(super) asked: KernelRequests,
    /// The kind of kernels that do not compile.
    pub(super) broken: Option<String>,
}

/// How often devices were asked for kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelRequests {
    /// How often they were asked to compile texts that were not compiled before.
    pub to_make: usize,
    /// How often they were asked to launch a kernel.
    pub to_launch: usize,
    /// How often a kernel had to be compiled when it was launched.
    pub too_late: usize,
}

impl Settings {
    pub(super) fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seconds that a strategy takes, as a measurement finds them.
    pub(super) fn time(&self, strategy: Strategy) -> f64 {
        let mut values = self.lock();
        values.measurements += 1;
        let place = Strategy::ALL.iter().position(|other| *other == strategy).expect("`ALL` has every strategy");
        values.times.map_or(0.0, |times| times[place])
    }
}
