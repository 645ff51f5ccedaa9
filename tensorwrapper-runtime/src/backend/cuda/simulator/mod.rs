//! A driver without a GPU: the text of the kernels, compiled for the processor by the system's C++ compiler and run thread by thread.
//!
//! Compiling one kernel takes longer than running hundreds, so it is done in two rounds: in the first, kernels are collected and
//! nothing is computed; then all of them are compiled; in the second they run. Memory of the device ends at a page that nobody may
//! touch, and is poisoned. For tests alone; it knows what a barrier is, and nothing of what kernels compute.

mod compile;
mod gemm;
mod memory;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use compile::Programs;
#[cfg(test)]
pub(super) use gemm::multiply;
use memory::Pages;

use super::device::Cuda;
use super::driver::{Address, Driver};
use super::gemm::Gemm;
use super::text::{Kernel, ON_DEVICE, Route};
use crate::backend::Device;
use crate::error::{Error, ErrorKind};

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
}

/// Kernels by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collection(Arc<Mutex<BTreeMap<String, Kernel>>>);

/// A kernel of a collection, for those who compile it.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Its name in the text.
    pub name: String,
    /// What it is, for people.
    pub kind: &'static str,
    /// The element type of its result.
    pub dtype: crate::element::Dtype,
    /// Its own text, without what stands before it.
    pub text: String,
}

impl Collection {
    /// A device that collects its kernels here and computes nothing: what it gives is zeros.
    pub(crate) fn device(&self, route: Route) -> Arc<dyn Device> {
        Simulator::device(Phase::Collecting(self.clone()), route)
    }

    /// All kernels.
    pub(crate) fn kernels(&self) -> Vec<Collected> {
        let kernels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let collected = |kernel: &Kernel| Collected {
            name: kernel.name.clone(),
            kind: kernel.kind,
            dtype: kernel.dtype,
            text: kernel.text.clone(),
        };
        kernels.values().map(collected).collect()
    }

    /// What NVRTC compiles before the texts of kernels.
    pub(crate) fn preamble() -> String {
        ON_DEVICE.concat()
    }
}

impl Programs {
    /// How often devices that run them have copied from the host, and to it.
    pub(crate) fn transfers(&self) -> [usize; 2] {
        self.transfers.each_ref().map(|count| count.load(Ordering::Relaxed))
    }

    /// How many products of matrices they have left to a library.
    pub(crate) fn products(&self) -> usize {
        self.products.load(Ordering::Relaxed)
    }

    /// A device that runs these kernels.
    pub(crate) fn device(self: &Arc<Programs>, schedule: Schedule, route: Route) -> Arc<dyn Device> {
        Simulator::device(Phase::Running(self.clone(), schedule), route)
    }
}

/// The driver.
#[derive(Debug)]
struct Simulator {
    phase: Phase,
    /// No two devices have the same, so that no plan is kept from one to another.
    number: usize,
    /// Whether it has a library for products of matrices.
    multiplies: bool,
}

/// The round that it is in.
#[derive(Debug)]
enum Phase {
    Collecting(Collection),
    Running(Arc<Programs>, Schedule),
}

impl Simulator {
    /// Counts a transfer from the host (0) or to it (1).
    fn count(&self, direction: usize) {
        if let Phase::Running(programs, _) = &self.phase {
            programs.transfers[direction].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn device(phase: Phase, route: Route) -> Arc<dyn Device> {
        static DEVICES: AtomicUsize = AtomicUsize::new(0);
        let number = DEVICES.fetch_add(1, Ordering::Relaxed);
        Arc::new(Cuda::new(Arc::new(Simulator { phase, number, multiplies: route == Route::Library }), route))
    }
}

/// What the shim exports for each kernel: blocks, threads of each, bytes of shared memory, schedule, arguments; a message, or null.
type Run = unsafe extern "C" fn(c_uint, c_uint, c_uint, c_int, *mut *mut c_void) -> *const c_char;

impl Driver for Simulator {
    fn name(&self) -> &'static str {
        "simulator"
    }

    fn number(&self) -> usize {
        self.number
    }

    fn allocate(&self, bytes: usize) -> Result<Address, Error> {
        Pages::allocate(bytes).ok_or_else(|| Error::new(ErrorKind::Memory { bytes: bytes as u128 }))
    }

    unsafe fn free(&self, address: Address, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { Pages::free(address, bytes) }
    }

    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error> {
        self.count(0);
        // SAFETY: the caller has so much memory there, which is the host's, and new memory overlaps nothing.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to as *mut u8, from.len()) };
        Ok(())
    }

    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error> {
        self.count(1);
        match self.phase {
            Phase::Collecting(_) => to.fill(0),
            // SAFETY: as for `upload`.
            Phase::Running(..) => unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to.as_mut_ptr(), to.len()) },
        }
        Ok(())
    }

    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
        Ok(())
    }

    unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::write_bytes(at as *mut u8, 0, bytes) };
        Ok(())
    }

    fn finish(&self) -> Result<(), Error> {
        Ok(())
    }

    fn prepare(&self, kernel: &Kernel) -> Result<(), Error> {
        if let Phase::Collecting(Collection(kernels)) = &self.phase {
            kernels.lock().unwrap_or_else(PoisonError::into_inner).entry(kernel.name.clone()).or_insert_with(|| kernel.clone());
        }
        Ok(())
    }

    unsafe fn launch(&self, kernel: &Kernel, arguments: &[Address]) -> Result<(), Error> {
        self.prepare(kernel)?;
        let Phase::Running(programs, schedule) = &self.phase else { return Ok(()) };
        let failed = |message: String| Error::new(ErrorKind::Kernel { message, source: kernel.text.clone() });
        // SAFETY: the shim exports functions of this type under these names.
        let run = unsafe { programs.symbol::<Run>(&format!("tw_run_{}", kernel.name)) };
        let run = run.ok_or_else(|| failed("the kernel is not one of those that were collected".to_string()))?;
        let mut values = arguments.to_vec();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        let order = match schedule {
            Schedule::Lockstep => 0,
            Schedule::Forward => 1,
            Schedule::Backward => 2,
        };
        // SAFETY: the arguments are those of the text, by the caller's promise.
        let message = unsafe { run(kernel.blocks, kernel.threads, kernel.shared, order, pointers.as_mut_ptr()) };
        if message.is_null() {
            return Ok(());
        }
        // SAFETY: messages are constant texts of the shim.
        Err(failed(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()))
    }

    fn products(&self) -> Option<&'static str> {
        self.multiplies.then_some("loops")
    }

    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error> {
        let Phase::Running(programs, _) = &self.phase else { return Ok(()) };
        programs.products.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the device's memory is the host's; the rest is the caller's promise.
        unsafe { gemm::multiply(product, factors, output) }
    }
}

#[cfg(test)]
mod tests;
