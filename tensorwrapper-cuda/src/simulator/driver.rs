//! The simulated device: a stream whose work is done at once or recorded, memory, and counts of what the device is asked for.

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::counted::CountedMemory;
use super::deferred::{self, DeferredCopies};
use super::round::Round;
use super::{gemm, solver};
use crate::autotune::{Autotuner, Strategy};
use crate::driver::Driver;
use crate::memory::{Address, PinnedRanges};
use crate::routine::Call;
use crate::staging::{Staging, upload_pinned};
use crate::stream_lock::{QueueGuard, StreamLock, not_recorded};
use crate::text::{Gemm, Kernel, Route};
use tensorwrapper_core::backend::MemoryUse;
use tensorwrapper_core::error::{Error, ErrorKind};

/// A simulated device.
#[derive(Debug)]
pub(super) struct Simulator {
    round: Round,
    /// Unique, so that devices share no plans.
    number: usize,
    /// Whether it has a library for products of matrices, and perhaps one for linear algebra.
    has_libraries: bool,
    autotuner: Autotuner,
    pinned: PinnedRanges,
    stream_lock: StreamLock,
    /// The work of the current recording, if there is one. As in a stream of a GPU, the work of all threads goes there.
    recorded: Mutex<Option<Vec<Queued>>>,
    staging: Staging<usize>,
    /// Copies from and to pinned memory that are not done yet.
    deferred: DeferredCopies,
    memory: CountedMemory,
    /// The names of texts that were compiled.
    compiled: Mutex<HashSet<String>>,
}

/// Work that can be recorded.
#[derive(Clone, Debug)]
enum Queued {
    Copy(Address, Address, usize),
    Clear(Address, usize),
    Launch(Kernel, Vec<u64>),
    Multiply(Gemm, [Address; 2], Address),
    Solve(Call),
}

