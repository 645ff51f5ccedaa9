//! Work of a stream, captured as a CUDA graph, which one call queues as often as is asked.

use cudarc::driver::sys;

use super::status::check;
use tensorwrapper_core::error::{Error, ErrorKind};

/// A graph that is ready to run.
#[derive(Debug)]
pub(super) struct Graph {
    context: sys::CUcontext,
    ready: sys::CUgraphExec,
}

// SAFETY: a graph is used from any thread; who queues it holds the session that it belongs to, so that it is one at a time.
unsafe impl Send for Graph {}
// SAFETY: as above; a shared one can only be queued, and what queues it is asked through a session that is borrowed alone.
unsafe impl Sync for Graph {}

/// A stream that captures what is queued in it, until it is told to stop, also by a panic.
struct Capture(sys::CUstream);

/// What was captured, which is not ready to run.
struct Captured(sys::CUgraph);

/// As [`check`]; graphs take memory, and nobody says how much.
fn checked(result: sys::CUresult, what: &str) -> Result<(), Error> {
    match result {
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(Error::new(ErrorKind::Memory { bytes: 0 })),
        other => check(other, what),
    }
}

impl Capture {
    fn begin(stream: sys::CUstream) -> Result<Capture, Error> {
        // Other threads may do with other streams what they like.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is the device's, and nobody else queues in it now.
        check(unsafe { sys::cuStreamBeginCapture_v2(stream, mode) }, "a capture begins")?;
        Ok(Capture(stream))
    }

    fn end(self) -> Result<Captured, Error> {
        let stream = self.0;
        std::mem::forget(self);
        let mut graph = std::ptr::null_mut();
        // SAFETY: the stream is capturing, and the graph is written.
        let ended = unsafe { sys::cuStreamEndCapture(stream, &raw mut graph) };
        // A capture that something has spoiled leaves no graph.
        let captured = Captured(graph);
        check(ended, "a capture ends").map(|()| captured)
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let mut graph = std::ptr::null_mut();
        // SAFETY: as for `end`. That it was spoiled is no news here.
        let _ = unsafe { sys::cuStreamEndCapture(self.0, &raw mut graph) };
        drop(Captured(graph));
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the only owner is going.
            let _ = unsafe { sys::cuGraphDestroy(self.0) };
        }
    }
}

impl Graph {
    /// What `work` queues in this stream, in which nobody else queues meanwhile. The context is the calling thread's.
    ///
    /// # Errors
    /// What `work` reports, and where the driver cannot capture or instantiate it.
    pub(super) fn of(
        context: sys::CUcontext,
        stream: sys::CUstream,
        work: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Graph, Error> {
        let capture = Capture::begin(stream)?;
        work()?;
        let captured = capture.end()?;
        let mut ready = std::ptr::null_mut();
        // SAFETY: the graph is one, and what is made of it is written; it needs the graph no more then.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut ready, captured.0, 0) };
        checked(made, "a graph is instantiated")?;
        Ok(Graph { context, ready })
    }

    /// Queues it.
    ///
    /// # Errors
    /// When the driver refuses it.
    ///
    /// # Safety
    /// The context is the calling thread's, the stream is of it, and all memory that was captured is still there.
    pub(super) unsafe fn queue(&self, stream: sys::CUstream) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        checked(unsafe { sys::cuGraphLaunch(self.ready, stream) }, "a graph is launched")
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the only owner is going; the driver keeps what still runs until it is done.
        unsafe {
            let _ = sys::cuCtxSetCurrent(self.context);
            let _ = sys::cuGraphExecDestroy(self.ready);
        }
    }
}
