//! One GPU as a [`Driver`]: all work is queued in its one stream.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::driver::sys::{self, CUresult};

use super::blas::Blas;
use super::device_properties::{architecture, check_version, described};
use super::disk_cache;
use super::graph::Graph;
use super::kernels::{Function, Kernels};
use super::pool::{Pool, Primary};
use super::solver::Solver;
use super::status::check;
use super::stream::{self, Event, Stream, Timer};
use crate::autotune::{Autotuner, Strategy};
use crate::driver::Driver;
use crate::library::NvidiaLibrary;
use crate::memory::{Address, PinnedRanges};
use crate::parallel::try_for_each;
use crate::routine::Call;
use crate::staging::{Staging, upload_pinned};
use crate::stream_lock::{QueueGuard, StreamLock, not_recorded};
use crate::text::{Gemm, Kernel};
use tensorwrapper_core::backend::MemoryUse;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Contractions with at least 2 to the power of this many points are measured. Smaller ones take less time than a launch.
const LOG2_MEASURED: u32 = 21;
/// The number of runs of each strategy in a measurement. The fastest counts.
const RUNS: usize = 4;

/// A GPU.
#[derive(Debug)]
pub(super) struct Gpu {
    ordinal: usize,
    opening: usize,
    stream: Stream,
    /// For instance `sm_90a`.
    architecture: String,
    /// cuBLAS, if it was found.
    blas: Option<Blas>,
    /// cuSOLVER, if it was found.
    solver: Option<Solver>,
    autotuner: Autotuner,
    pinned: PinnedRanges,
    kernels: Kernels,
    stream_lock: StreamLock,
    staging: Staging<Event>,
    /// Set once the device has been entered.
    pool: Option<Pool>,
    /// Dropped last, because everything else belongs to it.
    primary: Primary,
}

// SAFETY: contexts and streams of CUDA may be used from any thread; all mutable state is behind locks.
unsafe impl Send for Gpu {}
// SAFETY: as above.
unsafe impl Sync for Gpu {}

