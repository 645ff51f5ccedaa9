//! The memory of one device, with counts of its bytes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::memory::GuardedMemory;
use crate::memory::Address;
use tensorwrapper_core::backend::Taken;

/// The memory of one device.
#[derive(Debug, Default)]
pub(super) struct CountedMemory(Mutex<Taken>);

impl CountedMemory {
    fn count(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`GuardedMemory::allocate`].
    pub(super) fn allocate(&self, bytes: usize) -> Option<Address> {
        let address = GuardedMemory::allocate(bytes)?;
        let mut taken = self.count();
        taken.now += bytes;
        taken.most = taken.most.max(taken.now);
        Some(address)
    }

    /// As [`GuardedMemory::free`].
    ///
    /// # Safety
    /// As for [`GuardedMemory::free`].
    pub(super) unsafe fn free(&self, address: Address, bytes: usize) {
        self.count().now -= bytes;
        // SAFETY: the caller's promise.
        unsafe { GuardedMemory::free(address, bytes) }
    }

    /// How much memory is allocated now, and the most since the last call.
    pub(super) fn taken(&self) -> Taken {
        let mut taken = self.count();
        let found = *taken;
        taken.most = taken.now;
        found
    }
}
