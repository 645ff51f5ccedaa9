//! How work is divided among threads: by the number of threads alone, so that results repeat bit by bit.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;

/// Operations below which a second thread costs more than it brings.
pub(super) const WORTH_A_THREAD: usize = 1 << 15;
/// Multiplications that kernels do in the time of one operation of other loops, where both factors are read many times. Tests divide small
/// products, too.
const PACKED: usize = if cfg!(test) { 1 } else { 16 };
/// The same, where a large factor is read once, for a few multiplications of each of its numbers.
const STREAMED: usize = if cfg!(test) { 1 } else { 4 };

/// Number of threads that so many operations are worth.
pub(super) fn worth(threads: usize, operations: usize) -> usize {
    threads.min(operations / WORTH_A_THREAD).max(1)
}

/// Number of threads that so many multiplications of a product are worth.
pub(super) fn worth_product(threads: usize, multiplications: usize) -> usize {
    worth(threads, multiplications / PACKED)
}

/// As [`worth_product`], if a large factor is read once.
pub(super) fn worth_pass(threads: usize, multiplications: usize) -> usize {
    worth(threads, multiplications / STREAMED)
}

/// Whether threads had better share the items of a product, with so many multiplications each, than each item: there are `many` for each
/// thread, or more threads are at work then. `worth` tells what so many multiplications are worth.
pub(super) fn shares_items(threads: usize, (items, many): (usize, usize), each: usize, worth: fn(usize, usize) -> usize) -> bool {
    let all = worth(threads, items.saturating_mul(each)).min(items).max(1);
    items >= many * threads || worth(threads, each) * items.div_ceil(all) < items
}

/// Where a part of `0..items` begins, of so many parts of about one length.
pub(super) fn bound(items: usize, part: usize, parts: usize) -> usize {
    (items as u128 * part as u128 / parts as u128) as usize
}

/// Adds what threads have summed apart, `len` sums each, in their order: the totals.
pub(super) fn add_parts<T: Element>(sums: &mut [T], len: usize) -> &mut [T] {
    let (total, others) = sums.split_at_mut(len);
    for other in others.chunks(len) {
        total.iter_mut().zip(other).for_each(|(sum, &x)| *sum += x);
    }
    total
}

/// Runs a task for ranges that make up `0..items`: one for each thread that the operations are worth. The task is not generic, so
/// that each caller's kernel is compiled into one closure once.
pub(super) fn split(threads: usize, items: usize, operations: usize, task: &(dyn Fn(Range<usize>) + Sync)) {
    let parts = worth(threads, operations).min(items).max(1);
    if parts == 1 {
        return task(0..items);
    }
    thread_pool::each(parts, &|part| task(bound(items, part, parts)..bound(items, part + 1, parts)));
}

/// As [`split`], for items of a product with so many multiplications in all.
pub(super) fn split_product(threads: usize, items: usize, multiplications: usize, task: &(dyn Fn(Range<usize>) + Sync)) {
    split(threads, items, multiplications / PACKED, task);
}

/// As [`split_product`], if a large factor is read once.
pub(super) fn split_pass(threads: usize, items: usize, multiplications: usize, task: &(dyn Fn(Range<usize>) + Sync)) {
    split(threads, items, multiplications / STREAMED, task);
}

/// Runs tasks on many threads, each of which says how it ended; one of their errors, if there are any.
pub(super) fn failing(tasks: impl FnOnce(&(dyn Fn(Result<(), Error>) + Sync))) -> Result<(), Error> {
    let failed = Mutex::new(Ok(()));
    tasks(&|result| {
        if result.is_err() {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = result;
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_items_are_shared_if_each_alone_is_worth_less() {
        let shares = |threads, items, each| shares_items(threads, (items, 4), each, |threads, each| threads.min(each).max(1));
        // Each is worth so many threads as its number says.
        for (threads, items, each, expected) in [
            (2, 3, 1, true),
            (16, 17, 15, false),
            (16, 63, 1, true),
            (16, 63, 16, false),
            (16, 64, 16, true),
            (16, 3, 1, true),
            (2, 1, 1, false),
            (2, 0, 1, false),
            (1, 4, 1, true),
        ] {
            assert_eq!(shares(threads, items, each), expected, "{threads} threads, {items} items of {each}");
        }
    }
}