impl Simulator {
    /// Counts a transfer from the host (0), to the host (1), or from pinned memory of a tensor (2).
    fn count(&self, direction: usize) {
        if let Round::Running(kernels, _) = &self.round {
            kernels.transfers[direction].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Does work now, or records it.
    ///
    /// # Safety
    /// As for the calls of [`Driver`] that queue it.
    unsafe fn queue(&self, work: Queued) -> Result<(), Error> {
        let _guard = self.stream_lock.lock();
        if let Some(recorded) = &mut *self.recorded() {
            recorded.push(work);
            // Gives threads that wrongly do not wait an opportunity to queue work here.
            std::thread::yield_now();
            return Ok(());
        }
        self.deferred.finish();
        // SAFETY: the caller's promise.
        unsafe { self.do_now(&work) }
    }

    fn recorded(&self) -> MutexGuard<'_, Option<Vec<Queued>>> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this thread may queue work that cannot be recorded, as on a GPU.
    fn at_once(&self, what: &str) -> Result<QueueGuard<'_>, Error> {
        let guard = self.stream_lock.lock();
        if self.recorded().is_some() { Err(not_recorded(what)) } else { Ok(guard) }
    }

    /// # Safety
    /// As for the calls of [`Driver`] that queue it.
    unsafe fn do_now(&self, work: &Queued) -> Result<(), Error> {
        // SAFETY: the caller has memory at all addresses, which are addresses of the host.
        unsafe {
            match work {
                Queued::Copy(from, to, bytes) => {
                    std::ptr::copy_nonoverlapping(*from as *const u8, *to as *mut u8, *bytes);
                    Ok(())
                }
                Queued::Clear(at, bytes) => {
                    std::ptr::write_bytes(*at as *mut u8, 0, *bytes);
                    Ok(())
                }
                Queued::Launch(kernel, arguments) => self.run(kernel, arguments),
                Queued::Multiply(product, factors, output) => match &self.round {
                    Round::Collecting(_) => Ok(()),
                    Round::Running(kernels, _) => {
                        kernels.products.fetch_add(1, Ordering::Relaxed);
                        gemm::multiply(product, *factors, *output)
                    }
                },
                Queued::Solve(call) => match &self.round {
                    Round::Collecting(_) => Ok(()),
                    Round::Running(kernels, _) => {
                        kernels.routines.fetch_add(1, Ordering::Relaxed);
                        solver::solve(call)
                    }
                },
            }
        }
    }

    /// Runs a kernel.
    ///
    /// # Safety
    /// As for [`Driver::launch`].
    unsafe fn run(&self, kernel: &Kernel, arguments: &[u64]) -> Result<(), Error> {
        let Round::Running(kernels, schedule) = &self.round else { return Ok(()) };
        let failed = |message: String| Error::new(ErrorKind::Kernel { message, source: kernel.source.text.clone() });
        // SAFETY: the shim exports functions of this type under these names.
        let run = unsafe { kernels.symbol::<RunKernel>(&format!("tw_run_{}", kernel.name)) };
        let run = run.ok_or_else(|| failed("the kernel is not one of those that were collected".to_string()))?;
        let mut values = arguments.to_vec();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        // SAFETY: the caller promises that the arguments are those of the text.
        let message = unsafe { run(kernel.blocks, kernel.threads, kernel.shared, schedule.number(), pointers.as_mut_ptr()) };
        if message.is_null() {
            return Ok(());
        }
        // SAFETY: messages are constants of the shim.
        Err(failed(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()))
    }

    /// Notes kernels that are prepared or launched, and counts those that are compiled now.
    fn note(&self, kernels: &[&Kernel], is_launch: bool) -> Result<(), Error> {
        if let Round::Collecting(collection) = &self.round {
            collection.lock().extend(kernels.iter().map(|&kernel| (kernel.name.clone(), kernel.clone())));
        }
        let mut settings = self.round.settings().lock();
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let new = kernels.iter().filter(|kernel| !compiled.contains(&kernel.source.name)).count() > 0;
        settings.asked.to_make += usize::from(new && !is_launch);
        settings.asked.to_launch += usize::from(is_launch);
        settings.asked.too_late += usize::from(new && is_launch);
        for kernel in kernels {
            if settings.broken.as_deref() == Some(kernel.kind) {
                let (message, source) = ("the test breaks this kind of kernel".to_string(), kernel.source.text.clone());
                return Err(Error::new(ErrorKind::Kernel { message, source }));
            }
            compiled.insert(kernel.source.name.clone());
        }
        Ok(())
    }

    /// A device for one of the rounds. It has libraries if its route is [`Route::Library`].
    pub(super) fn new(round: Round, route: Route) -> Simulator {
        static DEVICES: AtomicUsize = AtomicUsize::new(0);
        let (number, has_libraries) = (DEVICES.fetch_add(1, Ordering::Relaxed), route == Route::Library);
        let (pinned, stream_lock, recorded, deferred, memory, compiled) = Default::default();
        let staging = Staging::new(deferred::PIECES.0, deferred::PIECES.1);
        let autotuner = Autotuner::new(round.settings().lock().file.clone());
        Simulator { round, number, has_libraries, autotuner, pinned, stream_lock, recorded, staging, deferred, memory, compiled }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.deferred.finish();
        self.staging.clear(&self.deferred);
    }
}

/// Work that was recorded.
#[derive(Debug)]
pub(super) struct Recorded(Vec<Queued>);

/// The function that the shim exports for each kernel. It takes blocks, threads of each, bytes of shared memory, schedule and
/// arguments, and returns a message or null.
type RunKernel = unsafe extern "C" fn(c_uint, c_uint, c_uint, c_int, *mut *mut c_void) -> *const c_char;

impl Driver for Simulator {
    type Graph = Recorded;

    fn name(&self) -> &'static str {
        "simulator"
    }

    fn number(&self) -> usize {
        self.number
    }

    fn opening(&self) -> usize {
        self.number + 1
    }

    fn allocate(&self, bytes: usize) -> Result<Address, Error> {
        let _guard = self.at_once("allocating memory")?;
        let refused = || Error::new(ErrorKind::Memory { bytes: bytes as u128 });
        if let Round::Running(kernels, _) = &self.round {
            let [most, taken] = &kernels.memory;
            if taken.load(Ordering::Relaxed).saturating_add(bytes) > most.load(Ordering::Relaxed) {
                return Err(refused());
            }
            taken.fetch_add(bytes, Ordering::Relaxed);
        }
        self.memory.allocate(bytes).ok_or_else(refused)
    }

