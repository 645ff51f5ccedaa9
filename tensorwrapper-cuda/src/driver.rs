//! The interface to something that has memory of its own and runs kernels: a GPU, or the simulator.
//!
//! All work is queued in one stream, and done in that order. An error of queued work may be reported by a later call.
//!
//! What a run takes of a device is counted here (`MemoryUse`: now, and at most since it was asked last), and stands in an
//! explanation beside the prediction.

use std::fmt::Debug;
use std::ops::Range;

use super::autotune::{Autotuner, Strategy};
use super::memory::{Address, PinnedRanges};
use super::routine::Call;
use super::text::{Gemm, Kernel};
use tensorwrapper_core::backend::MemoryUse;
use tensorwrapper_core::error::Error;

/// Something that has memory and runs kernels.
pub(crate) trait Driver: Debug + Send + Sync + 'static {
    /// Recorded work, which can be queued any number of times.
    type Graph: Debug + Send + Sync;

    /// The backend's name, as in the tests' device list.
    fn name(&self) -> &'static str;

    /// The number of the device, counted from 0. Plans are shared between drivers of one name and number.
    fn number(&self) -> usize;

    /// A number, from 1 on, that is unique to this driver. If a device is closed and opened again it has a new one, and its
    /// kernels must be loaded again.
    fn opening(&self) -> usize;

    /// Allocates this many bytes, at least one.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) where the device has no more, and an error when the
    /// device is lost.
    fn allocate(&self, bytes: usize) -> Result<Address, Error>;

    /// Frees memory, once the queued work is done.
    ///
    /// # Safety
    /// It came from `allocate` with this many bytes, and is not used any more.
    unsafe fn free(&self, address: Address, bytes: usize);

    /// How much memory is allocated in all, once the queued work is done.
    ///
    /// # Errors
    /// As [`finish`](Driver::finish).
    fn memory_use(&self) -> Result<MemoryUse, Error>;

    /// The pages of the host's memory that are pinned for this device.
    fn pinned(&self) -> &PinnedRanges;

    /// Pins pages of the host's memory: the system does not move them any more.
    ///
    /// # Errors
    /// Where the system refuses.
    fn lock(&self, pages: Range<usize>) -> Result<(), Error>;

    /// Lets the system move these pages again.
    fn unlock(&self, pages: Range<usize>);

    /// Copies from the host. The host's memory has been read when this returns.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// The address has memory for all bytes.
    unsafe fn upload(&self, from: &[u8], to: Address) -> Result<(), Error>;

    /// Copies to the host, once the queued work is done.
    ///
    /// # Errors
    /// When the device is lost, or work in the queue failed.
    ///
    /// # Safety
    /// The address has memory for all bytes.
    unsafe fn download(&self, from: Address, to: &mut [u8]) -> Result<(), Error>;

    /// Copies from one place on the device to another.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// Both addresses have memory for this many bytes, and the two do not overlap.
    unsafe fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error>;

    /// Sets bytes to zero.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Safety
    /// The address has memory for this many bytes.
    unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error>;

    /// Waits until the queued work is done.
    ///
    /// # Errors
    /// When the device is lost, or work in the queue failed.
    fn finish(&self) -> Result<(), Error>;

    /// Compiles and loads kernels, in parallel, so that an error in a text is known before anything runs.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](tensorwrapper_core::error::ErrorKind::Kernel) when one does not compile.
    fn prepare(&self, kernels: &[&Kernel]) -> Result<(), Error>;

    /// Queues a kernel. Its arguments are addresses, then numbers, of 64 bits each.
    ///
    /// # Errors
    /// As [`prepare`](Driver::prepare), and when the device refuses it.
    ///
    /// # Safety
    /// The arguments are those that its text declares, and every position that it computes lies in their memory.
    unsafe fn launch(&self, kernel: &Kernel, arguments: &[u64]) -> Result<(), Error>;

    /// The name of the library that computes products of matrices, if there is one.
    fn gemm_library(&self) -> Option<&'static str>;

    /// Queues a product of matrices for the library, whose factors and result begin at these addresses.
    ///
    /// # Errors
    /// When the library refuses it.
    ///
    /// # Safety
    /// There is a library, and every position that the strides reach lies in the memory of its operand.
    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error>;

    /// The fastest strategies for contractions, as far as they were measured on this device.
    fn autotuner(&self) -> &Autotuner;

    /// Whether a contraction with this many points is worth measuring.
    fn is_worth_measuring(&self, points: u128) -> bool;

    /// Runs work while no other thread queues any; returns the seconds that it takes.
    ///
    /// # Errors
    /// Those of `work`, and when the device is lost.
    fn timed(&self, strategy: Strategy, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error>;

    /// The name of the library for linear algebra, if there is one.
    fn linalg_library(&self) -> Option<&'static str>;

    /// Queues a routine of the library for linear algebra, with its work space.
    ///
    /// # Errors
    /// When the library refuses it, and [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) where there is no
    /// room for its work space.
    ///
    /// # Safety
    /// There is a library, and the memory at the addresses is as large as the routine's arguments say.
    unsafe fn solve(&self, call: &Call) -> Result<(), Error>;

    /// Records the work that `work` queues from this thread, without running it. Other threads wait before they queue anything.
    ///
    /// # Errors
    /// Those of `work`. It may not allocate or free memory, copy from or to the host, wait, or use kernels that were not
    /// [prepared](Driver::prepare): this gives [`ErrorKind::Device`](tensorwrapper_core::error::ErrorKind::Device).
    fn record(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Self::Graph, Error>;

    /// Queues all recorded work in one call.
    ///
    /// # Errors
    /// When the device refuses it.
    ///
    /// # Safety
    /// All memory that the recorded work uses is still allocated.
    unsafe fn replay(&self, graph: &Self::Graph) -> Result<(), Error>;
}
