//! How work is divided among threads: by the number of threads alone, so that results repeat bit by bit.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;

/// Operations below which a second thread costs more than it brings.
pub(super) const WORTH_A_THREAD: usize = 1 << 15;

/// Number of threads that so many operations are worth.
pub(super) fn worth(threads: usize, operations: usize) -> usize {
    threads.min(operations / WORTH_A_THREAD).max(1)
}

/// Runs a task for ranges that make up `0..items`: one for each thread that the operations are worth. The task is not generic, so
/// that each caller's kernel is compiled into one closure once.
pub(super) fn split(threads: usize, items: usize, operations: usize, task: &(dyn Fn(Range<usize>) + Sync)) {
    let parts = worth(threads, operations).min(items).max(1);
    if parts == 1 {
        return task(0..items);
    }
    let bound = |part: usize| (items as u128 * part as u128 / parts as u128) as usize;
    thread_pool::each(parts, &|part| task(bound(part)..bound(part + 1)));
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
