//! Streams: work that is queued, done as late as it may be, or captured.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{c_uchar, c_uint, c_void};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use cudarc::driver::sys::{self, CUdeviceptr, CUgraph, CUresult, CUstream, CUstreamCaptureMode};

use crate::driver::current;
use crate::{export, forbidden, graphs, memory};

/// Something to be done, as often as is asked.
#[derive(Clone)]
pub(crate) struct Work {
    run: Arc<dyn Fn() -> Result<(), CUresult> + Send + Sync>,
    /// Memory of the host that it reads or writes.
    host: Option<Range<usize>>,
}

impl Work {
    pub(crate) fn new(run: impl Fn() -> Result<(), CUresult> + Send + Sync + 'static) -> Work {
        Work { run: Arc::new(run), host: None }
    }

    /// A copy between places that are there until it has been done.
    fn copy(from: usize, to: usize, bytes: usize, host: Option<usize>) -> Work {
        let run = move || {
            // SAFETY: memory of the device was found in the books, and what goes back goes behind this; the host's is watched.
            unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
            Ok(())
        };
        Work { run: Arc::new(run), host: host.map(|start| start..start + bytes) }
    }

    pub(crate) fn run(&self) -> Result<(), CUresult> {
        (self.run)()
    }
}

struct Stream {
    device: usize,
    waiting: VecDeque<Work>,
    /// How many were done.
    done: usize,
    /// Who captures, and what.
    capture: Option<(ThreadId, Vec<Work>)>,
}

struct Streams {
    there: BTreeMap<usize, Stream>,
    made: usize,
}

static STREAMS: Mutex<Streams> = Mutex::new(Streams { there: BTreeMap::new(), made: 0 });

fn all() -> MutexGuard<'static, Streams> {
    STREAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Streams {
    /// A stream of the calling thread's device.
    fn get(&mut self, stream: CUstream) -> &mut Stream {
        match self.there.get_mut(&(stream as usize)) {
            Some(found) if found.device == current() => found,
            Some(found) => forbidden!("a stream of device {} is used on device {}", found.device, current()),
            None => forbidden!("there is no stream {stream:?}"),
        }
    }
}

impl Stream {
    /// Does what was queued before a mark.
    fn catch_up(&mut self, mark: usize) -> Result<(), CUresult> {
        while self.done < mark
            && let Some(work) = self.waiting.pop_front()
        {
            self.done += 1;
            work.run()?;
        }
        Ok(())
    }
}

pub(crate) fn reset() {
    all().there.clear();
}

pub(crate) fn streams() -> usize {
    all().there.len()
}

/// Queues work, or captures it.
pub(crate) fn queue(stream: CUstream, work: Work) {
    let mut all = all();
    let stream = all.get(stream);
    match &mut stream.capture {
        Some((thread, _)) if *thread != std::thread::current().id() => {
            forbidden!("work of another thread than the one that captures")
        }
        Some((_, captured)) => captured.push(work),
        None => stream.waiting.push_back(work),
    }
}

/// A mark behind what is queued.
pub(crate) fn mark(stream: CUstream) -> usize {
    let mut all = all();
    let stream = all.get(stream);
    if stream.capture.is_some() {
        forbidden!("an event is recorded in a stream that captures");
    }
    stream.done + stream.waiting.len()
}

/// Does what was queued before a mark.
pub(crate) fn catch_up(stream: usize, mark: usize) -> Result<(), CUresult> {
    forbid_capture("cuEventSynchronize");
    match all().there.get_mut(&stream) {
        Some(stream) => stream.catch_up(mark),
        None => Ok(()),
    }
}

/// Ends the program where anything is queued on the thread's device.
pub(crate) fn forbid_queued(what: &str) {
    let device = current();
    if all().there.values().any(|stream| stream.device == device && !stream.waiting.is_empty()) {
        forbidden!("{what} while work is queued");
    }
}

/// Does all that is queued on the thread's device.
pub(crate) fn finish_all() -> Result<(), CUresult> {
    let device = current();
    all().there.values_mut().filter(|stream| stream.device == device).try_for_each(|stream| stream.catch_up(usize::MAX))
}

/// Ends the program where the thread captures: what it calls cannot be, and spoils the capture.
pub(crate) fn forbid_capture(what: &str) {
    let own = std::thread::current().id();
    if all().there.values().any(|stream| stream.capture.as_ref().is_some_and(|(thread, _)| *thread == own)) {
        forbidden!("{what} is called by a thread that captures");
    }
}

