//! Memory of the device that is given back when its owner is dropped.

use std::sync::Arc;

use super::driver::Driver;
use super::memory::Address;
use tensorwrapper_core::error::Error;

/// Memory of a device that goes back to it.
#[derive(Debug)]
pub(super) struct Region<D: Driver> {
    driver: Arc<D>,
    address: Address,
    bytes: usize,
}

impl<D: Driver> Region<D> {
    /// Memory for so many bytes.
    ///
    /// # Errors
    /// As [`Driver::allocate`].
    pub(super) fn new(driver: &Arc<D>, bytes: usize) -> Result<Region<D>, Error> {
        let bytes = bytes.max(1);
        Ok(Region { driver: driver.clone(), address: driver.allocate(bytes)?, bytes })
    }

    /// The same with a copy of these bytes.
    ///
    /// # Errors
    /// As [`Driver::allocate`] and [`Driver::upload`].
    pub(super) fn holding(driver: &Arc<D>, bytes: &[u8]) -> Result<Region<D>, Error> {
        let region = Region::new(driver, bytes.len())?;
        if !bytes.is_empty() {
            // SAFETY: there is memory for all bytes.
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
    /// When there are fewer.
    pub(super) fn read(&self, to: &mut [u8]) -> Result<(), Error> {
        assert!(to.len() <= self.bytes, "no more is read than there is");
        // SAFETY: so much was just compared.
        unsafe { self.driver.download(self.address, to) }
    }

    /// Whether it is this driver's.
    pub(super) fn is_of(&self, driver: &Arc<D>) -> bool {
        Arc::ptr_eq(&self.driver, driver)
    }

    /// Where it begins.
    pub(super) fn address(&self) -> Address {
        self.address
    }

    /// How large it is.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<D: Driver> Drop for Region<D> {
    fn drop(&mut self) {
        // SAFETY: it was allocated with so many bytes, and the only owner is going.
        unsafe { self.driver.free(self.address, self.bytes) }
    }
}
