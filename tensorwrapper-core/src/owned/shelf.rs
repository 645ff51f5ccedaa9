//! Memory that is kept for the next results, on two shelves: of large tensors, and of others that are not small.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::LINE;
use crate::element::Element;

/// Bytes of memory that is worth keeping: what is smaller is cleared as fast as it is found.
const KEPT: usize = 16 << 10;
/// Bytes of large memory, which is kept on a shelf of its own: much of other sizes must not push it out.
const LARGE: usize = 4 << 20;
/// Bytes of large memory that are kept at most, unless the program says otherwise.
const MOST: usize = 1 << 30;
/// Bytes of memory that is not large that are kept at most.
const MOST_OF_OTHERS: usize = 32 << 20;
/// How many pieces a shelf has at most, for a result may look at all of them: what large ones come to by their bytes alone.
const PIECES: usize = MOST / LARGE;

/// Says how many bytes of memory of large tensors that are gone the whole process keeps for results to come: 1 GiB until
/// told otherwise. What is above that now is given back at once, so that 0 gives back all, and nothing is kept from then on.
///
/// Of memory between 16 KiB and 4 MiB no more than 32 MiB are kept beside that, nor more than is said here; smaller memory is the
/// allocator's business in any case. Kept memory makes the next result faster: pages that are new must be cleared by the
/// system first, which takes longer than many a product that fills them.
///
/// ```
/// use tensorwrapper_runtime::{Tensor, keep_memory};
/// drop(Tensor::<f64>::zeros([1024, 1024])?); // its 8 MiB wait for a result of that size
/// keep_memory(0); // and are the system's again
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub fn keep_memory(bytes: usize) {
    let told = |shelf: &mut Shelf, most: usize| {
        shelf.most = most;
        shelf.shrink(most)
    };
    // Both locks are open again when memory goes: that takes its time.
    let gone = [told(&mut wait_for(&LARGE_ONES), bytes), told(&mut wait_for(&OTHERS), bytes.min(MOST_OF_OTHERS))];
    drop(gone);
}

/// Gives all that is kept back to the system, which has refused to give more; whether there was any.
pub fn give_back() -> bool {
    let gone = [wait_for(&LARGE_ONES).shrink(0), wait_for(&OTHERS).shrink(0)];
    gone.iter().any(|gone| !gone.is_empty())
}

/// Memory without a tensor, the longest kept first.
#[derive(Debug)]
pub(super) struct Shelf {
    kept: VecDeque<Kept>,
    bytes: usize,
    most: usize,
}

#[derive(Debug)]
pub(super) struct Kept {
    bytes: usize,
    /// A vector of elements.
    elements: Box<dyn Any + Send>,
}

static LARGE_ONES: Mutex<Shelf> = Mutex::new(Shelf::new(MOST));
static OTHERS: Mutex<Shelf> = Mutex::new(Shelf::new(MOST_OF_OTHERS));

