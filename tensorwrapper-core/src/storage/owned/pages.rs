//! Elements in pages of their own that the system never moves, as long as their memory does not.

use super::Owned;
use crate::error::Error;
use crate::storage::device_mirror;
use crate::storage::memory::{refused, reserve};
use crate::storage::plain::Plain;

/// Bytes of a page of memory, or a multiple of them.
const PAGE: usize = 1 << 16;

impl<T: Plain> Owned<T> {
    /// A copy of elements in pages that nothing else lies in, which `pin` is told of, by address and bytes, and keeps where they are as
    /// long as what it gives back lives.
    ///
    /// # Errors
    /// As [`zeros`](Owned::zeros), and what `pin` reports.
    pub fn in_pages(
        elements: &[T],
        pin: impl FnOnce(std::ops::Range<usize>) -> Result<device_mirror::Copy, Error>,
    ) -> Result<Owned<T>, Error> {
        let size = size_of::<T>();
        let whole = size_of_val(elements).next_multiple_of(PAGE) / size;
        let mut memory = reserve::<T>(whole + PAGE / size).map_err(|_| refused::<T>(elements.len()))?;
        let start = memory.as_ptr().align_offset(PAGE);
        assert!(start <= PAGE / size, "a page begins in each that is as long");
        memory.resize(start, T::default());
        memory.extend_from_slice(elements);
        let mut owned = Owned::from(memory);
        owned.start = start;
        let first = owned.as_ptr() as usize;
        owned.pinned = Some(pin(first..first + whole * size)?);
        Ok(owned)
    }

    /// Whether the system keeps them where they are.
    pub fn is_pinned(&self) -> bool {
        self.pinned.is_some()
    }

    /// The memory may move or go.
    #[inline]
    pub(super) fn unpin(&mut self) {
        self.drop_mirror();
        if self.pinned.is_some() {
            self.pinned = None;
        }
    }
}
