//! How work is divided among threads: by the number of threads alone, so that results repeat bit by bit.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;

/// Operations below which a second thread costs more than it brings.
pub(super) const WORTH_A_THREAD: usize = 1 << 15;
/// Multiplications that the kernels of products do in the time of one operation of other loops. Tests divide small products, too.
const MULTIPLICATIONS: usize = if cfg!(test) { 1 } else { 16 };

/// Number of threads that so many operations are worth.
pub(super) fn worth(threads: usize, operations: usize) -> usize {
    threads.min(operations / WORTH_A_THREAD).max(1)
}

/// Number of threads that so many multiplications of a product are worth.
pub(super) fn worth_product(threads: usize, multiplications: usize) -> usize {
    worth(threads, multiplications / MULTIPLICATIONS)
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
    split(threads, items, multiplications / MULTIPLICATIONS, task);
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
