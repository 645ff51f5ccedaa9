//! Pinned memory of the simulator, whose copies are done as late as possible: when they are waited for, or when work is queued
//! behind them. Code that reads or writes pinned memory too early gives wrong results.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::memory::GuardedMemory;
use crate::memory::Address;
use crate::staging::Pinning;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The size and the number of pinned pieces: so few and small that most transfers of tests need several, and use one more than
/// once.
pub(super) const PIECES: (usize, usize) = (64, 3);

/// Copies that are not done yet.
#[derive(Debug, Default)]
pub(super) struct DeferredCopies(Mutex<Copies>);

#[derive(Debug, Default)]
struct Copies {
    /// Source, target and number of bytes.
    waiting: VecDeque<(Address, Address, usize)>,
    /// The number of copies that are done.
    done: usize,
}

impl DeferredCopies {
    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the copies in front of a mark.
    pub(super) fn catch_up(&self, mark: usize) {
        let mut copies = self.copies();
        while copies.done < mark
            && let Some((from, to, bytes)) = copies.waiting.pop_front()
        {
            // SAFETY: the caller that queued it has promised that both places exist until it is done.
            unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
            copies.done += 1;
        }
    }

    /// Does all copies.
    pub(super) fn finish(&self) {
        self.catch_up(usize::MAX);
    }
}

impl Pinning for DeferredCopies {
    type Mark = usize;

    fn pin(&self, bytes: usize) -> Result<*mut u8, Error> {
        let start = GuardedMemory::allocate(bytes).ok_or_else(|| Error::new(ErrorKind::Memory { bytes: bytes as u128 }))?;
        Ok(start as *mut u8)
    }

    unsafe fn unpin(&self, start: *mut u8, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { GuardedMemory::free(start as Address, bytes) }
    }

    unsafe fn push(&self, from: *const u8, to: Address, bytes: usize) -> Result<(), Error> {
        self.copies().waiting.push_back((from as Address, to, bytes));
        Ok(())
    }

    unsafe fn pull(&self, from: Address, to: *mut u8, bytes: usize) -> Result<(), Error> {
        self.copies().waiting.push_back((from, to as Address, bytes));
        Ok(())
    }

    fn marker(&self) -> Result<usize, Error> {
        Ok(0)
    }

    fn mark(&self, mark: &mut usize) -> Result<(), Error> {
        let copies = self.copies();
        *mark = copies.done + copies.waiting.len();
        Ok(())
    }

    fn wait(&self, mark: &usize) -> Result<(), Error> {
        self.catch_up(*mark);
        Ok(())
    }

    fn unmark(&self, _: usize) {}

    fn settle(&self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}
