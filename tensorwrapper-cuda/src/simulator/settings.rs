//! What tests tell devices, and ask of them: counts, limits, the times that measurements are to find, and kernels that do not compile.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::autotune::Strategy;

/// In which order the threads of a block run, between barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// All in turn, each as far as its next barrier.
    Lockstep,
    /// One warp after the other, each as far as a barrier of the whole block.
    Forward,
    /// The same from the last warp and its last thread on.
    Backward,
}

impl Schedule {
    /// All of them.
    pub const ALL: [Schedule; 3] = [Schedule::Lockstep, Schedule::Forward, Schedule::Backward];

    /// As the shim calls it.
    pub(super) fn number(self) -> std::ffi::c_int {
        match self {
            Schedule::Lockstep => 0,
            Schedule::Forward => 1,
            Schedule::Backward => 2,
        }
    }
}

/// What measurements find, and what is told beside.
#[derive(Debug, Default)]
pub(super) struct Settings(Mutex<Values>);

#[derive(Debug, Default)]
pub(super) struct Values {
    /// Seconds of each strategy; where none are said, nothing is measured.
    pub(super) times: Option<[f64; 3]>,
    /// Where devices that are made from now on keep what they choose.
    pub(super) file: Option<PathBuf>,
    /// How often somebody has looked.
    pub(super) measurements: usize,
    pub(super) asked: KernelRequests,
    /// Kernels of this kind do not compile.
    pub(super) broken: Option<String>,
}

/// What devices were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelRequests {
    /// How often they were asked to make texts that were not made before.
    pub to_make: usize,
    /// How many kernels they were asked to launch.
    pub to_launch: usize,
    /// How many of these had to be made then.
    pub too_late: usize,
}

impl Settings {
    pub(super) fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it says that a strategy takes.
    pub(super) fn time(&self, strategy: Strategy) -> f64 {
        let mut clock = self.lock();
        clock.measurements += 1;
        let place = Strategy::ALL.iter().position(|other| *other == strategy).expect("all strategies are known");
        clock.times.map_or(0.0, |times| times[place])
    }
}