fn wait_for(shelf: &'static Mutex<Shelf>) -> MutexGuard<'static, Shelf> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The shelf for elements of so many bytes. None for small ones, and for others that are not large while another thread is at their shelf:
/// the allocator has them sooner.
pub(super) fn shelf(bytes: usize) -> Option<MutexGuard<'static, Shelf>> {
    if bytes < KEPT {
        None
    } else if bytes >= LARGE {
        Some(wait_for(&LARGE_ONES))
    } else {
        match OTHERS.try_lock() {
            Ok(shelf) => Some(shelf),
            Err(TryLockError::Poisoned(shelf)) => Some(shelf.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Shelf {
    const fn new(most: usize) -> Shelf {
        Shelf { kept: VecDeque::new(), bytes: 0, most }
    }

    /// Keeps the memory of so many elements, and says what has to go for it. What no result of as many could have goes at once.
    #[must_use]
    pub(super) fn keep<T: Element>(&mut self, elements: Vec<T>, len: usize) -> (Vec<Kept>, Option<Vec<T>>) {
        let bytes = elements.capacity() * size_of::<T>();
        if bytes > self.most || !has_room_for(&elements, len) || !is_near(elements.capacity(), len) {
            return (Vec::new(), Some(elements));
        }
        let mut gone = self.shrink(self.most - bytes);
        if self.kept.len() == PIECES {
            gone.extend(self.drop_longest());
        }
        self.bytes += bytes;
        self.kept.push_back(Kept { bytes, elements: Box::new(elements) });
        (gone, None)
    }

    /// Gives up the longest kept until no more than so many bytes are left.
    #[must_use]
    fn shrink(&mut self, bytes: usize) -> Vec<Kept> {
        let mut gone = Vec::new();
        while self.bytes > bytes {
            gone.extend(self.drop_longest());
        }
        gone
    }

    /// Gives up the longest kept.
    fn drop_longest(&mut self) -> Option<Kept> {
        let kept = self.kept.pop_front()?;
        self.bytes -= kept.bytes;
        Some(kept)
    }

    /// The smallest that is kept for so many elements, if it is not much too large; of equals the one that went last, which the
    /// caches may still have.
    pub(super) fn take<T: Element>(&mut self, len: usize) -> Option<Vec<T>> {
        let fits = |kept: &Kept| {
            if !is_near(kept.bytes / size_of::<T>(), len) {
                return None;
            }
            let memory = kept.elements.downcast_ref::<Vec<T>>()?;
            has_room_for(memory, len).then_some(memory.len())
        };
        let mut best: Option<(usize, usize)> = None;
        for (n, kept) in self.kept.iter().enumerate().rev() {
            if let Some(found) = fits(kept).filter(|&found| best.is_none_or(|(least, _)| found < least)) {
                best = Some((found, n));
                if found < len + LINE {
                    break;
                }
            }
        }
        let kept = self.kept.remove(best?.1)?;
        self.bytes -= kept.bytes;
        kept.elements.downcast().ok().map(|memory| *memory)
    }
}

/// Whether memory has room for so many elements behind the first line that begins in it.
fn has_room_for<T>(memory: &[T], len: usize) -> bool {
    memory.as_ptr().align_offset(LINE).saturating_add(len) <= memory.len()
}

/// Whether a vector of this capacity is worth having for so many elements: enough, and not much too large.
fn is_near(capacity: usize, len: usize) -> bool {
    (len..=len + len / 4 + LINE).contains(&capacity)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = LARGE / 8 + 12_345;

    /// So many elements from a line on, with no more memory than they need.
    fn memory(len: usize) -> Vec<f64> {
        let mut memory = vec![0.0; len + LINE / 8 - 1];
        memory.truncate(memory.as_ptr().align_offset(LINE) + len);
        memory
    }

    #[test]
    fn memory_that_is_gone_is_the_next_results() {
        let mut shelf = Shelf::new(3 * 8 * LEN);
        let first = memory(LEN);
        let (at, bytes) = (first.as_ptr(), 8 * first.capacity());
        assert!(shelf.keep(first, LEN).0.is_empty());
        assert_eq!(shelf.bytes, bytes);
        assert!(shelf.take::<f32>(LEN).is_none(), "another type");
        assert!(shelf.take::<f64>(LEN + 1).is_none(), "too small");
        assert!(shelf.take::<f64>(LEN / 2).is_none(), "much too large");
        let again = shelf.take::<f64>(LEN - 10).unwrap();
        assert_eq!((again.as_ptr(), shelf.bytes), (at, 0));
        assert!(shelf.take::<f64>(LEN - 10).is_none(), "it was taken");
    }

    #[test]
    fn no_more_is_kept_than_is_said() {
        let mut shelf = Shelf::new(2 * 8 * (LEN + LINE));
        for n in 0..4 {
            let mut elements = memory(LEN);
            elements.fill(n as f64);
            let (gone, refused) = shelf.keep(elements, LEN);
            assert_eq!((gone.len(), refused), (usize::from(n >= 2), None));
        }
        assert_eq!(shelf.kept.len(), 2);
        assert_eq!(shelf.take::<f64>(LEN - 10).unwrap()[0], 3.0, "of equals the one that went last");
        assert!(shelf.keep(memory(3 * LEN), 3 * LEN).1.is_some(), "more than may be kept at all");
        assert_eq!((shelf.shrink(0).len(), shelf.bytes), (1, 0));
    }

    #[test]
    fn what_no_result_of_its_size_could_have_goes() {
        let mut shelf = Shelf::new(MOST);
        let mut elements = memory(LEN);
        elements.truncate(LEN / 2);
        assert!(shelf.keep(elements, LEN / 2).1.is_some(), "most of its memory is empty");
        let mut elements = memory(LEN);
        let first = elements.as_ptr().align_offset(LINE);
        elements.truncate(LEN - LINE);
        assert!(shelf.keep(elements, LEN - LINE - first).1.is_none());
        assert!(shelf.keep(vec![0.0; LEN], LEN + 1).1.is_some(), "no room behind a line");
        assert_eq!(shelf.kept.len(), 1);
    }

    #[test]
    fn there_are_not_too_many_to_look_at() {
        let mut shelf = Shelf::new(MOST);
        for n in 0..PIECES + 3 {
            let (gone, refused) = shelf.keep(memory(1000 + 8 * n), 1000 + 8 * n);
            assert_eq!((gone.len(), refused), (usize::from(n >= PIECES), None));
        }
        assert_eq!(shelf.kept.len(), PIECES);
        assert_eq!(shelf.bytes, shelf.kept.iter().map(|kept| kept.bytes).sum());
        let found = shelf.take::<f64>(1000 + 8 * PIECES).unwrap();
        assert!(found.len() < 1000 + 8 * PIECES + LINE, "the smallest that does");
    }
}
