//! The memory of dropped tensors, kept for new results. There is one pool for large pieces, and one for pieces of medium size.
//!
//! The system clears every page that it hands out, which often takes longer than the product that fills it.
//!
//! The bounds hold for the whole process, and memory that was kept longest is released first. Pieces below 4 MiB have a pool and a bound
//! of their own, so that many medium-sized tensors do not push out the large one that the next result needs. Threads that allocate or
//! free memory never wait for that pool.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::plain::Plain;

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Bytes from which memory is worth keeping: smaller memory is cleared as fast as it is found.
const KEPT: usize = 16 << 10;
/// Bytes of large memory, which is kept on a pool of its own: much of other sizes must not push it out.
const LARGE: usize = 4 << 20;
/// Bytes of large memory that are kept at most, unless the program says otherwise.
const MOST: usize = 1 << 30;
/// Bytes of memory that is not large that are kept at most.
const MOST_OF_OTHERS: usize = 32 << 20;
/// How many pieces a pool has at most, for a result may look at all of them: what large ones come to by their bytes alone.
const PIECES: usize = MOST / LARGE;

/// Sets how many bytes the process keeps of the memory of large, dropped tensors, to use them for new results. The bound is 1 GiB at the
/// start. Memory beyond the new bound is returned to the system at once; with 0, no memory is kept from then on.
///
/// In addition, at most 32 MiB of pieces between 16 KiB and 4 MiB are kept, or this bound if it is less. Smaller pieces are returned to
/// the allocator. Kept memory makes new results faster: the system clears new pages first, which often takes longer than the product that
/// fills them.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// tensorwrapper::keep_memory(0); // what is kept goes back to the system, and so does all that is dropped later
/// # tensorwrapper::keep_memory(1 << 30);
/// ```
pub fn keep_memory(bytes: usize) {
    let told = |pool: &mut Pool, most: usize| {
        pool.most = most;
        pool.shrink(most)
    };
    // Both locks are open again when memory goes: that takes its time.
    let gone = [told(&mut wait_for(&LARGE_ONES), bytes), told(&mut wait_for(&OTHERS), bytes.min(MOST_OF_OTHERS))];
    drop(gone);
}

/// Returns all kept memory to the system, after the system has refused to give more. Returns whether there was any.
pub fn give_back() -> bool {
    let gone = [wait_for(&LARGE_ONES).shrink(0), wait_for(&OTHERS).shrink(0)];
    gone.iter().any(|gone| !gone.is_empty())
}

