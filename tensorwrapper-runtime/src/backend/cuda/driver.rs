//! What is asked of something that has memory of its own and runs kernels: a GPU, or the simulator.
//!
//! All work is queued in one order. Errors of queued work may come with a later call.

use std::fmt::Debug;
use std::sync::Arc;

use super::gemm::Gemm;
use super::text::{Argument, Kernel, Launches, Memory};
use crate::error::Error;

/// Where memory of the device begins.
pub(super) type Address = u64;

/// Something that has memory and runs kernels.
pub(super) trait Driver: Debug + Send + Sync + 'static {
    /// The backend's name, as in the tests' device list.
    fn name(&self) -> &'static str;

    /// Which device of its kind it is, counted from 0. Plans of one number fit each other.
    fn number(&self) -> usize;

    /// Memory for so many bytes, at least one.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) where the device has no more, and when the device is lost.
    fn allocate(&self, bytes: usize) -> Result<Address, Error>;

    /// Gives memory back, once what is queued has been done.
    ///
    /// # Safety
    /// It came from `allocate` with so many bytes, and nobody uses it behind this.
    unsafe fn free(&self, address: Address, bytes: usize);

    /// Copies from the host.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// There is memory for all bytes from the address on.
    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error>;

    /// Copies to the host, once what is queued has been done.
    ///
    /// # Errors
    /// When the device is lost, or work in the queue failed.
    ///
    /// # Safety
    /// There is memory for all bytes from the address on.
    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error>;

    /// Copies from one place on the device to another.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// There is memory for so many bytes from both addresses on, and none of it is the same.
    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error>;

    /// Makes bytes zero.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// There is memory for so many bytes from the address on.
    unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error>;

    /// Waits until what is queued has been done.
    ///
    /// # Errors
    /// When the device is lost, or work in the queue failed.
    fn finish(&self) -> Result<(), Error>;

    /// Has a kernel made, so that what its text has wrong is known before anything runs.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](crate::ErrorKind::Kernel) when it does not compile.
    fn prepare(&self, kernel: &Kernel) -> Result<(), Error>;

    /// Queues a kernel.
    ///
    /// # Errors
    /// As [`prepare`](Driver::prepare), and when the device refuses it.
    ///
    /// # Safety
    /// The arguments are those that its text has, and every position that the text computes lies in their memory.
    unsafe fn launch(&self, kernel: &Kernel, arguments: &[Address]) -> Result<(), Error>;

    /// The library that computes products of matrices here, if there is one.
    fn products(&self) -> Option<&'static str>;

    /// Queues a library's product: factors and result begin at these addresses.
    ///
    /// # Errors
    /// When the library refuses it.
    ///
    /// # Safety
    /// There is a library, and every position that the product's strides lead to lies in the memory of its operand.
    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error>;
}

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
        // SAFETY: there is memory for all bytes.
        unsafe { driver.upload(bytes, region.address) }?;
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

/// Queues all that an operation consists of.
///
/// # Errors
/// As [`Driver::launch`] and [`Driver::allocate`].
///
/// # Safety
/// There is memory for each input and for the output, of the element types and as large as the operation was made for.
pub(super) unsafe fn queue<D: Driver>(
    driver: &Arc<D>,
    launches: &Launches,
    inputs: &[Address],
    output: Address,
) -> Result<(), Error> {
    let scratch = if launches.scratch > 0 { Some(Region::new(driver, launches.scratch)?) } else { None };
    let address = |argument: &Argument| {
        let memory = match argument.memory {
            Memory::Input(n) => inputs[n],
            Memory::Output => output,
            Memory::Scratch => scratch.as_ref().expect("kernels that use scratch memory have some").address(),
        };
        memory.wrapping_add(argument.start as u64)
    };
    if let Some(product) = &launches.product {
        let factors = product.factors.each_ref().map(|(_, stored)| address(&stored.argument));
        // SAFETY: matrices lie inside the layouts that the operation was made for, as the caller has memory.
        unsafe { driver.multiply(product, factors, address(&product.output.argument)) }?;
    }
    for launch in &launches.launches {
        let arguments: Vec<Address> = launch.arguments.iter().map(address).collect();
        // SAFETY: the generator computes positions inside the layouts that the operation was made for, as the caller has memory.
        unsafe { driver.launch(&launch.kernel, &arguments) }?;
    }
    Ok(())
}
