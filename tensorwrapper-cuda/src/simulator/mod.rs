//! A driver without a GPU: the text of the kernels, compiled for the processor by the system's C++ compiler and run thread by thread.
//!
//! Compiling one kernel takes longer than running hundreds, so it is done in two rounds: in the first, kernels are collected and
//! nothing is computed; then all of them are compiled; in the second they run. Memory of the device ends at a page that nobody may
//! touch, and is poisoned. For tests alone; it knows what a barrier is, and nothing of what kernels compute.

mod compile;
mod counted;
mod gemm;
mod memory;
mod pinned;
mod solver;
mod told;

use std::collections::{BTreeMap, HashSet};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use compile::Programs;
use counted::Counted;
#[cfg(test)]
pub(super) use gemm::multiply;
use pinned::Late;
pub use told::Asked;
use told::Clock;
pub use told::Schedule;

use super::choice::{Choices, Way};
use super::device::Cuda;
use super::driver::{Address, Driver, not_recorded};
use super::gemm::Gemm;
use super::linear::Call;
use super::pages::{self, Pinned};
use super::staging::Staging;
use super::text::{Kernel, ON_DEVICE, Route};
use super::turns::{Turn, Turns};
use tensorwrapper_core::backend::{Device, Taken};
use tensorwrapper_core::error::{Error, ErrorKind};

/// Kernels by their names.
#[derive(Clone, Debug, Default)]
pub struct Collection(Arc<Mutex<BTreeMap<String, Kernel>>>, Arc<Clock>);

/// A kernel of a collection, for those who compile it.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Its name in the text.
    pub name: String,
    /// What it is, for people.
    pub kind: &'static str,
    /// The element type of its result.
    pub dtype: tensorwrapper_core::element::Dtype,
    /// The text that it stands in, perhaps with others, without what stands before it.
    pub text: String,
}

impl Collection {
    /// A device that collects its kernels here and computes nothing: what it gives is zeros.
    pub fn device(&self, route: Route) -> Arc<dyn Device> {
        Simulator::device(Phase::Collecting(self.clone()), route)
    }

    /// All kernels.
    pub fn kernels(&self) -> Vec<Collected> {
        let kernels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let collected = |kernel: &Kernel| Collected {
            name: kernel.name.clone(),
            kind: kernel.kind,
            dtype: kernel.dtype,
            text: kernel.source.text.clone(),
        };
        kernels.values().map(collected).collect()
    }

    /// What NVRTC compiles before the texts of kernels.
    pub fn preamble() -> String {
        ON_DEVICE.concat()
    }
}

/// The driver.
#[derive(Debug)]
struct Simulator {
    phase: Phase,
    /// No two devices have the same, so that no plan is kept from one to another.
    number: usize,
    /// Whether it has a library for products of matrices, and with it perhaps one for linear algebra.
    multiplies: bool,
    choices: Choices,
    pinned: Pinned,
    turns: Turns,
    /// What was queued since the recording began, if there is one: whoever queues, as in a stream of a GPU.
    recorded: Mutex<Option<Vec<Queued>>>,
    staging: Staging<usize>,
    /// Copies from and to pinned memory that are not done.
    late: Late,
    memory: Counted,
    /// Names of texts that were made.
    made: Mutex<HashSet<String>>,
}

/// Work that is recorded, with the addresses that it was queued for.
#[derive(Clone, Debug)]
enum Queued {
    Copy(Address, Address, usize),
    Clear(Address, usize),
    Launch(Kernel, Vec<u64>),
    Multiply(Gemm, [Address; 2], Address),
    Solve(Call),
}

/// The round that it is in.
#[derive(Debug)]
enum Phase {
    Collecting(Collection),
    Running(Arc<Programs>, Schedule),
}

