//! The memory that several threads write to at once, each its own positions.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Output memory, shared among tasks that write disjoint positions.
#[derive(Debug)]
pub(super) struct Sink<'a, T> {
    pointer: *mut T,
    len: usize,
    memory: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Sink<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Sink<'_, T> {}

// SAFETY: a sink gives access through unsafe functions alone, whose callers promise that tasks touch disjoint positions.
unsafe impl<T: Send> Send for Sink<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Sink<'_, T> {}

impl<'a, T: Copy> Sink<'a, T> {
    pub(super) fn new(memory: &'a mut [T]) -> Sink<'a, T> {
        Sink { pointer: memory.as_mut_ptr(), len: memory.len(), memory: PhantomData }
    }

    /// Memory of which nothing was written yet.
    pub(super) fn over(memory: &'a mut [MaybeUninit<T>]) -> Sink<'a, T> {
        Sink { pointer: memory.as_mut_ptr().cast(), len: memory.len(), memory: PhantomData }
    }

    /// The address of position 0.
    pub(super) fn base(self) -> *mut T {
        self.pointer
    }

    /// The address of a position.
    ///
    /// # Safety
    /// The position lies inside the memory.
    pub(super) unsafe fn address(self, position: isize) -> *mut T {
        debug_assert!((0..self.len as isize).contains(&position), "{position} outside of {}", self.len);
        // SAFETY: the caller keeps the position inside.
        unsafe { self.pointer.offset(position) }
    }

    /// Writes one element.
    ///
    /// # Safety
    /// The position lies inside the memory, and no other task touches it.
    pub(super) unsafe fn write(self, position: isize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { self.address(position).write(value) }
    }

    /// The `len` elements from `start` on.
    ///
    /// # Safety
    /// They lie inside the memory, and nobody else touches them while the slice lives.
    pub(super) unsafe fn slice(self, start: isize, len: usize) -> &'a mut [T] {
        debug_assert!(start >= 0 && start as usize + len <= self.len, "{start} + {len} outside of {}", self.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.offset(start), len) }
    }
}
