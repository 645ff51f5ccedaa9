//! Elements that have a copy in the memory of a device, found by their addresses on the host.
//!
//! Only its device can read a copy. A copy can be found as long as its `Mirror` lives. The mirror is dropped before the elements may
//! change or are freed, so a copy that is found is always equal to the elements.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A copy, in a type that only its device knows.
pub type Copy = Arc<dyn Any + Send + Sync>;

/// Copies by the addresses of their elements' beginnings, with those of their ends.
static COPIES: RwLock<BTreeMap<usize, (usize, Copy)>> = RwLock::new(BTreeMap::new());
/// How many there are, so that programs without a device ask nothing.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// Keeps the copy of some elements registered as long as it lives.
#[derive(Debug)]
pub(crate) struct Mirror {
    start: usize,
}

impl Mirror {
    /// Registers the copy of the elements at these addresses; `None` if there are no elements.
    pub(crate) fn new(addresses: Range<usize>, copy: Copy) -> Option<Mirror> {
        if addresses.is_empty() {
            return None;
        }
        let mut copies = COPIES.write().unwrap_or_else(PoisonError::into_inner);
        let before = copies.insert(addresses.start, (addresses.end, copy));
        debug_assert!(before.is_none(), "elements have one owner, and that one copy");
        NUMBER.fetch_add(1, Ordering::Relaxed);
        Some(Mirror { start: addresses.start })
    }
}

impl Drop for Mirror {
    #[inline]
    fn drop(&mut self) {
        let gone = COPIES.write().unwrap_or_else(PoisonError::into_inner).remove(&self.start);
        NUMBER.fetch_sub(1, Ordering::Relaxed);
        // The lock is open again: a device takes its time.
        drop(gone);
    }
}

/// Whether no elements at all have a copy.
#[inline]
pub fn is_empty() -> bool {
    // Whoever borrows elements with a copy has seen it made.
    NUMBER.load(Ordering::Relaxed) == 0
}

/// The copy that contains the elements at these addresses, and their offset in it, in bytes; `None` if there is no such copy.
#[inline]
pub fn find(addresses: Range<usize>) -> Option<(Copy, usize)> {
    if is_empty() || addresses.is_empty() {
        return None;
    }
    let copies = COPIES.read().unwrap_or_else(PoisonError::into_inner);
    let (&start, (end, copy)) = copies.range(..=addresses.start).next_back()?;
    (addresses.end <= *end).then(|| (Arc::clone(copy), addresses.start - start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_what_has_a_copy_are_found_as_long_as_it_is_mirrored() {
        let elements = [0u8; 100];
        let start = elements.as_ptr() as usize;
        let found = |from: usize, to: usize| find(start + from..start + to).map(|(_, before)| before);
        assert_eq!(found(0, 10), None);
        let mirrored = Mirror::new(start + 10..start + 90, Arc::new(())).unwrap();
        assert_eq!([found(10, 90), found(20, 30), found(89, 90)], [Some(0), Some(10), Some(79)]);
        assert_eq!([found(9, 20), found(80, 91), found(20, 20), found(0, 5)], [None; 4]);
        drop(mirrored);
        assert_eq!(found(20, 30), None);
        assert!(Mirror::new(start..start, Arc::new(())).is_none());
    }
}
