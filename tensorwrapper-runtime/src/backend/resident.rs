//! Devices with memory of their own: what a plan asks of them, so that nothing comes back to the host between its steps.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::{Device, LoopNest, PreparedContraction, Program, Reduction};
use crate::element::Dtype;
use crate::erased::{SliceMut, SliceRef};
use crate::error::Error;
use crate::layout::Strided;

/// Where a tensor's memory begins: the number of a session's memory, and a byte in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub(crate) memory: usize,
    pub(crate) start: usize,
}

/// A tensor's memory as an operation runs over it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub(crate) site: Site,
    pub(crate) dtype: Dtype,
    pub(crate) layout: &'a Strided,
    pub(crate) conjugate: bool,
}

/// A tensor's elements in the memory of a device.
#[derive(Debug)]
pub struct Copied {
    pub(crate) device: Arc<dyn Device>,
    /// What only the device knows.
    pub(crate) memory: Arc<dyn Any + Send + Sync>,
}

/// A device that keeps what lies between the steps of a plan.
pub trait Resident: Debug {
    /// Memory for the sources of a plan, which are copied unless the device has a copy that a tensor holds, and memory of these
    /// sizes, in bytes, as long as the session lasts: all of it, or nothing is begun.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) where the device has not so much.
    fn session(&self, sources: &[SliceRef<'_>], sizes: &[usize]) -> Result<Box<dyn Session + '_>, Error>;

    /// A copy of a tensor's elements, as long as anybody has it.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) where the device has no room for it.
    fn hold(&self, elements: SliceRef<'_>) -> Result<Arc<dyn Any + Send + Sync>, Error>;
}

/// Memory on a device, and operations on it, which are done in the order in which they are asked for, if perhaps later.
pub trait Session: Debug {
    /// Copies from the host.
    ///
    /// # Errors
    /// When the device is lost.
    fn write(&mut self, from: SliceRef<'_>, to: Site) -> Result<(), Error>;

    /// Copies to the host; everything that was asked for before is done then.
    ///
    /// # Errors
    /// When the device is lost, or something that was asked for failed.
    fn read(&mut self, from: Site, to: SliceMut<'_>) -> Result<(), Error>;

    /// Copies so many bytes on the device.
    ///
    /// # Errors
    /// When the device is lost.
    fn copy(&mut self, from: Site, to: Site, bytes: usize) -> Result<(), Error>;

    /// Makes so many bytes zero.
    ///
    /// # Errors
    /// When the device is lost.
    fn clear(&mut self, at: Site, bytes: usize) -> Result<(), Error>;

    /// A contraction that this device prepared; whether it did it, or leaves it to the host.
    ///
    /// # Errors
    /// As [`PreparedContraction::run`].
    fn contract(&mut self, contraction: &PreparedContraction, inputs: &[Site], output: Site) -> Result<bool, Error>;

    /// [`Device::map`](super::Device::map) without functions of the program's; whether it did it, or leaves it to the host.
    ///
    /// # Errors
    /// As [`Device::map`](super::Device::map).
    fn map(
        &mut self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        inputs: &[Seen<'_>],
        output: Seen<'_>,
    ) -> Result<bool, Error>;

    /// Waits until everything is done.
    ///
    /// # Errors
    /// When the device is lost, or something that was asked for failed.
    fn finish(&mut self) -> Result<(), Error>;
}