/// Ends what the thread captures, without a graph.
pub(crate) fn abandon() {
    let own = std::thread::current().id();
    for stream in all().there.values_mut() {
        stream.capture.take_if(|(thread, _)| *thread == own);
    }
}

/// Whether a stream captures.
pub(crate) fn is_captured(stream: CUstream) -> bool {
    all().get(stream).capture.is_some()
}

/// Ends the program where a stream captures.
pub(crate) fn forbid_captured(stream: CUstream, what: &str) {
    if is_captured(stream) {
        forbidden!("{what} in a stream that captures");
    }
}

/// Ends the program where queued work uses this memory of the host.
pub(crate) fn forbid_use(what: &str, memory: Range<usize>) {
    let uses = |work: &Work| work.host.as_ref().is_some_and(|host| host.start < memory.end && memory.start < host.end);
    if all().there.values().any(|stream| stream.waiting.iter().any(uses)) {
        forbidden!("{what} of memory that a queued copy uses");
    }
}

export! { sys;
    fn cuStreamCreate(stream: *mut CUstream, flags: c_uint) -> CUresult {
        if flags != sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32 {
            forbidden!("a stream that waits for those of other libraries");
        }
        let mut all = all();
        all.made += 1;
        let number = all.made;
        all.there.insert(number, Stream { device: current(), waiting: VecDeque::new(), done: 0, capture: None });
        *stream = number as CUstream;
        Ok(())
    }
    fn cuStreamDestroy_v2(stream: CUstream) -> CUresult {
        let mut all = all();
        // What is queued is done all the same.
        all.get(stream).catch_up(usize::MAX)?;
        all.there.remove(&(stream as usize));
        Ok(())
    }
    fn cuStreamSynchronize(stream: CUstream) -> CUresult {
        forbid_captured(stream, "cuStreamSynchronize");
        all().get(stream).catch_up(usize::MAX)
    }
    fn cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode) -> CUresult {
        if mode != CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL {
            forbidden!("a capture in {mode:?}");
        }
        let mut all = all();
        let found = all.get(stream);
        if found.capture.is_some() {
            forbidden!("a stream captures that captures already");
        }
        found.capture = Some((std::thread::current().id(), Vec::new()));
        Ok(())
    }
    fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph) -> CUresult {
        match all().get(stream).capture.take() {
            Some((thread, work)) if thread == std::thread::current().id() => *graph = graphs::captured(work),
            _ => forbidden!("a capture ends that this thread has not begun"),
        }
        Ok(())
    }
    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream) -> CUresult {
        memory::check("cuMemcpyHtoDAsync", to, bytes);
        let (start, end) = (from as usize, from as usize + bytes);
        if memory::is_pinned(start..end) {
            queue(stream, Work::copy(start, to as usize, bytes, Some(start)));
            return Ok(());
        }
        // Other memory has been read when the call returns.
        forbid_captured(stream, "a copy from pageable memory");
        let read: Vec<u8> = std::slice::from_raw_parts(from.cast::<u8>(), bytes).to_vec();
        queue(stream, Work::new(move || {
            std::ptr::copy_nonoverlapping(read.as_ptr(), to as *mut u8, read.len());
            Ok(())
        }));
        Ok(())
    }
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream) -> CUresult {
        memory::check("cuMemcpyDtoHAsync", from, bytes);
        let (start, end) = (to as usize, to as usize + bytes);
        let is_pinned = memory::is_pinned(start..end);
        queue(stream, Work::copy(from as usize, start, bytes, is_pinned.then_some(start)));
        // Other memory has been written when the call returns.
        if !is_pinned {
            forbid_captured(stream, "a copy to pageable memory");
            all().get(stream).catch_up(usize::MAX)?;
        }
        Ok(())
    }
    fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) -> CUresult {
        memory::check("cuMemcpyDtoDAsync", from, bytes);
        memory::check("cuMemcpyDtoDAsync", to, bytes);
        if from < to + bytes as u64 && to < from + bytes as u64 {
            forbidden!("cuMemcpyDtoDAsync between places that overlap");
        }
        queue(stream, Work::copy(from as usize, to as usize, bytes, None));
        Ok(())
    }
    fn cuMemsetD8Async(to: CUdeviceptr, byte: c_uchar, bytes: usize, stream: CUstream) -> CUresult {
        memory::check("cuMemsetD8Async", to, bytes);
        queue(stream, Work::new(move || {
            std::ptr::write_bytes(to as *mut u8, byte, bytes);
            Ok(())
        }));
        Ok(())
    }
}
