//! Devices with memory of their own: what a plan asks of them, so that nothing comes back to the host between its steps.

use std::any::Any;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use super::contraction::PreparedContraction;
use super::linear::Decomposition;
use super::operand::LoopNest;
use super::program::Program;
use super::reduce::Reduction;
use crate::element::Dtype;
use crate::error::Error;
use crate::layout::Strided;
use crate::storage::{SliceMut, SliceRef};

/// Where a tensor's memory begins: the number of a session's memory, and a byte in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub memory: usize,
    pub start: usize,
}

/// A tensor's memory as an operation runs over it, wherever it begins.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub dtype: Dtype,
    pub layout: &'a Strided,
    pub conjugate: bool,
}

/// An operation of a plan, wherever its tensors lie when it runs.
#[derive(Debug)]
pub enum Asked<'a> {
    /// For [`Session::contract`].
    Contract(&'a PreparedContraction),
    /// For [`Session::map`].
    Map(Mapped<'a>),
    /// For [`Session::factorise`].
    Factorise(Factorised<'a>),
}

/// What [`Session::map`] is asked for.
#[derive(Clone, Debug)]
pub struct Mapped<'a> {
    pub nest: &'a LoopNest,
    pub program: &'a Program,
    pub reduction: Reduction,
    pub inputs: Vec<Seen<'a>>,
    pub output: Seen<'a>,
    /// What the device has found out about it, and leaves for the next call.
    pub found: &'a Found,
}

/// What [`Session::factorise`] is asked for.
#[derive(Clone, Debug)]
pub struct Factorised<'a> {
    pub call: &'a Decomposition,
    pub inputs: Vec<Seen<'a>>,
    pub outputs: Vec<Seen<'a>>,
    /// As of [`Mapped`].
    pub found: &'a Found,
}

/// What a device has found out about an operation of a plan.
pub type Found = OnceLock<Box<dyn Any + Send + Sync>>;

/// How much memory of a device is taken, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Now.
    pub now: usize,
    /// At most at one time since somebody has asked before.
    pub most: usize,
}

/// Memory of a device, which only the device knows, as long as anybody has it. What is in it does not change.
pub type DeviceMemory = Arc<dyn Any + Send + Sync>;

/// A device that keeps what lies between the steps of a plan.
pub trait Resident: Debug {
    /// Has everything made that operations need to run, side by side, and decided what of it is measured: a plan asks once for all of its
    /// own, before the first of them runs.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](crate::error::ErrorKind::Kernel) for what does not compile, and when the device is lost.
    fn make(&self, asked: &[Asked<'_>]) -> Result<(), Error>;

    /// Memory for the sources of a plan, which are copied unless the device has a copy that a tensor holds, and memory of these
    /// sizes, in bytes, as long as the session lasts: all of it, or nothing is begun. `again` says that it serves several runs.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) where the device has not so much.
    fn session(&self, sources: &[SliceRef<'_>], sizes: &[usize], again: bool) -> Result<Box<dyn Session>, Error>;

    /// A copy of a tensor's elements, as long as anybody has it.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) where the device has no room for it.
    fn hold(&self, elements: SliceRef<'_>) -> Result<DeviceMemory, Error>;

    /// Has the system keep whole pages of the host's memory, at these addresses, where they are, as long as anybody has what is given back:
    /// this device copies from there directly.
    ///
    /// # Errors
    /// [`ErrorKind::Device`](crate::error::ErrorKind::Device) where the system does not.
    fn pin(&self, pages: std::ops::Range<usize>) -> Result<DeviceMemory, Error>;

    /// Whether memory is this device's, and work that it queues here comes behind what was queued to fill it.
    fn has(&self, memory: &DeviceMemory) -> bool;

    /// Copies from the beginning of memory that it [has](Resident::has) to the host.
    ///
    /// # Errors
    /// When the device is lost, or work that was to fill the memory failed.
    fn fetch(&self, memory: &DeviceMemory, to: SliceMut<'_>) -> Result<(), Error>;

    /// A number from 1 that the device has until it is let go; when it is opened again it has another one.
    fn opening(&self) -> usize;

    /// Waits until all that was asked for is done.
    ///
    /// # Errors
    /// When the device is lost, or something that was asked for failed.
    fn finish(&self) -> Result<(), Error>;

    /// How much memory is taken, by whomever, once all that was asked for is done.
    ///
    /// # Errors
    /// As [`finish`](Resident::finish).
    fn taken(&self) -> Result<Taken, Error>;
}

/// Memory on a device, and operations on it, which are done in the order in which they are asked for, if perhaps later.
pub trait Session: Debug + Send {
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
    fn map(&mut self, call: &Mapped<'_>, inputs: &[Site], output: Site) -> Result<bool, Error>;

    /// [`Device::factorise`](super::Device::factorise), which is done when it returns; whether it did it, or leaves it to the host, as
    /// [`Device::factors_by`](super::Device::factors_by) has said.
    ///
    /// # Errors
    /// As [`Device::factorise`](super::Device::factorise).
    fn factorise(&mut self, call: &Factorised<'_>, inputs: &[Site], outputs: &[Site]) -> Result<bool, Error>;

    /// What is in one of the session's memories, for good: a session that serves several runs copies it.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) where the device has no room for the copy.
    fn keep(&mut self, memory: usize) -> Result<DeviceMemory, Error>;

    /// The sources of the next run; whether all of them lie where those of the last did, so that what was recorded serves it.
    ///
    /// # Errors
    /// As [`Resident::session`].
    fn renew(&mut self, sources: &[SliceRef<'_>]) -> Result<bool, Error>;

    /// Records what `work` asks for, which is not done then.
    ///
    /// # Errors
    /// What `work` reports, and [`ErrorKind::Device`](crate::error::ErrorKind::Device) for what cannot be recorded.
    fn record(&mut self, work: &mut dyn FnMut(&mut dyn Session) -> Result<(), Error>) -> Result<(), Error>;

    /// Has done what was recorded last; whether anything was.
    ///
    /// # Errors
    /// When the device is lost.
    fn replay(&mut self) -> Result<bool, Error>;

    /// Waits until everything is done.
    ///
    /// # Errors
    /// When the device is lost, or something that was asked for failed.
    fn finish(&mut self) -> Result<(), Error>;

    /// Bytes of the memory that it has for sources of which nobody else has a copy there.
    fn copied(&self) -> usize;
}
