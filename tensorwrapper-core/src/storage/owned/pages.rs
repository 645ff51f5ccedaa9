//! Elements in pages of their own, which the system does not move as long as the elements keep their memory.

use super::Owned;
use crate::error::Error;
use crate::storage::device_mirror;
use crate::storage::memory::{refused, reserve};
use crate::storage::plain::Plain;

/// Bytes of a page of memory, or a multiple of them.
const PAGE: usize = 1 << 16;

impl<T: Plain> Owned<T> {
    /// A copy of elements in pages that hold nothing else. `pin` is called with the addresses of the pages, and pins them until its
    /// result is dropped.
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

    /// Whether the pages of the elements are pinned.
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