impl Simulator {
    /// Counts a transfer from the host (0), to it (1), or from pinned memory of the host (2).
    fn count(&self, direction: usize) {
        if let Phase::Running(programs, _) = &self.phase {
            programs.transfers[direction].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Does work now, or records it.
    ///
    /// # Safety
    /// As for the calls of [`Driver`] that queue it.
    unsafe fn queue(&self, work: Queued) -> Result<(), Error> {
        let _turn = self.turns.take();
        if let Some(recorded) = &mut *self.recorded() {
            recorded.push(work);
            // Whoever does not wait for its turn is to have an opportunity.
            std::thread::yield_now();
            return Ok(());
        }
        self.late.finish();
        // SAFETY: the caller's promise.
        unsafe { self.do_now(&work) }
    }

    fn recorded(&self) -> MutexGuard<'_, Option<Vec<Queued>>> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As on a GPU there is work that cannot be recorded.
    fn at_once(&self, what: &str) -> Result<Turn<'_>, Error> {
        let turn = self.turns.take();
        if self.recorded().is_some() { Err(not_recorded(what)) } else { Ok(turn) }
    }

    /// # Safety
    /// As for the calls of [`Driver`] that queue it.
    unsafe fn do_now(&self, work: &Queued) -> Result<(), Error> {
        // SAFETY: the caller has memory at all addresses; the device's memory is the host's.
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
                Queued::Multiply(product, factors, output) => match &self.phase {
                    Phase::Collecting(_) => Ok(()),
                    Phase::Running(programs, _) => {
                        programs.products.fetch_add(1, Ordering::Relaxed);
                        gemm::multiply(product, *factors, *output)
                    }
                },
                Queued::Solve(call) => match &self.phase {
                    Phase::Collecting(_) => Ok(()),
                    Phase::Running(programs, _) => {
                        programs.routines.fetch_add(1, Ordering::Relaxed);
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
        let Phase::Running(programs, schedule) = &self.phase else { return Ok(()) };
        let failed = |message: String| Error::new(ErrorKind::Kernel { message, source: kernel.source.text.clone() });
        // SAFETY: the shim exports functions of this type under these names.
        let run = unsafe { programs.symbol::<Run>(&format!("tw_run_{}", kernel.name)) };
        let run = run.ok_or_else(|| failed("the kernel is not one of those that were collected".to_string()))?;
        let mut values = arguments.to_vec();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        // SAFETY: the arguments are those of the text, by the caller's promise.
        let message = unsafe { run(kernel.blocks, kernel.threads, kernel.shared, schedule.number(), pointers.as_mut_ptr()) };
        if message.is_null() {
            return Ok(());
        }
        // SAFETY: messages are constant texts of the shim.
        Err(failed(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned()))
    }

    fn device(phase: Phase, route: Route) -> Arc<dyn Device> {
        static DEVICES: AtomicUsize = AtomicUsize::new(0);
        let (number, multiplies) = (DEVICES.fetch_add(1, Ordering::Relaxed), route == Route::Library);
        let (pinned, turns, recorded, late, memory, made) = Default::default();
        let staging = Staging::new(pinned::PIECES.0, pinned::PIECES.1);
        let choices = Choices::new(phase.clock().look().file.clone());
        let simulator = Simulator { phase, number, multiplies, choices, pinned, turns, recorded, staging, late, memory, made };
        Arc::new(Cuda::new(Arc::new(simulator), route))
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.late.finish();
        self.staging.clear(self);
    }
}

/// Work that was recorded.
#[derive(Debug)]
struct Recorded(Vec<Queued>);

/// What the shim exports for each kernel: blocks, threads of each, bytes of shared memory, schedule, arguments; a message, or null.
type Run = unsafe extern "C" fn(c_uint, c_uint, c_uint, c_int, *mut *mut c_void) -> *const c_char;

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
        let _turn = self.at_once("allocating memory")?;
        let refused = || Error::new(ErrorKind::Memory { bytes: bytes as u128 });
        if let Phase::Running(programs, _) = &self.phase {
            let [most, taken] = &programs.memory;
            if taken.load(Ordering::Relaxed).saturating_add(bytes) > most.load(Ordering::Relaxed) {
                return Err(refused());
            }
            taken.fetch_add(bytes, Ordering::Relaxed);
        }
        self.memory.allocate(bytes).ok_or_else(refused)
    }

    unsafe fn free(&self, address: Address, bytes: usize) {
        let turn = self.turns.take();
        if turn.is_recorded {
            return turn.set_aside(address, bytes);
        }
        self.late.finish();
        if let Phase::Running(programs, _) = &self.phase {
            programs.memory[1].fetch_sub(bytes, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { self.memory.free(address, bytes) }
    }

    fn taken(&self) -> Result<Taken, Error> {
        self.finish().map(|()| self.memory.taken())
    }

    fn pinned(&self) -> &Pinned {
        &self.pinned
    }

    fn lock(&self, _: Range<usize>) -> Result<(), Error> {
        Ok(())
    }

    fn unlock(&self, _: Range<usize>) {
        self.late.finish();
    }

    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error> {
        let _turn = self.at_once("a copy from the host")?;
        self.count(0);
        if self.pinned.have(from) {
            self.count(2);
            // SAFETY: the caller has so much memory there.
            return unsafe { pages::upload(self, from, to) };
        }
        // SAFETY: the caller has so much memory there.
        let is_staged = unsafe { self.staging.upload(self, from, to) }?;
        assert!(is_staged, "the simulator pins memory");
        Ok(())
    }

    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error> {
        let _turn = self.at_once("a copy to the host")?;
        self.count(1);
        match self.phase {
            Phase::Collecting(_) => to.fill(0),
            Phase::Running(..) => {
                // SAFETY: as for `upload`.
                let is_staged = unsafe { self.staging.download(self, from, to) }?;
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
        let _turn = self.at_once("waiting")?;
        self.late.finish();
        Ok(())
    }

    fn prepare(&self, kernels: &[&Kernel]) -> Result<(), Error> {
        self.make(kernels, false)
    }

    unsafe fn launch(&self, kernel: &Kernel, arguments: &[u64]) -> Result<(), Error> {
        self.make(&[kernel], true)?;
        // SAFETY: the caller's promise.
        unsafe { self.queue(Queued::Launch(kernel.clone(), arguments.to_vec())) }
    }

    fn products(&self) -> Option<&'static str> {
        self.multiplies.then_some("loops")
    }

    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.queue(Queued::Multiply(*product, factors, output)) }
    }

    fn choices(&self) -> &Choices {
        &self.choices
    }

    fn is_measured(&self, _: u128) -> bool {
        self.phase.clock().look().times.is_some()
    }

    fn timed(&self, way: Way, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        let _alone = self.turns.alone();
        work().map(|()| self.phase.clock().time(way))
    }

    fn solves(&self) -> Option<&'static str> {
        (self.multiplies && self.phase.solves()).then_some("textbook")
    }

    unsafe fn solve(&self, call: &Call) -> Result<(), Error> {
        // As on a GPU work space is allocated, which cannot be recorded.
        let _turn = self.at_once("linear algebra")?;
        let space = solver::space(call);
        let at = self.allocate(space)?;
        // SAFETY: the caller's promise; work space was just allocated, and what is queued here is done when it goes back.
        unsafe { (self.queue(Queued::Solve(*call)), self.free(at, space)).0 }
    }

    fn record(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Recorded, Error> {
        if let Phase::Running(programs, _) = &self.phase
            && let Some(reason) = &*programs.refuses.lock().unwrap_or_else(PoisonError::into_inner)
        {
            return Err(Error::new(reason.clone()));
        }
        // SAFETY: whoever gave it back uses it no more.
        let free = |address, bytes| unsafe { self.free(address, bytes) };
        let recording = self.turns.record(free);
        *self.recorded() = Some(Vec::new());
        let done = work();
        let recorded = self.recorded().take().unwrap_or_default();
        recording.end(free)?;
        done.map(|()| Recorded(recorded))
    }

    unsafe fn replay(&self, graph: &Recorded) -> Result<(), Error> {
        let _turn = self.at_once("a graph inside of a graph")?;
        if let Phase::Running(programs, _) = &self.phase {
            programs.replays.fetch_add(1, Ordering::Relaxed);
        }
        self.late.finish();
        // SAFETY: as for the calls that queued it, by the caller's promise.
        graph.0.iter().try_for_each(|work| unsafe { self.do_now(work) })
    }
}

#[cfg(test)]
mod tests;
