//! The driver of a GPU: CUDA's own, with kernels that NVRTC compiles, each once for a device and once for a disk.
//!
//! One stream a device: everything is queued in it in order, and its memory pool keeps what was freed for what is asked for next.

mod blas;
mod compiler;
mod facts;
mod graph;
mod kept;
mod kernels;
mod pinned;
mod pool;
mod solver;

use std::collections::HashSet;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use blas::Blas;
pub use compiler::{Compiled, compile, version};
use cudarc::driver::sys::{self, CUresult};
use facts::{architecture, check_version, described};
use graph::Graph;
use kernels::{Function, Kernels};
use pool::{Pool, Primary};
use solver::Solver;

use super::beside::beside;
use super::choice::{Choices, Way};
use super::device::Cuda;
use super::driver::{Address, Driver, not_recorded};
use super::gemm::Gemm;
use super::library::Library;
use super::linear::Call;
use super::pages::{self, Pinned};
use super::staging::Staging;
use super::text::{Kernel, Route};
use super::turns::{Turn, Turns};
use tensorwrapper_core::backend::{Device, Taken};
use tensorwrapper_core::error::{Error, ErrorKind};

/// The device of that number.
///
/// # Errors
/// [`ErrorKind::Unavailable`] where the driver, the compiler or the device is missing, [`ErrorKind::Device`] where it refuses.
pub fn open(ordinal: usize) -> Result<Arc<dyn Device>, Error> {
    /// The devices that are in use: one of a number is one, whoever opened it first, so that what one context has there is every other's.
    static OPEN: Mutex<Vec<Weak<Gpu>>> = Mutex::new(Vec::new());
    Library::Driver.open()?;
    Library::Compiler.open()?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|gpu| gpu.strong_count() > 0);
    let known = open.iter().filter_map(Weak::upgrade).find(|gpu| gpu.ordinal == ordinal);
    let gpu = match known {
        Some(gpu) => gpu,
        None => {
            let gpu = Arc::new(Gpu::open(ordinal)?);
            open.push(Arc::downgrade(&gpu));
            gpu
        }
    };
    Ok(Arc::new(Cuda::new(gpu, Route::Chosen)))
}

/// Products over at least 2 to the power of this many points are measured: below, a launch takes longer than the work.
const MEASURED: u32 = 21;
/// Runs of each way, of which the quickest counts.
const RUNS: usize = 4;

/// A GPU.
#[derive(Debug)]
struct Gpu {
    ordinal: usize,
    opening: usize,
    stream: sys::CUstream,
    /// Such as `sm_90a`.
    architecture: String,
    /// Products of matrices, where the library for them was found.
    blas: Option<Blas>,
    /// Linear algebra, where the library for it was found.
    solver: Option<Solver>,
    choices: Choices,
    pinned: Pinned,
    kernels: Kernels,
    turns: Turns,
    staging: Staging<pinned::Event>,
    /// There as soon as the device is entered.
    pool: Option<Pool>,
    /// Goes last, because all else was made in it.
    primary: Primary,
}

// SAFETY: contexts and streams of CUDA may be used from any thread; the only changing state is behind locks.
unsafe impl Send for Gpu {}
// SAFETY: as above.
unsafe impl Sync for Gpu {}

/// What the driver said of a call.
fn check(result: CUresult, what: &str) -> Result<(), Error> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Device(format!("the GPU reports {other:?} when {what}")))),
    }
}

impl Gpu {
    fn open(ordinal: usize) -> Result<Gpu, Error> {
        static OPENINGS: AtomicUsize = AtomicUsize::new(1);
        let no_device = |count: i32| {
            let library = format!("the CUDA device {ordinal}");
            Error::new(ErrorKind::Unavailable { library, tried: vec![format!("{count} devices")] })
        };
        let (mut device, mut stream, mut count) = (0, std::ptr::null_mut(), 0);
        // SAFETY: the driver is open, and each call writes to a variable of its own.
        unsafe {
            match sys::cuInit(0) {
                CUresult::CUDA_ERROR_NO_DEVICE => return Err(no_device(0)),
                other => check(other, "the driver starts")?,
            }
            check_version()?;
            check(sys::cuDeviceGetCount(&raw mut count), "devices are counted")?;
            let number = i32::try_from(ordinal).ok().filter(|&number| number < count).ok_or_else(|| no_device(count))?;
            check(sys::cuDeviceGet(&raw mut device, number), "a device is opened")?;
        }
        let mut gpu = Gpu {
            ordinal,
            opening: OPENINGS.fetch_add(1, Ordering::Relaxed),
            stream: std::ptr::null_mut(),
            architecture: String::new(),
            blas: None,
            solver: None,
            choices: Choices::new(None),
            pinned: Pinned::default(),
            kernels: Kernels::default(),
            turns: Turns::default(),
            staging: Staging::new(pinned::PIECES.0, pinned::PIECES.1),
            pool: None,
            primary: Primary::new(device)?,
        };
        gpu.enter()?;
        // SAFETY: the context is current, and the stream is written.
        let made = unsafe { sys::cuStreamCreate(&raw mut stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32) };
        check(made, "a stream is made")?;
        gpu.stream = stream;
        gpu.architecture = architecture(device)?;
        gpu.pool = Some(Pool::new(device)?);
        if Library::Products.open().is_ok() {
            gpu.blas = Some(Blas::new(stream, &gpu.architecture)?);
            // Its batches of small matrices are the other library's.
            if Library::LinearAlgebra.open().is_ok() {
                gpu.solver = Some(Solver::new(stream)?);
            }
        }
        gpu.choices = Choices::new(kept::file(&format!("ways-{}", described(device, gpu.blas.as_ref())?)));
        Ok(gpu)
    }

