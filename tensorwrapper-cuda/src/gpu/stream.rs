//! The stream that everything is queued in: copies from and to pinned memory, and events, as marks in it and to measure times.

use std::ffi::c_void;
use std::ops::Range;

use cudarc::driver::sys;

use super::status::check;
use crate::memory::Address;
use crate::staging::Pinning;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Bytes of a piece, and how many of them there are: what one copies takes longer than queueing it, and the host fills one
/// while the device reads another.
pub(super) const PIECES: (usize, usize) = (4 << 20, 4);
/// Up to so many bytes the driver copies from any memory to its own before the call returns.
pub(super) const SMALL: usize = 64 << 10;

/// The one stream of a device. Who makes it gives it back, after all that is queued in it.
#[derive(Debug)]
pub(super) struct Stream(sys::CUstream);

impl Stream {
    /// A new one of the calling thread's device.
    ///
    /// # Errors
    /// When the device refuses it.
    pub(super) fn new() -> Result<Stream, Error> {
        let mut stream = std::ptr::null_mut();
        // SAFETY: the stream is written.
        let made = unsafe { sys::cuStreamCreate(&raw mut stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32) };
        check(made, "a stream is made").map(|()| Stream(stream))
    }

    /// None yet.
    pub(super) fn none() -> Stream {
        Stream(std::ptr::null_mut())
    }

    /// Whether none was made.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_null()
    }

    /// As the driver knows it.
    pub(super) fn raw(&self) -> sys::CUstream {
        self.0
    }
}

/// A mark in the stream.
#[derive(Debug)]
pub(super) struct Event(sys::CUevent);

// SAFETY: events of CUDA may be used from any thread.
unsafe impl Send for Event {}

impl Pinning for Stream {
    type Mark = Event;

    fn pin(&self, bytes: usize) -> Result<*mut u8, Error> {
        let mut start = std::ptr::null_mut();
        // SAFETY: the device is the thread's, and the address is written. Not write-combined: the host reads results there.
        check(unsafe { sys::cuMemHostAlloc(&raw mut start, bytes, 0) }, "memory is pinned").map(|()| start.cast())
    }

    unsafe fn unpin(&self, start: *mut u8, _: usize) {
        // SAFETY: the caller's promise. A device that is lost has nothing to take back.
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
        // SAFETY: the device is the thread's, and the event is written.
        check(unsafe { sys::cuEventCreate(&raw mut event, flags) }, "an event is made").map(|()| Event(event))
    }

    fn mark(&self, event: &mut Event) -> Result<(), Error> {
        // SAFETY: event and stream are the device's.
        check(unsafe { sys::cuEventRecord(event.0, self.0) }, "an event is recorded")
    }

    fn wait(&self, event: &Event) -> Result<(), Error> {
        // SAFETY: the event is one; one that was never recorded is not waited for.
        check(unsafe { sys::cuEventSynchronize(event.0) }, "its work is waited for")
    }

    fn unmark(&self, event: Event) {
        // SAFETY: the only owner is going.
        let _ = unsafe { sys::cuEventDestroy_v2(event.0) };
    }

    fn settle(&self) -> Result<(), Error> {
        // SAFETY: the stream is the device's.
        check(unsafe { sys::cuStreamSynchronize(self.0) }, "copies are waited for")
    }
}

/// Has the system keep pages where they are, for the thread's device.
pub(super) fn lock(pages: Range<usize>) -> Result<(), Error> {
    // SAFETY: the pages are a tensor's own, and are let go before they are given back.
    check(unsafe { sys::cuMemHostRegister_v2(pages.start as *mut c_void, pages.len(), 0) }, "memory is pinned")
}

/// Lets it move them again.
pub(super) fn unlock(pages: Range<usize>) {
    // SAFETY: they were pinned, and copies from them were waited for. A device that is lost has nothing to take back.
    let _ = unsafe { sys::cuMemHostUnregister(pages.start as *mut c_void) };
}

/// Milliseconds from one event to another.
type Elapsed = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> sys::CUresult;

/// The driver's function for the time between events. The bindings know its name since CUDA 12.8 alone; older drivers have the older one,
/// with the same arguments.
fn elapsed() -> Result<Elapsed, Error> {
    // SAFETY: the driver is open, and has functions of this type under both names.
    let find = |name: &str| unsafe { sys::culib().get::<Elapsed>(name.as_bytes()) }.map(|found| *found);
    find("cuEventElapsedTime_v2").or_else(|_| find("cuEventElapsedTime")).map_err(|error| {
        let what = format!("the driver has no function for the time between events: {error}");
        Error::new(ErrorKind::Device(what))
    })
}

/// A point of the stream's time.
pub(super) struct Timer<'s>(sys::CUevent, &'s Stream);

impl Timer<'_> {
    pub(super) fn new(stream: &Stream) -> Result<Timer<'_>, Error> {
        let mut event = std::ptr::null_mut();
        // SAFETY: the device is the thread's, and the event is written.
        check(unsafe { sys::cuEventCreate(&raw mut event, 0) }, "an event is made").map(|()| Timer(event, stream))
    }

    /// It is now, behind what is queued.
    pub(super) fn record(&self) -> Result<(), Error> {
        // SAFETY: event and stream are the device's.
        check(unsafe { sys::cuEventRecord(self.0, self.1.0) }, "an event is recorded")
    }

    /// Seconds from another point to this, once both have come.
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
        // SAFETY: the only owner is going.
        let _ = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
