//! Addresses on the device, and the list of the host's pages that are pinned for it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// An address in the memory of a device.
pub(crate) type Address = u64;

/// The ranges of pages that are pinned for a device: the end of each by its beginning.
#[derive(Debug, Default)]
pub(crate) struct PinnedRanges(Mutex<BTreeMap<usize, usize>>);

impl PinnedRanges {
    /// Whether all of these bytes are pinned.
    pub(crate) fn contain(&self, bytes: &[u8]) -> bool {
        let start = bytes.as_ptr() as usize;
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !bytes.is_empty() && pages.range(..=start).next_back().is_some_and(|(_, &end)| start + bytes.len() <= end)
    }

    /// Notes that these pages are pinned from now on.
    pub(crate) fn insert(&self, pages: &Range<usize>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(pages.start, pages.end);
    }

    /// Notes that they are not any more.
    pub(crate) fn remove(&self, pages: &Range<usize>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&pages.start);
    }
}