    /// Makes the device the calling thread's.
    fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context is held by this value.
        check(unsafe { sys::cuCtxSetCurrent(self.primary.context) }, "a thread turns to it")
    }

    fn pool(&self) -> &Pool {
        self.pool.as_ref().expect("a device that is open has a pool")
    }

    /// Waits until this thread may queue work, which may be recorded.
    fn queue(&self) -> Result<Turn<'_>, Error> {
        let turn = self.turns.take();
        self.enter().map(|()| turn)
    }

    /// The same for what cannot be recorded.
    fn at_once(&self, what: &str) -> Result<Turn<'_>, Error> {
        let turn = self.queue()?;
        if turn.is_recorded { Err(not_recorded(what)) } else { Ok(turn) }
    }

    /// The kernel, compiled, read from disk or known already.
    fn function(&self, kernel: &Kernel) -> Result<Function, Error> {
        // Before all locks, which a thread whose work is recorded takes, too.
        let turn = self.queue()?;
        match self.kernels.known(kernel) {
            Some(function) => return Ok(function),
            None if turn.is_recorded => return Err(not_recorded("loading a kernel")),
            None => drop(turn),
        }
        // Others have the device while this waits for the compiler.
        let code = self.kernels.code(&kernel.source, &self.architecture)?;
        let _turn = self.queue()?;
        self.kernels.load(kernel, code, &self.architecture)
    }
}

impl Driver for Gpu {
    type Graph = Graph;

