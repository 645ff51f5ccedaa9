//! Tensors' memory on the host that the system never moves, which a device copies from by itself: no piece of its own pinned memory lies
//! between.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::driver::{Address, Driver};
use super::staging::Pinning;
use tensorwrapper_core::error::Error;

/// Which pages are pinned for a device: their ends by their beginnings.
#[derive(Debug, Default)]
pub(super) struct Pinned(Mutex<BTreeMap<usize, usize>>);

impl Pinned {
    /// Whether all of these bytes are.
    pub(super) fn have(&self, bytes: &[u8]) -> bool {
        let start = bytes.as_ptr() as usize;
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !bytes.is_empty() && pages.range(..=start).next_back().is_some_and(|(_, &end)| start + bytes.len() <= end)
    }
}

/// Copies pinned bytes to a device, and waits until it has read them: their tensor may be written then.
///
/// # Errors
/// When the device is lost.
///
/// # Safety
/// The device has memory for all bytes from the address on, and they are pinned.
pub(super) unsafe fn upload(device: &impl Pinning, from: &[u8], to: Address) -> Result<(), Error> {
    let mut mark = device.marker()?;
    // SAFETY: the caller's promise; the copy is waited for.
    let copied = unsafe { device.push(from.as_ptr(), to, from.len()) };
    let done = copied.and_then(|()| device.mark(&mut mark)).and_then(|()| device.wait(&mark));
    device.unmark(mark);
    // It may be queued all the same.
    done.inspect_err(|_| {
        let _ = device.settle();
    })
}

/// Pages that are pinned as long as this lives.
#[derive(Debug)]
pub(super) struct Pages<D: Driver> {
    driver: Arc<D>,
    pages: Range<usize>,
}

impl<D: Driver> Pages<D> {
    /// # Errors
    /// As [`Driver::lock`].
    pub(super) fn new(driver: &Arc<D>, pages: Range<usize>) -> Result<Pages<D>, Error> {
        if !pages.is_empty() {
            driver.lock(pages.clone())?;
            driver.pinned().0.lock().unwrap_or_else(PoisonError::into_inner).insert(pages.start, pages.end);
        }
        Ok(Pages { driver: driver.clone(), pages })
    }
}

impl<D: Driver> Drop for Pages<D> {
    fn drop(&mut self) {
        if !self.pages.is_empty() {
            self.driver.pinned().0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.pages.start);
            self.driver.unlock(self.pages.clone());
        }
    }
}