impl Gpu {
    /// Opens the device of that number.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] where there is none, or none that is new enough, [`ErrorKind::Device`] where it refuses.
    pub(super) fn open(ordinal: usize) -> Result<Gpu, Error> {
        static OPENINGS: AtomicUsize = AtomicUsize::new(1);
        let no_device = |count: i32| {
            let library = format!("the CUDA device {ordinal}");
            Error::new(ErrorKind::Unavailable { library, tried: vec![format!("{count} devices")] })
        };
        let (mut device, mut count) = (0, 0);
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
            stream: Stream::none(),
            architecture: String::new(),
            blas: None,
            solver: None,
            autotuner: Autotuner::new(None),
            pinned: PinnedRanges::default(),
            kernels: Kernels::default(),
            stream_lock: StreamLock::default(),
            staging: Staging::new(stream::PIECES.0, stream::PIECES.1),
            pool: None,
            primary: Primary::new(device)?,
        };
        gpu.enter()?;
        gpu.stream = Stream::new()?;
        gpu.architecture = architecture(device)?;
        gpu.pool = Some(Pool::new(device)?);
        if NvidiaLibrary::Cublas.open().is_ok() {
            gpu.blas = Some(Blas::new(gpu.stream.raw(), &gpu.architecture)?);
            // cuSOLVER needs cuBLAS, which has the batched routines for small matrices.
            if NvidiaLibrary::Cusolver.open().is_ok() {
                gpu.solver = Some(Solver::new(gpu.stream.raw())?);
            }
        }
        gpu.autotuner = Autotuner::new(disk_cache::file(&format!("strategies-{}", described(device, gpu.blas.as_ref())?)));
        Ok(gpu)
    }

    /// Whether it is the device of that number.
    pub(super) fn is_number(&self, ordinal: usize) -> bool {
        self.ordinal == ordinal
    }

    /// Makes the device's context current in the calling thread.
    fn enter(&self) -> Result<(), Error> {
        // SAFETY: this value holds the context.
        check(unsafe { sys::cuCtxSetCurrent(self.primary.context) }, "a thread stream_lock to it")
    }

    fn pool(&self) -> &Pool {
        self.pool.as_ref().expect("a device that is open has a pool")
    }

    /// Waits until this thread may queue work, which may be recorded instead of done.
    fn queue(&self) -> Result<QueueGuard<'_>, Error> {
        let guard = self.stream_lock.lock();
        self.enter().map(|()| guard)
    }

    /// The same for work that cannot be recorded.
    fn at_once(&self, what: &str) -> Result<QueueGuard<'_>, Error> {
        let guard = self.queue()?;
        if guard.is_recorded { Err(not_recorded(what)) } else { Ok(guard) }
    }

    /// A loaded kernel. It is compiled or read from disk if it is not loaded yet.
    fn function(&self, kernel: &Kernel) -> Result<Function, Error> {
        // First of all locks, because a thread that records takes the others as well.
        let guard = self.queue()?;
        match self.kernels.known(kernel) {
            Some(function) => return Ok(function),
            None if guard.is_recorded => return Err(not_recorded("loading a kernel")),
            None => drop(guard),
        }
        // Other threads use the device while this one waits for the compiler.
        let code = self.kernels.code(&kernel.source, &self.architecture)?;
        let _guard = self.queue()?;
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
        let _guard = self.at_once("allocating memory")?;
        // SAFETY: the stream is the device's, whose context is current.
        unsafe { self.pool().allocate(bytes, self.stream.raw()) }
    }

    unsafe fn free(&self, address: Address, bytes: usize) {
        // A failure is ignored: a device that is lost cannot take memory back.
        let Ok(guard) = self.queue() else { return };
        if guard.is_recorded {
            return guard.set_aside(address, bytes);
        }
        // SAFETY: the caller's promise; the memory is freed behind the queued work.
        let _ = unsafe { sys::cuMemFreeAsync(address, self.stream.raw()) };
    }

    fn memory_use(&self) -> Result<MemoryUse, Error> {
        self.finish()?;
        self.pool().memory_use()
    }

    fn pinned(&self) -> &PinnedRanges {
        &self.pinned
    }

    fn lock(&self, pages: Range<usize>) -> Result<(), Error> {
        self.enter()?;
        stream::lock(pages)
    }

    fn unlock(&self, pages: Range<usize>) {
        // A device that is lost has nothing pinned.
        if self.enter().is_ok() {
            stream::unlock(pages);
        }
    }

    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error> {
        let _guard = self.at_once("a copy from the host")?;
        if self.pinned.contain(from) {
            // SAFETY: the caller has memory there.
            return unsafe { upload_pinned(&self.stream, from, to) };
        }
        // SAFETY: the caller has memory there.
        if from.len() > stream::SMALL && unsafe { self.staging.upload(&self.stream, from, to) }? {
            return Ok(());
        }
        // SAFETY: the caller has memory there. The call returns when pageable memory has been read.
        check(
            unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), self.stream.raw()) },
            "operands are copied",
        )
    }

    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error> {
        let _guard = self.at_once("a copy to the host")?;
        // SAFETY: the caller has memory there.
        if to.len() > stream::SMALL && unsafe { self.staging.download(&self.stream, from, to) }? {
            return Ok(());
        }
        // SAFETY: the caller has memory there, and this waits for the copy below.
        let status = unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), self.stream.raw()) };
        check(status, "results are copied")?;
        self.finish()
    }

    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error> {
        let _guard = self.queue()?;
        // SAFETY: the caller has memory at both addresses.
        check(unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream.raw()) }, "its memory is copied")
    }

    unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        let _guard = self.queue()?;
        // SAFETY: the caller has memory there.
        check(unsafe { sys::cuMemsetD8Async(at, 0, bytes, self.stream.raw()) }, "its memory is cleared")
    }

    fn finish(&self) -> Result<(), Error> {
        let _guard = self.at_once("waiting")?;
        // SAFETY: the stream is the device's.
        check(unsafe { sys::cuStreamSynchronize(self.stream.raw()) }, "its work is waited for")
    }

    fn prepare(&self, kernels: &[&Kernel]) -> Result<(), Error> {
        let new = kernels.iter().copied().filter(|kernel| self.kernels.known(kernel).is_none());
        let load = |kernel: &&Kernel| self.function(kernel).map(|_| ());
        // Each text is compiled once, for its first kernel. Its other kernels are loaded afterwards.
        let mut texts = HashSet::new();
        let (first, others): (Vec<&Kernel>, Vec<&Kernel>) = new.partition(|kernel| texts.insert(&kernel.source.name));
        // A thread that holds the stream lock alone must not start others, which would wait for it.
        if first.len() < 2 || self.queue()?.is_exclusive() {
            first.iter().try_for_each(load)?;
        } else {
            try_for_each(&first, load)?;
        }
        others.iter().try_for_each(load)
    }

    unsafe fn launch(&self, kernel: &Kernel, arguments: &[u64]) -> Result<(), Error> {
        let Function(function) = self.function(kernel)?;
        let _guard = self.queue()?;
        let mut values = arguments.to_vec();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        // SAFETY: the caller promises that the arguments are those of the text; the call copies them.
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
                self.stream.raw(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check(launched, "a kernel is launched")
    }

    fn gemm_library(&self) -> Option<&'static str> {
        self.blas.as_ref().map(|_| "cuBLAS")
    }

    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error> {
        let _guard = self.queue()?;
        let blas = self.blas.as_ref().expect("products are the library's where there is one");
        // SAFETY: the context is current; the rest is the caller's promise.
        unsafe { blas.multiply(product, factors, output) }
    }

    fn autotuner(&self) -> &Autotuner {
        &self.autotuner
    }

    fn is_worth_measuring(&self, points: u128) -> bool {
        points >= 1 << LOG2_MEASURED
    }

    fn timed(&self, _: Strategy, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        drop(self.at_once("a measurement")?);
        let _guard = self.stream_lock.lock_exclusive();
        let [start, end] = [Timer::new(&self.stream)?, Timer::new(&self.stream)?];
        // The first run loads kernels, and is not counted.
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

    fn linalg_library(&self) -> Option<&'static str> {
        self.solver.as_ref().map(|_| "cuSOLVER")
    }

    unsafe fn solve(&self, call: &Call) -> Result<(), Error> {
        // It allocates work space, which cannot be recorded.
        let _guard = self.at_once("linear algebra")?;
        let (solver, blas) =
            self.solver.as_ref().zip(self.blas.as_ref()).expect("linear algebra is the libraries' where there are both");
        // SAFETY: the context is current; the rest is the caller's promise.
        unsafe { solver.solve((blas, self.pool()), call) }
    }

    fn record(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Graph, Error> {
        // SAFETY: its owner has freed it.
        let free = |address, bytes| unsafe { self.free(address, bytes) };
        let recording = self.stream_lock.record(free);
        self.enter()?;
        let graph = Graph::of(self.primary.context, self.stream.raw(), work);
        recording.end(free)?;
        graph
    }

    unsafe fn replay(&self, graph: &Graph) -> Result<(), Error> {
        let _guard = self.at_once("a graph inside of a graph")?;
        // SAFETY: the context is current; the rest is the caller's promise.
        unsafe { graph.queue(self.stream.raw()) }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.enter().is_err() {
            // A device that is lost cannot free anything.
            std::mem::forget((self.solver.take(), self.blas.take()));
            return;
        }
        // Nothing else was made if there is no stream.
        if !self.stream.is_none() {
            // SAFETY: the only owner is being dropped. The queued work is waited for first.
            unsafe {
                let _ = sys::cuStreamSynchronize(self.stream.raw());
                self.staging.clear(&self.stream);
                // Libraries use the stream and have memory of their own, so they come first. Kernels are unloaded when the stream
                // is idle.
                self.solver = None;
                self.blas = None;
                self.kernels.clear();
                let _ = sys::cuStreamDestroy_v2(self.stream.raw());
            }
        }
    }
}