    unsafe fn free(&self, address: Address, bytes: usize) {
        let guard = self.stream_lock.lock();
        if guard.is_recorded {
            return guard.set_aside(address, bytes);
        }
        self.deferred.finish();
        if let Round::Running(kernels, _) = &self.round {
            kernels.memory[1].fetch_sub(bytes, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { self.memory.free(address, bytes) }
    }

    fn memory_use(&self) -> Result<MemoryUse, Error> {
        self.finish().map(|()| self.memory.memory_use())
    }

    fn pinned(&self) -> &PinnedRanges {
        &self.pinned
    }

    fn lock(&self, _: Range<usize>) -> Result<(), Error> {
        Ok(())
    }

    fn unlock(&self, _: Range<usize>) {
        self.deferred.finish();
    }

    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error> {
        let _guard = self.at_once("a copy from the host")?;
        self.count(0);
        if self.pinned.contain(from) {
            self.count(2);
            // SAFETY: the caller has memory there.
            return unsafe { upload_pinned(&self.deferred, from, to) };
        }
        // SAFETY: the caller has memory there.
        let is_staged = unsafe { self.staging.upload(&self.deferred, from, to) }?;
        assert!(is_staged, "the simulator pins memory");
        Ok(())
    }

    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error> {
        let _guard = self.at_once("a copy to the host")?;
        self.count(1);
        match self.round {
            Round::Collecting(_) => to.fill(0),
            Round::Running(..) => {
                // SAFETY: as for `upload`.
                let is_staged = unsafe { self.staging.download(&self.deferred, from, to) }?;
                assert!(is_staged, "the simulator pins memory");
            }
        }
        Ok(())
    }

    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(Queued::Copy(from, to, bytes)) }
    }

    unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(Queued::Clear(at, bytes)) }
    }

    fn finish(&self) -> Result<(), Error> {
        let _guard = self.at_once("waiting")?;
        self.deferred.finish();
        Ok(())
    }

    fn prepare(&self, kernels: &[&Kernel]) -> Result<(), Error> {
        self.note(kernels, false)
    }

    unsafe fn launch(&self, kernel: &Kernel, arguments: &[u64]) -> Result<(), Error> {
        self.note(&[kernel], true)?;
        // SAFETY: the caller's promise.
        unsafe { self.queue(Queued::Launch(kernel.clone(), arguments.to_vec())) }
    }

    fn gemm_library(&self) -> Option<&'static str> {
        self.has_libraries.then_some("loops")
    }

    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(Queued::Multiply(*product, factors, output)) }
    }

    fn autotuner(&self) -> &Autotuner {
        &self.autotuner
    }

    fn is_worth_measuring(&self, _: u128) -> bool {
        self.round.settings().lock().times.is_some()
    }

    fn timed(&self, strategy: Strategy, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        let _guard = self.stream_lock.lock_exclusive();
        work().map(|()| self.round.settings().time(strategy))
    }

    fn linalg_library(&self) -> Option<&'static str> {
        (self.has_libraries && self.round.has_linalg()).then_some("textbook")
    }

    unsafe fn solve(&self, call: &Call) -> Result<(), Error> {
        // As on a GPU, work space is allocated, which cannot be recorded.
        let _guard = self.at_once("linear algebra")?;
        let space = solver::space(call);
        let at = self.allocate(space)?;
        // SAFETY: the caller's promise; the work space was just allocated, and the work is done when it is freed.
        unsafe { (self.queue(Queued::Solve(*call)), self.free(at, space)).0 }
    }

    fn record(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Recorded, Error> {
        if let Round::Running(kernels, _) = &self.round
            && let Some(reason) = &*kernels.refuses.lock().unwrap_or_else(PoisonError::into_inner)
        {
            return Err(Error::new(reason.clone()));
        }
        // SAFETY: its owner has freed it.
        let free = |address, bytes| unsafe { self.free(address, bytes) };
        let recording = self.stream_lock.record(free);
        *self.recorded() = Some(Vec::new());
        let done = work();
        let recorded = self.recorded().take().unwrap_or_default();
        recording.end(free)?;
        done.map(|()| Recorded(recorded))
    }

    unsafe fn replay(&self, graph: &Recorded) -> Result<(), Error> {
        let _guard = self.at_once("a graph inside of a graph")?;
        if let Round::Running(kernels, _) = &self.round {
            kernels.replays.fetch_add(1, Ordering::Relaxed);
        }
        self.deferred.finish();
        // SAFETY: as for the calls that queued it, by the caller's promise.
        graph.0.iter().try_for_each(|work| unsafe { self.do_now(work) })
    }
}