/// Memory without a tensor, the longest kept first.
#[derive(Debug)]
pub(super) struct Pool {
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

static LARGE_ONES: Mutex<Pool> = Mutex::new(Pool::new(MOST));
static OTHERS: Mutex<Pool> = Mutex::new(Pool::new(MOST_OF_OTHERS));

fn wait_for(pool: &'static Mutex<Pool>) -> MutexGuard<'static, Pool> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pool for elements of this number of bytes. `None` for small ones, and for medium ones while another thread is using their pool:
/// the allocator is faster then.
pub(super) fn pool(bytes: usize) -> Option<MutexGuard<'static, Pool>> {
    if bytes < KEPT {
        None
    } else if bytes >= LARGE {
        Some(wait_for(&LARGE_ONES))
    } else {
        match OTHERS.try_lock() {
            Ok(pool) => Some(pool),
            Err(TryLockError::Poisoned(pool)) => Some(pool.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Pool {
    const fn new(most: usize) -> Pool {
        Pool { kept: VecDeque::new(), bytes: 0, most }
    }

    /// Keeps the memory of `len` elements, and returns the memory that has to be released for it. Memory that no result of this length
    /// could use is returned at once.
    #[must_use]
    pub(super) fn keep<T: Plain>(&mut self, elements: Vec<T>, len: usize) -> (Vec<Kept>, Option<Vec<T>>) {
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

    /// Releases the memory that was kept longest, until no more than this number of bytes is left.
    #[must_use]
    fn shrink(&mut self, bytes: usize) -> Vec<Kept> {
        let mut gone = Vec::new();
        while self.bytes > bytes {
            gone.extend(self.drop_longest());
        }
        gone
    }

    /// Releases the memory that was kept longest.
    fn drop_longest(&mut self) -> Option<Kept> {
        let kept = self.kept.pop_front()?;
        self.bytes -= kept.bytes;
        Some(kept)
    }

    /// Kept memory for `len` elements, if it is not much too large: some of their class, or else the smallest. Of equal ones it is the last
    /// one kept, which the caches may still have.
    pub(super) fn take<T: Plain>(&mut self, len: usize) -> Option<Vec<T>> {
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
                if found < class_of::<T>(len) + LINE {
                    break;
                }
            }
        }
        let kept = self.kept.remove(best?.1)?;
        self.bytes -= kept.bytes;
        kept.elements.downcast().ok().map(|memory| *memory)
    }
}

/// How many bytes are asked for where nearly as long results follow. Memory of medium size comes in classes then, eight for each power of
/// two, so that results of nearly one size, as products of block tensors have them, take each other's.
pub fn bytes_of_class(bytes: usize) -> usize {
    if (KEPT..LARGE).contains(&bytes) { bytes.next_multiple_of(bytes.next_power_of_two() / 16) } else { bytes }
}

/// The same in elements.
pub(super) fn class_of<T>(len: usize) -> usize {
    len.max(bytes_of_class(len.saturating_mul(size_of::<T>())) / size_of::<T>())
}

/// Whether memory has room for this number of elements after the first cache line that begins in it.
fn has_room_for<T>(memory: &[T], len: usize) -> bool {
    memory.as_ptr().align_offset(LINE).saturating_add(len) <= memory.len()
}

/// Whether a vector of this capacity is worth using for this number of elements: large enough, and not much too large.
pub(super) fn is_near(capacity: usize, len: usize) -> bool {
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
        let mut pool = Pool::new(3 * 8 * LEN);
        let first = memory(LEN);
        let (at, bytes) = (first.as_ptr(), 8 * first.capacity());
        assert!(pool.keep(first, LEN).0.is_empty());
        assert_eq!(pool.bytes, bytes);
        assert!(pool.take::<f32>(LEN).is_none(), "another type");
        assert!(pool.take::<f64>(LEN + 1).is_none(), "too small");
        assert!(pool.take::<f64>(LEN / 2).is_none(), "much too large");
        let again = pool.take::<f64>(LEN - 10).unwrap();
        assert_eq!((again.as_ptr(), pool.bytes), (at, 0));
        assert!(pool.take::<f64>(LEN - 10).is_none(), "it was taken");
    }

    #[test]
    fn no_more_is_kept_than_is_said() {
        let mut pool = Pool::new(2 * 8 * (LEN + LINE));
        for n in 0..4 {
            let mut elements = memory(LEN);
            elements.fill(n as f64);
            let (gone, refused) = pool.keep(elements, LEN);
            assert_eq!((gone.len(), refused), (usize::from(n >= 2), None));
        }
        assert_eq!(pool.kept.len(), 2);
        assert_eq!(pool.take::<f64>(LEN - 10).unwrap()[0], 3.0, "of equals the one that went last");
        assert!(pool.keep(memory(3 * LEN), 3 * LEN).1.is_some(), "more than may be kept at all");
        assert_eq!((pool.shrink(0).len(), pool.bytes), (1, 0));
    }

    #[test]
    fn what_no_result_of_its_size_could_have_goes() {
        let mut pool = Pool::new(MOST);
        let mut elements = memory(LEN);
        elements.truncate(LEN / 2);
        assert!(pool.keep(elements, LEN / 2).1.is_some(), "most of its memory is empty");
        let mut elements = memory(LEN);
        let first = elements.as_ptr().align_offset(LINE);
        elements.truncate(LEN - LINE);
        assert!(pool.keep(elements, LEN - LINE - first).1.is_none());
        assert!(pool.keep(vec![0.0; LEN], LEN + 1).1.is_some(), "no room behind a line");
        assert_eq!(pool.kept.len(), 1);
    }

    #[test]
    fn results_of_one_class_take_each_others_memory() {
        for len in [3000, 5000, 12_345, 16_384, 100_001, LARGE / 8 - 1] {
            let class = class_of::<f64>(len);
            assert!(
                (len..=len + len / 8 + 1).contains(&class) && class_of::<f64>(class.min(LARGE / 8 - 1)) <= class,
                "{len}: {class}"
            );
            let mut pool = Pool::new(MOST);
            let shorter = class - class / 20;
            let elements = vec![1.0; class_of::<f64>(shorter) + LINE / 8 - 1];
            let at = elements.as_ptr();
            assert!(shorter < class_of::<f64>(shorter));
            assert!(pool.keep(elements, shorter).1.is_none());
            let longer = class_of::<f64>(shorter).min(LARGE / 8 - 1);
            assert_eq!(pool.take::<f64>(longer).map(|found| found.as_ptr()), Some(at), "{shorter} for {longer}");
        }
        assert_eq!((class_of::<f64>(10), class_of::<f64>(LEN)), (10, LEN), "small and large ones are as long as they are");
    }

    #[test]
    fn pool_bounds_number_of_buffers() {
        let mut pool = Pool::new(MOST);
        for n in 0..PIECES + 3 {
            let (gone, refused) = pool.keep(memory(1000 + 8 * n), 1000 + 8 * n);
            assert_eq!((gone.len(), refused), (usize::from(n >= PIECES), None));
        }
        assert_eq!(pool.kept.len(), PIECES);
        assert_eq!(pool.bytes, pool.kept.iter().map(|kept| kept.bytes).sum());
        let found = pool.take::<f64>(1000 + 8 * PIECES).unwrap();
        assert!(found.len() < class_of::<f64>(1000 + 8 * PIECES) + LINE, "one of its class");
    }
}
