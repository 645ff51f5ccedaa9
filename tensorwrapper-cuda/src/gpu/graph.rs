//! Work of a stream, captured as a CUDA graph, which one call can queue any number of times.

use cudarc::driver::sys;

use super::status::check;
use tensorwrapper_core::error::{Error, ErrorKind};

/// An instantiated graph.
#[derive(Debug)]
pub(super) struct Graph {
    context: sys::CUcontext,
    instance: sys::CUgraphExec,
}

// SAFETY: a graph may be used from any thread, by one at a time: whoever queues it has the only reference to its session.
unsafe impl Send for Graph {}
// SAFETY: as above; the only shared operation queues it, which needs a mutable reference to its session.
unsafe impl Sync for Graph {}

/// A stream that captures what is queued in it. The capture ends when this is dropped, also by a panic.
struct Capture(sys::CUstream);

/// A captured graph that is not instantiated yet.
struct Captured(sys::CUgraph);

/// As [`check`], for calls that may run out of memory. How much they need is not known.
fn checked(result: sys::CUresult, what: &str) -> Result<(), Error> {
    match result {
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(Error::new(ErrorKind::Memory { bytes: 0 })),
        other => check(other, what),
    }
}

impl Capture {
    fn begin(stream: sys::CUstream) -> Result<Capture, Error> {
        // Other threads may use other streams without restrictions.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is the device's, and no other thread queues in it now.
        check(unsafe { sys::cuStreamBeginCapture_v2(stream, mode) }, "a capture begins")?;
        Ok(Capture(stream))
    }

    fn end(self) -> Result<Captured, Error> {
        let stream = self.0;
        std::mem::forget(self);
        let mut graph = std::ptr::null_mut();
        // SAFETY: the stream is capturing, and the graph is written.
        let ended = unsafe { sys::cuStreamEndCapture(stream, &raw mut graph) };
        // A capture that was invalidated leaves no graph.
        let captured = Captured(graph);
        check(ended, "a capture ends").map(|()| captured)
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let mut graph = std::ptr::null_mut();
        // SAFETY: as for `end`. Whether it was invalidated does not matter here.
        let _ = unsafe { sys::cuStreamEndCapture(self.0, &raw mut graph) };
        drop(Captured(graph));
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the only owner is being dropped.
            let _ = unsafe { sys::cuGraphDestroy(self.0) };
        }
    }
}

impl Graph {
    /// Captures what `work` queues in this stream. The context is current, and no other thread queues in the stream.
    ///
    /// # Errors
    /// Those of `work`, and where the driver cannot capture or instantiate it.
    pub(super) fn of(
        context: sys::CUcontext,
        stream: sys::CUstream,
        work: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Graph, Error> {
        let capture = Capture::begin(stream)?;
        work()?;
        let captured = capture.end()?;
        let mut instance = std::ptr::null_mut();
        // SAFETY: the captured graph is valid, and the instance is written, which does not need the captured graph afterwards.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut instance, captured.0, 0) };
        checked(made, "a graph is instantiated")?;
        Ok(Graph { context, instance })
    }

    /// Queues it.
    ///
    /// # Errors
    /// When the driver refuses it.
    ///
    /// # Safety
    /// The context is current, the stream belongs to it, and all memory that the graph uses is still allocated.
    pub(super) unsafe fn queue(&self, stream: sys::CUstream) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        checked(unsafe { sys::cuGraphLaunch(self.instance, stream) }, "a graph is launched")
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the only owner is being dropped; the driver keeps a running graph until it is done.
        unsafe {
            let _ = sys::cuCtxSetCurrent(self.context);
            let _ = sys::cuGraphExecDestroy(self.instance);
        }
    }
}