    fn name(&self) -> &'static str {
        "cuda"
    }

    fn number(&self) -> usize {
        self.ordinal
    }

    fn opening(&self) -> usize {
        self.opening
    }

    fn allocate(&self, bytes: usize) -> Result<Address, Error> {
        let _turn = self.at_once("allocating memory")?;
        // SAFETY: the stream is the device's, which has just become the thread's.
        unsafe { self.pool().allocate(bytes, self.stream) }
    }

    unsafe fn free(&self, address: Address, bytes: usize) {
        // A device that is lost has no memory to take back, so that nothing is made of a failure.
        let Ok(turn) = self.queue() else { return };
        if turn.is_recorded {
            return turn.set_aside(address, bytes);
        }
        // SAFETY: the caller's promise; what is queued comes first.
        let _ = unsafe { sys::cuMemFreeAsync(address, self.stream) };
    }

    fn taken(&self) -> Result<Taken, Error> {
        self.finish()?;
        self.pool().taken()
    }

    fn pinned(&self) -> &Pinned {
        &self.pinned
    }

    fn lock(&self, pages: Range<usize>) -> Result<(), Error> {
        self.enter()?;
        pinned::lock(pages)
    }

    fn unlock(&self, pages: Range<usize>) {
        // A device that is lost has nothing to take back.
        if self.enter().is_ok() {
            pinned::unlock(pages);
        }
    }

    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error> {
        let _turn = self.at_once("a copy from the host")?;
        if self.pinned.have(from) {
            // SAFETY: the caller has memory there.
            return unsafe { pages::upload(self, from, to) };
        }
        // SAFETY: the caller has memory there.
        if from.len() > pinned::SMALL && unsafe { self.staging.upload(self, from, to) }? {
            return Ok(());
        }
        // SAFETY: the caller has memory there. Pageable memory has been read when the call returns.
        check(unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), self.stream) }, "operands are copied")
    }

    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error> {
        let _turn = self.at_once("a copy to the host")?;
        // SAFETY: the caller has memory there.
        if to.len() > pinned::SMALL && unsafe { self.staging.download(self, from, to) }? {
            return Ok(());
        }
        // SAFETY: the caller has memory there, and the copy is done before anybody reads it.
        check(unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), self.stream) }, "results are copied")?;
        self.finish()
    }

    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error> {
        let _turn = self.queue()?;
        // SAFETY: the caller has memory at both.
        check(unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream) }, "its memory is copied")
    }

    unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        let _turn = self.queue()?;
        // SAFETY: the caller has memory there.
        check(unsafe { sys::cuMemsetD8Async(at, 0, bytes, self.stream) }, "its memory is cleared")
    }

    fn finish(&self) -> Result<(), Error> {
        let _turn = self.at_once("waiting")?;
        // SAFETY: the stream is the device's.
        check(unsafe { sys::cuStreamSynchronize(self.stream) }, "its work is waited for")
    }

    fn prepare(&self, kernels: &[&Kernel]) -> Result<(), Error> {
        let new = kernels.iter().copied().filter(|kernel| self.kernels.known(kernel).is_none());
        let load = |kernel: &&Kernel| self.function(kernel).map(|_| ());
        // A text is compiled once; its other kernels are in it.
        let mut texts = HashSet::new();
        let (first, others): (Vec<&Kernel>, Vec<&Kernel>) = new.partition(|kernel| texts.insert(&kernel.source.name));
        // Threads that are started here would wait for the one that is alone, which waits for them.
        if first.len() < 2 || self.queue()?.is_alone() {
            first.iter().try_for_each(load)?;
        } else {
            beside(&first, load)?;
        }
        others.iter().try_for_each(load)
    }

    unsafe fn launch(&self, kernel: &Kernel, arguments: &[u64]) -> Result<(), Error> {
        let Function(function) = self.function(kernel)?;
        let _turn = self.queue()?;
        let mut values = arguments.to_vec();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        // SAFETY: the arguments are those of the text, by the caller's promise; they are copied before the call returns.
        let launched = unsafe {
            sys::cuLaunchKernel(
                function,
                kernel.blocks,
                1,
                1,
                kernel.threads,
                1,
                1,
                kernel.shared,
                self.stream,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check(launched, "a kernel is launched")
    }

    fn products(&self) -> Option<&'static str> {
        self.blas.as_ref().map(|_| "cuBLAS")
    }

    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error> {
        let _turn = self.queue()?;
        let blas = self.blas.as_ref().expect("products are the library's where there is one");
        // SAFETY: the device has just become the thread's; the rest is the caller's promise.
        unsafe { blas.multiply(product, factors, output) }
    }

    fn choices(&self) -> &Choices {
        &self.choices
    }

    fn is_measured(&self, points: u128) -> bool {
        points >= 1 << MEASURED
    }

    fn timed(&self, _: Way, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        drop(self.at_once("a measurement")?);
        let _alone = self.turns.alone();
        let [start, end] = [pinned::Timer::new(self)?, pinned::Timer::new(self)?];
        // The first run loads what the others find.
        work()?;
        let mut least = f64::INFINITY;
        for _ in 0..RUNS {
            start.record()?;
            work()?;
            end.record()?;
            least = least.min(end.since(&start)?);
        }
        Ok(least)
    }

    fn solves(&self) -> Option<&'static str> {
        self.solver.as_ref().map(|_| "cuSOLVER")
    }

    unsafe fn solve(&self, call: &Call) -> Result<(), Error> {
        // Work space is allocated, which cannot be recorded.
        let _turn = self.at_once("linear algebra")?;
        let (solver, blas) =
            self.solver.as_ref().zip(self.blas.as_ref()).expect("linear algebra is the libraries' where there are both");
        // SAFETY: the device has just become the thread's; the rest is the caller's promise.
        unsafe { solver.solve((blas, self.pool()), call) }
    }

    fn record(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Graph, Error> {
        // SAFETY: whoever gave it back uses it no more.
        let free = |address, bytes| unsafe { self.free(address, bytes) };
        let recording = self.turns.record(free);
        self.enter()?;
        let graph = Graph::of(self.primary.context, self.stream, work);
        recording.end(free)?;
        graph
    }

    unsafe fn replay(&self, graph: &Graph) -> Result<(), Error> {
        let _turn = self.at_once("a graph inside of a graph")?;
        // SAFETY: the device is the thread's; the rest is the caller's promise.
        unsafe { graph.queue(self.stream) }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.enter().is_err() {
            // Nobody can give back what is on a device that is lost.
            std::mem::forget((self.solver.take(), self.blas.take()));
            return;
        }
        // Nothing was made before the stream.
        if !self.stream.is_null() {
            // SAFETY: the only owner is going. What is queued is waited for first.
            unsafe {
                let _ = sys::cuStreamSynchronize(self.stream);
                self.staging.clear(self);
                // Libraries use the stream, and have memory; a kernel may be on its way until the stream is done.
                self.solver = None;
                self.blas = None;
                self.kernels.clear();
                let _ = sys::cuStreamDestroy_v2(self.stream);
            }
        }
    }
}
