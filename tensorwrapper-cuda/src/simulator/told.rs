//! What tests tell devices, and ask of them: counts, limits, the times that measurements are to find, and kernels that do not compile.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Collection, Phase, Programs, Simulator};
use crate::choice::Way;
use crate::text::{Kernel, Route};
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::error::{Error, ErrorKind};

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
pub(super) struct Clock(Mutex<Times>);

#[derive(Debug, Default)]
pub(super) struct Times {
    /// Seconds of each way; where none are said, nothing is measured.
    pub(super) times: Option<[f64; 3]>,
    /// Where devices that are made from now on keep what they choose.
    pub(super) file: Option<PathBuf>,
    /// How often somebody has looked.
    pub(super) looks: usize,
    asked: Asked,
    /// Kernels of this kind do not compile.
    broken: Option<String>,
}

/// What devices were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// How often they were asked to make texts that were not made before.
    pub to_make: usize,
    /// How many kernels they were asked to launch.
    pub to_launch: usize,
    /// How many of these had to be made then.
    pub too_late: usize,
}

impl Clock {
    pub(super) fn look(&self) -> MutexGuard<'_, Times> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it says that a way takes.
    pub(super) fn time(&self, way: Way) -> f64 {
        let mut clock = self.look();
        clock.looks += 1;
        let place = Way::ALL.iter().position(|other| *other == way).expect("all ways are known");
        clock.times.map_or(0.0, |times| times[place])
    }
}

impl Phase {
    pub(super) fn clock(&self) -> &Clock {
        match self {
            Phase::Collecting(Collection(_, clock)) => clock,
            Phase::Running(programs, _) => &programs.clock,
        }
    }
}

impl Phase {
    /// Whether the library for linear algebra is there: where kernels run, if those that stand between its routines were collected.
    pub(super) fn solves(&self) -> bool {
        match self {
            Phase::Collecting(_) => true,
            Phase::Running(programs, _) => programs.solves,
        }
    }
}

impl Simulator {
    /// Takes note of kernels that are made, or launched, and made now where they were not before.
    pub(super) fn make(&self, kernels: &[&Kernel], is_launch: bool) -> Result<(), Error> {
        if let Phase::Collecting(Collection(collected, _)) = &self.phase {
            let new = kernels.iter().map(|&kernel| (kernel.name.clone(), kernel.clone()));
            collected.lock().unwrap_or_else(PoisonError::into_inner).extend(new);
        }
        let mut told = self.phase.clock().look();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let new = kernels.iter().filter(|kernel| !made.contains(&kernel.source.name)).count() > 0;
        told.asked.to_make += usize::from(new && !is_launch);
        told.asked.to_launch += usize::from(is_launch);
        told.asked.too_late += usize::from(new && is_launch);
        for kernel in kernels {
            if told.broken.as_deref() == Some(kernel.kind) {
                let (message, source) = ("it is not to compile".to_string(), kernel.source.text.clone());
                return Err(Error::new(ErrorKind::Kernel { message, source }));
            }
            made.insert(kernel.source.name.clone());
        }
        Ok(())
    }
}

impl Collection {
    /// What devices whose kernels are collected here were asked for.
    pub fn asked(&self) -> Asked {
        self.1.look().asked
    }

    /// Has devices measure from now on, with these times of each way.
    pub fn set_clock(&self, times: Option<[f64; 3]>) {
        self.1.look().times = times;
    }
}

impl Programs {
    /// How often devices that run them have copied from the host, and to it.
    pub fn transfers(&self) -> [usize; 2] {
        [0, 1].map(|direction: usize| self.transfers[direction].load(Ordering::Relaxed))
    }

    /// How often they have copied from a tensor's own pinned memory.
    pub fn direct_transfers(&self) -> usize {
        self.transfers[2].load(Ordering::Relaxed)
    }

    /// Has devices measure from now on, with these times of each way; devices that are made from now on keep their choices there.
    pub fn set_clock(&self, times: Option<[f64; 3]>, file: Option<PathBuf>) {
        let mut clock = self.clock.look();
        (clock.times, clock.file) = (times, file);
    }

    /// How often they have measured.
    pub fn measurements(&self) -> usize {
        self.clock.look().looks
    }

    /// How many products of matrices they have left to a library.
    pub fn products(&self) -> usize {
        self.products.load(Ordering::Relaxed)
    }

    /// How many routines of linear algebra they have left to a library.
    pub fn routines(&self) -> usize {
        self.routines.load(Ordering::Relaxed)
    }

    /// What devices that run them were asked for.
    pub fn asked(&self) -> Asked {
        self.clock.look().asked
    }

    /// Has kernels of a kind not compile from now on.
    pub fn break_kernels(&self, kind: &str) {
        self.clock.look().broken = Some(kind.to_string());
    }

    /// How often they have done what was recorded.
    pub fn replays(&self) -> usize {
        self.replays.load(Ordering::Relaxed)
    }

    /// Gives them so many bytes of memory from now on; how many were taken.
    pub fn limit_memory(&self, bytes: usize) -> usize {
        self.memory[0].store(bytes, Ordering::Relaxed);
        self.memory[1].load(Ordering::Relaxed)
    }

    /// Has them refuse to record from now on, for this reason, as a device may for reasons of its own; without one they record again.
    pub fn refuse_to_record(&self, reason: Option<ErrorKind>) {
        *self.refuses.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    /// A device that runs these kernels.
    pub fn device(self: &Arc<Programs>, schedule: Schedule, route: Route) -> Arc<dyn Device> {
        Simulator::device(Phase::Running(self.clone(), schedule), route)
    }
}
