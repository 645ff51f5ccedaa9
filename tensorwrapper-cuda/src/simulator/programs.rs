//! Kernels that were compiled for the processor, and what tests tell the devices that run them and ask of them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::settings::{KernelRequests, Settings};
use tensorwrapper_core::error::ErrorKind;

/// Compiled kernels.
#[derive(Debug)]
pub struct CompiledKernels {
    pub(super) libraries: Vec<Library>,
    /// How often devices that run them have copied from the host, and to it; and how often without a step between from memory of the host.
    pub(super) transfers: [AtomicUsize; 3],
    /// How many products of matrices they have left to a library.
    pub(super) products: AtomicUsize,
    /// Whether kernels that stand between routines of linear algebra are among them.
    pub(super) solves: bool,
    /// How many routines of linear algebra they have left to a library.
    pub(super) routines: AtomicUsize,
    /// What they measure times by.
    pub(super) settings: Settings,
    /// How often they have done what was recorded.
    pub(super) replays: AtomicUsize,
    /// What they say instead of recording, where they do.
    pub(super) refuses: Mutex<Option<ErrorKind>>,
    /// Bytes of memory that devices which run them have, all together, and how many of them are taken.
    pub(super) memory: [AtomicUsize; 2],
}

impl CompiledKernels {
    /// The function of that name.
    ///
    /// # Safety
    /// It is of that type.
    pub(super) unsafe fn symbol<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's promise.
        self.libraries.iter().find_map(|library| unsafe { library.get::<F>(name.as_bytes()) }.ok().map(|symbol| *symbol))
    }
}

impl CompiledKernels {
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
        let mut clock = self.settings.lock();
        (clock.times, clock.file) = (times, file);
    }

    /// How often they have measured.
    pub fn measurements(&self) -> usize {
        self.settings.lock().measurements
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
    pub fn asked(&self) -> KernelRequests {
        self.settings.lock().asked
    }

    /// Has kernels of a kind not compile from now on.
    pub fn break_kernels(&self, kind: &str) {
        self.settings.lock().broken = Some(kind.to_string());
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
}
