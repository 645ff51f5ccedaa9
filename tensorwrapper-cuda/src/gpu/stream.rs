//! The stream of a device: copies from and to pinned memory, and events, which mark positions and measure times.

use std::ffi::c_void;
use std::ops::Range;

use cudarc::driver::sys;

use super::status::check;
use crate::memory::Address;
use crate::staging::Pinning;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The size and the number of pinned pieces. Copying one takes longer than queueing it, and the host fills one while the device
/// reads another.
pub(super) const PIECES: (usize, usize) = (4 << 20, 4);
/// Up to this many bytes, the driver copies pageable memory to a buffer of its own before the call returns.
pub(super) const SMALL: usize = 64 << 10;

/// The one stream of a device. Its owner destroys it, when all queued work is done.
#[derive(Debug)]
pub(super) struct Stream(sys::CUstream);

impl Stream {
    /// A new stream of the current context.
    ///
    /// # Errors
    /// When the device refuses it.
    pub(super) fn new() -> Result<Stream, Error> {
        let mut stream = std::ptr::null_mut();
        // SAFETY: the stream is written.
        let made = unsafe { sys::cuStreamCreate(&raw mut stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32) };
        check(made, "a stream is made").map(|()| Stream(stream))
    }

    /// No stream.
    pub(super) fn none() -> Stream {
        Stream(std::ptr::null_mut())
    }

    /// Whether there is no stream.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_null()
    }

    /// The handle of the driver.
    pub(super) fn raw(&self) -> sys::CUstream {
        self.0
    }
}

/// An event that marks a position in the stream.
#[derive(Debug)]
pub(super) struct Event(sys::CUevent);

// SAFETY: events of CUDA may be used from any thread.
unsafe impl Send for Event {}

impl Pinning for Stream {
    type Mark = Event;

    fn pin(&self, bytes: usize) -> Result<*mut u8, Error> {
        let mut start = std::ptr::null_mut();
        // SAFETY: the context is current, and the address is written. The memory is not write-combined, because the host reads
        // results there.
        check(unsafe { sys::cuMemHostAlloc(&raw mut start, bytes, 0) }, "memory is pinned").map(|()| start.cast())
    }

    unsafe fn unpin(&self, start: *mut u8, _: usize) {
        // SAFETY: the caller's promise. A failure is ignored: a device that is lost cannot free anything.
        let _ = unsafe { sys::cuMemFreeHost(start.cast()) };
    }

    unsafe fn push(&self, from: *const u8, to: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        check(unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.cast(), bytes, self.0) }, "operands are copied")
    }

    unsafe fn pull(&self, from: Address, to: *mut u8, bytes: usize) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        check(unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), from, bytes, self.0) }, "results are copied")
    }

    fn marker(&self) -> Result<Event, Error> {
        let mut event = std::ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the context is current, and the event is written.
        check(unsafe { sys::cuEventCreate(&raw mut event, flags) }, "an event is made").map(|()| Event(event))
    }

    fn mark(&self, event: &mut Event) -> Result<(), Error> {
        // SAFETY: event and stream belong to the same device.
        check(unsafe { sys::cuEventRecord(event.0, self.0) }, "an event is recorded")
    }

    fn wait(&self, event: &Event) -> Result<(), Error> {
        // SAFETY: the event is valid; one that was never recorded returns at once.
        check(unsafe { sys::cuEventSynchronize(event.0) }, "its work is waited for")
    }

    fn unmark(&self, event: Event) {
        // SAFETY: the only owner is being dropped.
        let _ = unsafe { sys::cuEventDestroy_v2(event.0) };
    }

    fn settle(&self) -> Result<(), Error> {
        // SAFETY: the stream is valid.
        check(unsafe { sys::cuStreamSynchronize(self.0) }, "copies are waited for")
    }
}

/// Pins pages for the current context.
///
/// # Errors
/// Where the system refuses.
pub(super) fn lock(pages: Range<usize>) -> Result<(), Error> {
    // SAFETY: the pages belong to one tensor, and are unpinned before they are freed.
    check(unsafe { sys::cuMemHostRegister_v2(pages.start as *mut c_void, pages.len(), 0) }, "memory is pinned")
}

/// Unpins pages.
pub(super) fn unlock(pages: Range<usize>) {
    // SAFETY: they were pinned, and copies from them were waited for. A failure is ignored: a device that is lost has nothing
    // pinned.
    let _ = unsafe { sys::cuMemHostUnregister(pages.start as *mut c_void) };
}

/// The type of the function that gives the milliseconds between two events.
type Elapsed = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> sys::CUresult;

/// The driver's function for the time between events. The bindings know only its name since CUDA 12.8; older drivers have it
/// under the old name, with the same arguments.
fn elapsed() -> Result<Elapsed, Error> {
    // SAFETY: the driver is open, and functions under both names have this type.
    let find = |name: &str| unsafe { sys::culib().get::<Elapsed>(name.as_bytes()) }.map(|found| *found);
    find("cuEventElapsedTime_v2").or_else(|_| find("cuEventElapsedTime")).map_err(|error| {
        let what = format!("the driver has no function for the time between events: {error}");
        Error::new(ErrorKind::Device(what))
    })
}

/// An event that measures times.
pub(super) struct Timer<'s>(sys::CUevent, &'s Stream);

impl Timer<'_> {
    pub(super) fn new(stream: &Stream) -> Result<Timer<'_>, Error> {
        let mut event = std::ptr::null_mut();
        // SAFETY: the context is current, and the event is written.
        check(unsafe { sys::cuEventCreate(&raw mut event, 0) }, "an event is made").map(|()| Timer(event, stream))
    }

    /// Places it behind the queued work.
    pub(super) fn record(&self) -> Result<(), Error> {
        // SAFETY: event and stream belong to the same device.
        check(unsafe { sys::cuEventRecord(self.0, self.1.0) }, "an event is recorded")
    }

    /// The seconds from another event to this one, once the stream has reached both.
    pub(super) fn since(&self, start: &Timer<'_>) -> Result<f64, Error> {
        let mut milliseconds = 0.0;
        // SAFETY: both events were recorded; the number is written.
        unsafe {
            check(sys::cuEventSynchronize(self.0), "its work is waited for")?;
            check(elapsed()?(&raw mut milliseconds, start.0, self.0), "its time is asked for")?;
        }
        Ok(f64::from(milliseconds) / 1e3)
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        // SAFETY: the only owner is being dropped.
        let _ = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
