//! Kernels that were compiled for the processor, with the settings and counts of the devices that run them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::settings::{KernelRequests, Settings};
use tensorwrapper_core::error::ErrorKind;

/// Kernels that were compiled for the processor. Settings and counts are those of all devices that run them together.
#[derive(Debug)]
pub struct CompiledKernels {
    pub(super) libraries: Vec<Library>,
    /// The numbers of transfers from the host, to the host, and from pinned memory of tensors.
    pub(super) transfers: [AtomicUsize; 3],
    /// The number of products that the library has computed.
    pub(super) products: AtomicUsize,
    /// Whether kernels of linear algebra are among them.
    pub(super) has_linalg: bool,
    /// The number of routines of linear algebra that the library has computed.
    pub(super) routines: AtomicUsize,
    /// What tests have set.
    pub(super) settings: Settings,
    /// The number of replays of recorded work.
    pub(super) replays: AtomicUsize,
    /// The error with which devices refuse to record, if they do.
    pub(super) refuses: Mutex<Option<ErrorKind>>,
    /// The bytes of memory that there are, and those that are allocated.
    pub(super) memory: [AtomicUsize; 2],
}

impl CompiledKernels {
    /// A function of the libraries.
    ///
    /// # Safety
    /// A function of this name has this type.
    pub(super) unsafe fn symbol<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's promise.
        self.libraries.iter().find_map(|library| unsafe { library.get::<F>(name.as_bytes()) }.ok().map(|symbol| *symbol))
    }
}

impl CompiledKernels {
    /// The numbers of transfers from the host and to the host.
    pub fn transfers(&self) -> [usize; 2] {
        [0, 1].map(|direction: usize| self.transfers[direction].load(Ordering::Relaxed))
    }

    /// The number of transfers from pinned memory of tensors.
    pub fn direct_transfers(&self) -> usize {
        self.transfers[2].load(Ordering::Relaxed)
    }

    /// Makes devices measure from now on, with these times of a library's product, of one on permuted copies, and of generated
    /// kernels. New devices keep the fastest strategies in this file.
    pub fn set_clock(&self, times: Option<[f64; 4]>, file: Option<PathBuf>) {
        let mut settings = self.settings.lock();
        (settings.times, settings.file) = (times, file);
    }

    /// The number of measurements.
    pub fn measurements(&self) -> usize {
        self.settings.lock().measurements
    }

    /// The number of products of matrices that the library has computed.
    pub fn products(&self) -> usize {
        self.products.load(Ordering::Relaxed)
    }

    /// The number of routines of linear algebra that the library has computed.
    pub fn routines(&self) -> usize {
        self.routines.load(Ordering::Relaxed)
    }

    /// What devices were asked for.
    pub fn asked(&self) -> KernelRequests {
        self.settings.lock().asked
    }

    /// Makes kernels of a kind fail to compile from now on.
    pub fn break_kernels(&self, kind: &str) {
        self.settings.lock().broken = Some(kind.to_string());
    }

    /// The number of replays of recorded work.
    pub fn replays(&self) -> usize {
        self.replays.load(Ordering::Relaxed)
    }

    /// Limits the memory of all devices together from now on; returns how many bytes are allocated.
    pub fn limit_memory(&self, bytes: usize) -> usize {
        self.memory[0].store(bytes, Ordering::Relaxed);
        self.memory[1].load(Ordering::Relaxed)
    }

    /// Makes devices refuse to record from now on with this error, as a GPU may; `None` lets them record again.
    pub fn refuse_to_record(&self, reason: Option<ErrorKind>) {
        *self.refuses.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }
}
