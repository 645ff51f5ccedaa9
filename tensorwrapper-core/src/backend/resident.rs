//! Devices with memory of their own: all steps of a plan run there, and only results are copied back to the host.

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

/// Where a tensor begins in the memory of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLocation {
    /// The number of the memory in its session. The sources come first, then the other memories in the order in which
    /// [`Resident::session`] was asked for them.
    pub memory: usize,
    /// The first byte.
    pub start: usize,
}

/// A tensor as an operation sees it, without the place where its memory begins.
#[derive(Clone, Copy, Debug)]
pub struct TensorDescriptor<'a> {
    /// The element type.
    pub dtype: Dtype,
    /// Strides and offset, in elements, over the operation's iteration space.
    pub layout: &'a Strided,
    /// Whether elements are conjugated as they are read.
    pub conjugate: bool,
}

/// An operation of a plan, as [`Resident::make`] is asked to prepare it.
#[derive(Debug)]
pub enum KernelRequest<'a> {
    /// For [`Session::contract`].
    Contract(&'a PreparedContraction),
    /// For [`Session::map`].
    Map(Mapped<'a>),
    /// For [`Session::factorise`].
    Factorise(Factorised<'a>),
}

/// The arguments of [`Session::map`].
#[derive(Clone, Debug)]
pub struct Mapped<'a> {
    /// The iteration space.
    pub nest: &'a LoopNest,
    /// What is computed at each point.
    pub program: &'a Program,
    /// How values at one output element are folded.
    pub reduction: Reduction,
    /// The inputs of the program.
    pub inputs: Vec<TensorDescriptor<'a>>,
    /// The output.
    pub output: TensorDescriptor<'a>,
    /// A cache in which the device leaves what it has found out, for the next call.
    pub cache: &'a DeviceCache,
}

/// The arguments of [`Session::factorise`].
#[derive(Clone, Debug)]
pub struct Factorised<'a> {
    /// The operation.
    pub call: &'a Decomposition,
    /// Its arguments.
    pub inputs: Vec<TensorDescriptor<'a>>,
    /// Its results.
    pub outputs: Vec<TensorDescriptor<'a>>,
    /// A cache, as in [`Mapped`].
    pub cache: &'a DeviceCache,
}

/// What a device has found out about an operation of a plan, in a type that only the device knows.
pub type DeviceCache = OnceLock<Box<dyn Any + Send + Sync>>;

/// How much memory of a device is taken, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Now.
    pub current: usize,
    /// The most at one time since the last query.
    pub peak: usize,
}

/// Memory of a device, in a type that only the device knows. It is freed when the last owner drops it, and its contents do not change.
pub type DeviceMemory = Arc<dyn Any + Send + Sync>;

