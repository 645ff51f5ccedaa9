//! Pages of tensors on the host that are pinned: a device copies from them directly, without a buffer in between.
//!
//! The elements of such a tensor lie in pages of their own (`storage/owned/pages.rs` of the core), registered with the driver
//! as long as the memory neither moves nor is released, so no owner of elements has to know another allocator.

use std::ops::Range;
use std::sync::Arc;

use super::driver::Driver;
use tensorwrapper_core::error::Error;

/// Pages that are pinned until this is dropped.
#[derive(Debug)]
pub(crate) struct PinnedPages<D: Driver> {
    driver: Arc<D>,
    pages: Range<usize>,
}

impl<D: Driver> PinnedPages<D> {
    /// Pins pages.
    ///
    /// # Errors
    /// As [`Driver::lock`].
    pub(crate) fn new(driver: &Arc<D>, pages: Range<usize>) -> Result<PinnedPages<D>, Error> {
        if !pages.is_empty() {
            driver.lock(pages.clone())?;
            driver.pinned().insert(&pages);
        }
        Ok(PinnedPages { driver: driver.clone(), pages })
    }
}

impl<D: Driver> Drop for PinnedPages<D> {
    fn drop(&mut self) {
        if !self.pages.is_empty() {
            self.driver.pinned().remove(&self.pages);
            self.driver.unlock(self.pages.clone());
        }
    }
}
