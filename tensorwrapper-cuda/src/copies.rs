//! What of the host's memory is on the device: a copy that a tensor has there already, or one for a single run.

use std::sync::Arc;

use super::driver::Driver;
use super::memory::Address;
use super::region::Region;
use tensorwrapper_core::backend::Copied;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::held;

/// Memory of the device that holds what a part of the host's does, or that a run needs for itself.
#[derive(Debug)]
pub(super) struct DeviceCopy<D: Driver> {
    region: Arc<Region<D>>,
    /// Bytes of the region that lie before it.
    before: usize,
    /// Whether it is a run's own: nobody else reads it, so that it may be written.
    is_own: bool,
}

impl<D: Driver> DeviceCopy<D> {
    /// Memory that a run needs for itself.
    pub(super) fn own(region: Region<D>) -> DeviceCopy<D> {
        DeviceCopy { region: Arc::new(region), before: 0, is_own: true }
    }

    /// The copy of the host's bytes that a tensor has on the device, if it has one.
    pub(super) fn held(driver: &Arc<D>, bytes: &[u8]) -> Option<DeviceCopy<D>> {
        let start = bytes.as_ptr() as usize;
        let (copy, before) = held::find(start..start + bytes.len())?;
        let region = Arc::clone(&copy.downcast_ref::<Copied>()?.memory).downcast::<Region<D>>().ok()?;
        // Another driver of the same device queues its work elsewhere, and would read before the copy is there.
        region.is_of(driver).then_some(DeviceCopy { region, before, is_own: false })
    }

    /// The host's bytes on the device; they are copied unless they are there.
    ///
    /// # Errors
    /// As [`Region::holding`].
    pub(super) fn holding(driver: &Arc<D>, bytes: &[u8]) -> Result<DeviceCopy<D>, Error> {
        match DeviceCopy::held(driver, bytes) {
            Some(held) => Ok(held),
            None => Region::holding(driver, bytes).map(DeviceCopy::own),
        }
    }

    /// The same of several parts of the host's memory; one that is there twice is copied once.
    ///
    /// # Errors
    /// As [`Region::holding`].
    pub(super) fn all(driver: &Arc<D>, parts: &[&[u8]]) -> Result<Vec<DeviceCopy<D>>, Error> {
        let mut all: Vec<DeviceCopy<D>> = Vec::with_capacity(parts.len());
        for (n, bytes) in parts.iter().enumerate() {
            let known = parts[..n].iter().position(|other| std::ptr::eq(*other, *bytes));
            let there = match known {
                Some(known) => {
                    let DeviceCopy { region, before, .. } = &all[known];
                    DeviceCopy { region: Arc::clone(region), before: *before, is_own: false }
                }
                None => DeviceCopy::holding(driver, bytes)?,
            };
            all.push(there);
        }
        Ok(all)
    }

    /// Where it begins.
    pub(super) fn address(&self) -> Address {
        self.region.address() + self.before as u64
    }

    /// How many bytes there are from there on.
    pub(super) fn bytes(&self) -> usize {
        self.region.bytes() - self.before
    }

    /// Whether it is a run's own, so that it may be written.
    pub(super) fn is_own(&self) -> bool {
        self.is_own
    }

    /// The memory, for whoever wants to keep it.
    pub(super) fn region(&self) -> Arc<Region<D>> {
        Arc::clone(&self.region)
    }
}