/// A device with memory of its own.
pub trait Resident: Debug {
    /// Compiles everything that these operations need, in parallel, and makes the choices that depend on measurements. A plan calls this
    /// once, for all of its operations, before the first one runs.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](crate::error::ErrorKind::Kernel) for a kernel that does not compile. Also when the device is lost.
    fn make(&self, requests: &[KernelRequest<'_>]) -> Result<(), Error>;

    /// Begins a run. Allocates memory for the sources of a plan, and further memory of these sizes, in bytes, all of it until the session
    /// is dropped. Sources are copied, unless a tensor holds a copy on this device. `again` says that the session serves several runs.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) if the device does not have all of the memory.
    fn session(&self, sources: &[SliceRef<'_>], sizes: &[usize], again: bool) -> Result<Box<dyn Session>, Error>;

    /// A copy of a tensor's elements, which lasts until its last owner drops it.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) where the device has no room for it.
    fn hold(&self, elements: SliceRef<'_>) -> Result<DeviceMemory, Error>;

    /// Pins whole pages of the host's memory, at these addresses, until the last owner of the result drops it: the device copies
    /// directly from pinned pages.
    ///
    /// # Errors
    /// [`ErrorKind::Device`](crate::error::ErrorKind::Device) if the system refuses.
    fn pin(&self, pages: std::ops::Range<usize>) -> Result<DeviceMemory, Error>;

    /// Whether memory is this device's. If so, work that is queued here runs after the work that fills the memory.
    fn has(&self, memory: &DeviceMemory) -> bool;

    /// Copies from the beginning of memory that it [has](Resident::has) to the host.
    ///
    /// # Errors
    /// When the device is lost, or work that was to fill the memory failed.
    fn fetch(&self, memory: &DeviceMemory, to: SliceMut<'_>) -> Result<(), Error>;

    /// A number, from 1 on, that changes each time the device is opened.
    fn opening(&self) -> usize;

    /// Waits until all queued work is done.
    ///
    /// # Errors
    /// When the device is lost, or queued work failed.
    fn finish(&self) -> Result<(), Error>;

    /// How much of the device's memory is in use by this process, once all queued work is done.
    ///
    /// # Errors
    /// As [`finish`](Resident::finish).
    fn memory_use(&self) -> Result<MemoryUse, Error>;
}

/// Memory on a device for one run of a plan, or several, and operations on it. They run in the order in which they are queued.
pub trait Session: Debug + Send {
    /// Copies from the host.
    ///
    /// # Errors
    /// When the device is lost.
    fn write(&mut self, from: SliceRef<'_>, to: MemoryLocation) -> Result<(), Error>;

    /// Copies to the host, after everything that was queued before.
    ///
    /// # Errors
    /// When the device is lost, or queued work failed.
    fn read(&mut self, from: MemoryLocation, to: SliceMut<'_>) -> Result<(), Error>;

    /// Copies this number of bytes on the device.
    ///
    /// # Errors
    /// When the device is lost.
    fn copy(&mut self, from: MemoryLocation, to: MemoryLocation, bytes: usize) -> Result<(), Error>;

    /// Sets this number of bytes to zero.
    ///
    /// # Errors
    /// When the device is lost.
    fn clear(&mut self, at: MemoryLocation, bytes: usize) -> Result<(), Error>;

    /// Queues a contraction that this device prepared. Returns `false` if the host has to compute it.
    ///
    /// # Errors
    /// As [`PreparedContraction::run`].
    fn contract(
        &mut self,
        contraction: &PreparedContraction,
        inputs: &[MemoryLocation],
        output: MemoryLocation,
    ) -> Result<bool, Error>;

    /// Queues [`Device::map`](super::Device::map) without functions of the program. Returns `false` if the host has to compute it.
    ///
    /// # Errors
    /// As [`Device::map`](super::Device::map).
    fn map(&mut self, call: &Mapped<'_>, inputs: &[MemoryLocation], output: MemoryLocation) -> Result<bool, Error>;

    /// Runs [`Device::factorise`](super::Device::factorise) and waits for it. Returns `false` if the host has to compute it, as
    /// [`Device::factors_by`](super::Device::factors_by) has said.
    ///
    /// # Errors
    /// As [`Device::factorise`](super::Device::factorise).
    fn factorise(&mut self, call: &Factorised<'_>, inputs: &[MemoryLocation], outputs: &[MemoryLocation]) -> Result<bool, Error>;

    /// Keeps the contents of one of the session's memories beyond the end of the session. A session that serves several runs copies them.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) if the device has no room for the copy.
    fn keep(&mut self, memory: usize) -> Result<DeviceMemory, Error>;

    /// Sets the sources of the next run. Returns whether all of them have the same addresses on the device as in the last run, so that
    /// recorded work can be replayed.
    ///
    /// # Errors
    /// As [`Resident::session`].
    fn renew(&mut self, sources: &[SliceRef<'_>]) -> Result<bool, Error>;

    /// Records the operations that `work` queues instead of running them.
    ///
    /// # Errors
    /// Errors of `work`, and [`ErrorKind::Device`](crate::error::ErrorKind::Device) for an operation that cannot be recorded.
    fn record(&mut self, work: &mut dyn FnMut(&mut dyn Session) -> Result<(), Error>) -> Result<(), Error>;

    /// Runs what was recorded last. Returns whether there was anything.
    ///
    /// # Errors
    /// When the device is lost.
    fn replay(&mut self) -> Result<bool, Error>;

    /// Waits until all queued work is done.
    ///
    /// # Errors
    /// When the device is lost, or queued work failed.
    fn finish(&mut self) -> Result<(), Error>;

    /// Bytes of the sources that this session copied because no tensor holds a copy of them.
    fn copied(&self) -> usize;
}
