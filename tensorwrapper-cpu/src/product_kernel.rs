//! What multiplies two factors, whatever its way: `contract` chooses one when a product is prepared, and runs it.

use std::fmt::Debug;

use super::sink::Sink;
use tensorwrapper_core::error::Error;

/// A prepared product of two factors.
pub(super) trait ProductKernel<T>: Debug + Send + Sync {
    /// How it is computed, in a few words.
    fn method(&self) -> &'static str;

    /// Elements that it allocates for copies and for sums of its own.
    fn work_space(&self, _threads: usize) -> usize {
        0
    }

    /// Computes it.
    ///
    /// # Errors
    /// Memory for copies and sums.
    ///
    /// # Safety
    /// All positions that the axes lead to lie inside the memory, and nobody else touches those of the output.
    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error>;
}
