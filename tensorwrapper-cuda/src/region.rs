//! Memory of a device that is freed when its owner is dropped.

use std::sync::Arc;

use super::driver::Driver;
use super::memory::Address;
use tensorwrapper_core::error::Error;

/// Memory of a device, which is freed on drop.
#[derive(Debug)]
pub(crate) struct Region<D: Driver> {
    driver: Arc<D>,
    address: Address,
    bytes: usize,
}

impl<D: Driver> Region<D> {
    /// Allocates this many bytes, at least one.
    ///
    /// # Errors
    /// As [`Driver::allocate`].
    pub(crate) fn new(driver: &Arc<D>, bytes: usize) -> Result<Region<D>, Error> {
        let bytes = bytes.max(1);
        Ok(Region { driver: driver.clone(), address: driver.allocate(bytes)?, bytes })
    }

    /// Allocates memory and copies these bytes to it.
    ///
    /// # Errors
    /// As [`Driver::allocate`] and [`Driver::upload`].
    pub(crate) fn holding(driver: &Arc<D>, bytes: &[u8]) -> Result<Region<D>, Error> {
        let region = Region::new(driver, bytes.len())?;
        if !bytes.is_empty() {
            // SAFETY: the region was just allocated for all of these bytes.
            unsafe { driver.upload(bytes, region.address) }?;
        }
        Ok(region)
    }

    /// Copies its first bytes to the host.
    ///
    /// # Errors
    /// As [`Driver::download`].
    ///
    /// # Panics
    /// When the region is smaller.
    pub(crate) fn read(&self, to: &mut [u8]) -> Result<(), Error> {
        assert!(to.len() <= self.bytes, "no more is read than the region has");
        // SAFETY: the size was just compared.
        unsafe { self.driver.download(self.address, to) }
    }

    /// Whether it belongs to this driver.
    pub(crate) fn is_of(&self, driver: &Arc<D>) -> bool {
        Arc::ptr_eq(&self.driver, driver)
    }

    /// Its address.
    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// Its size.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<D: Driver> Drop for Region<D> {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this many bytes, and its only owner is being dropped.
        unsafe { self.driver.free(self.address, self.bytes) }
    }
}
