//! One GPU as a driver: all that it is asked for, queued in its one stream.

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
use tensorwrapper_core::backend::Taken;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Products over at least 2 to the power of this many points are measured: below, a launch takes longer than the work.
const MEASURED: u32 = 21;
/// Runs of each strategy, of which the quickest counts.
const RUNS: usize = 4;

/// A GPU.
#[derive(Debug)]
pub(super) struct Gpu {
    ordinal: usize,
    opening: usize,
    stream: Stream,
    /// Such as `sm_90a`.
    architecture: String,
    /// Products of matrices, where the library for them was found.
    blas: Option<Blas>,
    /// Linear algebra, where the library for it was found.
    solver: Option<Solver>,
    autotuner: Autotuner,
    pinned: PinnedRanges,
    kernels: Kernels,
    stream_lock: StreamLock,
    staging: Staging<Event>,
    /// DeviceCopy as soon as the device is entered.
    pool: Option<Pool>,
    /// Goes last, because all else was made in it.
    primary: Primary,
}

// SAFETY: contexts and streams of CUDA may be used from any thread; the only changing state is behind locks.
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
            // Its batches of small matrices are the other library's.
            if NvidiaLibrary::Cusolver.open().is_ok() {
                gpu.solver = Some(Solver::new(gpu.stream.raw())?);
            }
        }
        gpu.autotuner = Autotuner::new(disk_cache::file(&format!("ways-{}", described(device, gpu.blas.as_ref())?)));
        Ok(gpu)
    }

    /// Whether it is the device of that number.
    pub(super) fn is_number(&self, ordinal: usize) -> bool {
        self.ordinal == ordinal
    }

    /// Makes the device the calling thread's.
    fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context is held by this value.
        check(unsafe { sys::cuCtxSetCurrent(self.primary.context) }, "a thread stream_lock to it")
    }

    fn pool(&self) -> &Pool {
        self.pool.as_ref().expect("a device that is open has a pool")
    }

    /// Waits until this thread may queue work, which may be recorded.
    fn queue(&self) -> Result<QueueGuard<'_>, Error> {
        let guard = self.stream_lock.lock();
        self.enter().map(|()| guard)
    }

    /// The same for what cannot be recorded.
    fn at_once(&self, what: &str) -> Result<QueueGuard<'_>, Error> {
        let guard = self.queue()?;
        if guard.is_recorded { Err(not_recorded(what)) } else { Ok(guard) }
    }

    /// The kernel, compiled, read from disk or known already.
    fn function(&self, kernel: &Kernel) -> Result<Function, Error> {
        // Before all locks, which a thread whose work is recorded takes, too.
        let guard = self.queue()?;
        match self.kernels.known(kernel) {
            Some(function) => return Ok(function),
            None if guard.is_recorded => return Err(not_recorded("loading a kernel")),
            None => drop(guard),
        }
        // Others have the device while this waits for the compiler.
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
        // SAFETY: the stream is the device's, which has just become the thread's.
        unsafe { self.pool().allocate(bytes, self.stream.raw()) }
    }

    unsafe fn free(&self, address: Address, bytes: usize) {
        // A device that is lost has no memory to take back, so that nothing is made of a failure.
        let Ok(guard) = self.queue() else { return };
        if guard.is_recorded {
            return guard.set_aside(address, bytes);
        }
        // SAFETY: the caller's promise; what is queued comes first.
        let _ = unsafe { sys::cuMemFreeAsync(address, self.stream.raw()) };
    }

    fn taken(&self) -> Result<Taken, Error> {
        self.finish()?;
        self.pool().taken()
    }

    fn pinned(&self) -> &PinnedRanges {
        &self.pinned
    }

    fn lock(&self, pages: Range<usize>) -> Result<(), Error> {
        self.enter()?;
        stream::lock(pages)
    }

    fn unlock(&self, pages: Range<usize>) {
        // A device that is lost has nothing to take back.
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
        // SAFETY: the caller has memory there. Pageable memory has been read when the call returns.
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
        // SAFETY: the caller has memory there, and the copy is done before anybody reads it.
        check(
            unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), self.stream.raw()) },
            "results are copied",
        )?;
        self.finish()
    }

    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error> {
        let _guard = self.queue()?;
        // SAFETY: the caller has memory at both.
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
        // A text is compiled once; its other kernels are in it.
        let mut texts = HashSet::new();
        let (first, others): (Vec<&Kernel>, Vec<&Kernel>) = new.partition(|kernel| texts.insert(&kernel.source.name));
        // Threads that are started here would wait for the one that is alone, which waits for them.
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
        // SAFETY: the device has just become the thread's; the rest is the caller's promise.
        unsafe { blas.multiply(product, factors, output) }
    }

    fn autotuner(&self) -> &Autotuner {
        &self.autotuner
    }

    fn is_worth_measuring(&self, points: u128) -> bool {
        points >= 1 << MEASURED
    }

    fn timed(&self, _: Strategy, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
        drop(self.at_once("a measurement")?);
        let _guard = self.stream_lock.lock_exclusive();
        let [start, end] = [Timer::new(&self.stream)?, Timer::new(&self.stream)?];
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

    fn linalg_library(&self) -> Option<&'static str> {
        self.solver.as_ref().map(|_| "cuSOLVER")
    }

    unsafe fn solve(&self, call: &Call) -> Result<(), Error> {
        // Work space is allocated, which cannot be recorded.
        let _guard = self.at_once("linear algebra")?;
        let (solver, blas) =
            self.solver.as_ref().zip(self.blas.as_ref()).expect("linear algebra is the libraries' where there are both");
        // SAFETY: the device has just become the thread's; the rest is the caller's promise.
        unsafe { solver.solve((blas, self.pool()), call) }
    }

    fn record(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Graph, Error> {
        // SAFETY: whoever gave it back uses it no more.
        let free = |address, bytes| unsafe { self.free(address, bytes) };
        let recording = self.stream_lock.record(free);
        self.enter()?;
        let graph = Graph::of(self.primary.context, self.stream.raw(), work);
        recording.end(free)?;
        graph
    }

    unsafe fn replay(&self, graph: &Graph) -> Result<(), Error> {
        let _guard = self.at_once("a graph inside of a graph")?;
        // SAFETY: the device is the thread's; the rest is the caller's promise.
        unsafe { graph.queue(self.stream.raw()) }
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
        if !self.stream.is_none() {
            // SAFETY: the only owner is going. What is queued is waited for first.
            unsafe {
                let _ = sys::cuStreamSynchronize(self.stream.raw());
                self.staging.clear(&self.stream);
                // Libraries use the stream, and have memory; a kernel may be on its strategy until the stream is done.
                self.solver = None;
                self.blas = None;
                self.kernels.clear();
                let _ = sys::cuStreamDestroy_v2(self.stream.raw());
            }
        }
    }
}
