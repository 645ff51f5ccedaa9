//! Copies of the host's memory on the device: those that tensors have there already, and those that are made for one run.

use std::sync::Arc;

use super::driver::Driver;
use super::memory::Address;
use super::region::Region;
use tensorwrapper_core::backend::Copied;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::device_mirror;

/// Memory of the device with the same content as a part of the host's memory, or memory that a run needs for itself.
#[derive(Debug)]
pub(crate) struct DeviceCopy<D: Driver> {
    region: Arc<Region<D>>,
    /// Bytes of the region in front of it.
    before: usize,
    /// Whether it belongs to one run, which may write it.
    is_own: bool,
}

impl<D: Driver> DeviceCopy<D> {
    /// Memory that belongs to one run.
    pub(crate) fn own(region: Region<D>) -> DeviceCopy<D> {
        DeviceCopy { region: Arc::new(region), before: 0, is_own: true }
    }

    /// The copy of these bytes that a tensor has on the device, if it has one.
    pub(crate) fn held(driver: &Arc<D>, bytes: &[u8]) -> Option<DeviceCopy<D>> {
        let start = bytes.as_ptr() as usize;
        let (copy, before) = device_mirror::find(start..start + bytes.len())?;
        let region = Arc::clone(&copy.downcast_ref::<Copied>()?.memory).downcast::<Region<D>>().ok()?;
        // Another driver of the same device has a stream of its own, and could read before the copy is done.
        region.is_of(driver).then_some(DeviceCopy { region, before, is_own: false })
    }

    /// These bytes on the device. They are copied unless a tensor has them there.
    ///
    /// # Errors
    /// As [`Region::holding`].
    pub(crate) fn holding(driver: &Arc<D>, bytes: &[u8]) -> Result<DeviceCopy<D>, Error> {
        match DeviceCopy::held(driver, bytes) {
            Some(held) => Ok(held),
            None => Region::holding(driver, bytes).map(DeviceCopy::own),
        }
    }

    /// The same for several parts of the host's memory. A part that appears twice is copied once.
    ///
    /// # Errors
    /// As [`Region::holding`].
    pub(crate) fn all(driver: &Arc<D>, parts: &[&[u8]]) -> Result<Vec<DeviceCopy<D>>, Error> {
        let mut all: Vec<DeviceCopy<D>> = Vec::with_capacity(parts.len());
        for (n, bytes) in parts.iter().enumerate() {
            let known = parts[..n].iter().position(|other| std::ptr::eq(*other, *bytes));
            let copy = match known {
                Some(known) => {
                    let DeviceCopy { region, before, .. } = &all[known];
                    DeviceCopy { region: Arc::clone(region), before: *before, is_own: false }
                }
                None => DeviceCopy::holding(driver, bytes)?,
            };
            all.push(copy);
        }
        Ok(all)
    }

    /// Its address.
    pub(crate) fn address(&self) -> Address {
        self.region.address() + self.before as u64
    }

    /// The number of bytes from its address on.
    pub(crate) fn bytes(&self) -> usize {
        self.region.bytes() - self.before
    }

    /// Whether it belongs to one run, which may write it.
    pub(crate) fn is_own(&self) -> bool {
        self.is_own
    }

    /// Its memory, to be kept.
    pub(crate) fn region(&self) -> Arc<Region<D>> {
        Arc::clone(&self.region)
    }
}
