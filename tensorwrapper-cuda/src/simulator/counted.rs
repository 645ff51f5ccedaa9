//! The memory of one device, with counts of its bytes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::memory::GuardedMemory;
use crate::memory::Address;
use tensorwrapper_core::backend::MemoryUse;

/// The memory of one device.
#[derive(Debug, Default)]
pub(super) struct CountedMemory(Mutex<MemoryUse>);

impl CountedMemory {
    fn count(&self) -> MutexGuard<'_, MemoryUse> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`GuardedMemory::allocate`].
    pub(super) fn allocate(&self, bytes: usize) -> Option<Address> {
        let address = GuardedMemory::allocate(bytes)?;
        let mut count = self.count();
        count.current += bytes;
        count.peak = count.peak.max(count.current);
        Some(address)
    }

    /// As [`GuardedMemory::free`].
    ///
    /// # Safety
    /// As for [`GuardedMemory::free`].
    pub(super) unsafe fn free(&self, address: Address, bytes: usize) {
        self.count().current -= bytes;
        // SAFETY: the caller's promise.
        unsafe { GuardedMemory::free(address, bytes) }
    }

    /// How much memory is allocated now, and the most since the last call.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let mut count = self.count();
        let found = *count;
        count.peak = count.current;
        found
    }
}
