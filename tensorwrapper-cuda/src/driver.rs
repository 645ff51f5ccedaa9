//! What is asked of something that has memory of its own and runs kernels: a GPU, or the simulator.
//!
//! All work is queued in one order. Errors of queued work may come with a later call.

use std::fmt::Debug;
use std::ops::Range;

use super::autotune::{Autotuner, Strategy};
use super::memory::{Address, PinnedRanges};
use super::routine::Call;
use super::text::{Gemm, Kernel};
use tensorwrapper_core::backend::Taken;
use tensorwrapper_core::error::Error;

/// Something that has memory and runs kernels.
pub(super) trait Driver: Debug + Send + Sync + 'static {
    /// Work that was recorded, to be queued as often as is asked.
    type Graph: Debug + Send + Sync;

    /// The backend's name, as in the tests' device list.
    fn name(&self) -> &'static str;

    /// Which device of its kind it is, counted from 0. Plans of one number fit each other.
    fn number(&self) -> usize;

    /// A number that this alone has, from 1: a device that is let go and opened again has another one, and has to have kernels made again.
    fn opening(&self) -> usize;

    /// Memory for so many bytes, at least one.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) where the device has no more, and when the device is lost.
    fn allocate(&self, bytes: usize) -> Result<Address, Error>;

    /// Gives memory back, once what is queued has been done.
    ///
    /// # Safety
    /// It came from `allocate` with so many bytes, and nobody uses it behind this.
    unsafe fn free(&self, address: Address, bytes: usize);

    /// How much memory is taken, by whomever, once what is queued has been done.
    ///
    /// # Errors
    /// As [`finish`](Driver::finish).
    fn taken(&self) -> Result<Taken, Error>;

    /// Pages of the host's memory that are pinned for this device.
    fn pinned(&self) -> &PinnedRanges;

    /// Has the system keep pages of the host's memory where they are.
    ///
    /// # Errors
    /// Where it does not.
    fn lock(&self, pages: Range<usize>) -> Result<(), Error>;

    /// Lets it move them again.
    fn unlock(&self, pages: Range<usize>);

    /// Copies from the host, whose memory has been read when this returns.
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

    /// Has kernels made, side by side, so that what a text has wrong is known before anything runs.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`](tensorwrapper_core::error::ErrorKind::Kernel) when one does not compile.
    fn prepare(&self, kernels: &[&Kernel]) -> Result<(), Error>;

    /// Queues a kernel. Its arguments are addresses, then numbers: 64 bits each.
    ///
    /// # Errors
    /// As [`prepare`](Driver::prepare), and when the device refuses it.
    ///
    /// # Safety
    /// The arguments are those that its text has, and every position that the text computes lies in their memory.
    unsafe fn launch(&self, kernel: &Kernel, arguments: &[u64]) -> Result<(), Error>;

    /// The library that computes products of matrices here, if there is one.
    fn gemm_library(&self) -> Option<&'static str>;

    /// Queues a library's product: factors and result begin at these addresses.
    ///
    /// # Errors
    /// When the library refuses it.
    ///
    /// # Safety
    /// There is a library, and every position that the product's strides lead to lies in the memory of its operand.
    unsafe fn multiply(&self, product: &Gemm, factors: [Address; 2], output: Address) -> Result<(), Error>;

    /// Which strategy computes a contraction, as far as that was measured here.
    fn autotuner(&self) -> &Autotuner;

    /// Whether strategies to compute a contraction over so many points are worth a measurement.
    fn is_worth_measuring(&self, points: u128) -> bool;

    /// Has work done, alone, and says how many seconds that takes.
    ///
    /// # Errors
    /// What `work` reports, and when the device is lost.
    fn timed(&self, strategy: Strategy, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error>;

    /// The library that computes linear algebra here, if there is one.
    fn linalg_library(&self) -> Option<&'static str>;

    /// Queues one of its routines, with work space of its own.
    ///
    /// # Errors
    /// When the library refuses it, [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) where there is no room for its work space.
    ///
    /// # Safety
    /// There is a library, and the addresses are those of memory that is as large as the routine's arguments say.
    unsafe fn solve(&self, call: &Call) -> Result<(), Error>;

    /// Records what `work` queues from this thread, which is not done then. Other threads wait with what they queue.
    ///
    /// # Errors
    /// What `work` reports. It may not allocate or give back memory, copy from or to the host, wait, or use kernels that were not
    /// [prepared](Driver::prepare): [`ErrorKind::Device`](tensorwrapper_core::error::ErrorKind::Device) says so.
    fn record(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Self::Graph, Error>;

    /// Queues all that was recorded, in one call.
    ///
    /// # Errors
    /// When the device refuses it.
    ///
    /// # Safety
    /// All memory that it was recorded over is still there.
    unsafe fn replay(&self, graph: &Self::Graph) -> Result<(), Error>;
}
