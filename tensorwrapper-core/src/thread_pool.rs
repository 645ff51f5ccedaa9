//! Runs work on the threads of rayon's pool, if this process has them. A process made by `fork` has none, and work that is sent to the
//! pool there never runs.
//!
//! Code that sends work to the pool, directly or through gemm or faer, asks here first. This file knows nothing of the work.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

/// The process that was the first to send work to the pool; 0 before that.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// The number of threads to use: `wanted`, or 1 if the pool belongs to the process that this one was forked from.
///
/// Call this right before work is sent to the pool. The pool belongs to the first process that asks for more than one thread. The
/// function makes a system call.
pub fn threads(wanted: usize) -> usize {
    if wanted > 1 && !is_ours() { 1 } else { wanted }
}

/// Whether work may go to the pool.
fn is_ours() -> bool {
    let own = std::process::id();
    match OWNER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(owner) => owner == own,
    }
}

/// Runs two tasks, at the same time if more than one thread is wanted and available.
pub fn join<A: Send, B: Send>(wanted: usize, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if threads(wanted) > 1 { rayon::join(a, b) } else { (a(), b()) }
}

/// Runs a task for each number below `parts`, in parallel if there are threads. The task is not generic, so that rayon's code is
/// compiled once.
pub fn each(parts: usize, task: &(dyn Fn(usize) + Sync)) {
    if threads(parts) > 1 {
        (0..parts).into_par_iter().with_max_len(1).for_each(task);
    } else {
        (0..parts).for_each(task);
    }
}

/// Runs a task for each item, on as many threads as wanted, if they are available. Which thread runs which item is not said.
pub fn each_mut<T: Send>(wanted: usize, items: &mut [T], task: &(dyn Fn(&mut T) + Sync)) {
    let threads = threads(wanted.min(items.len()));
    if threads > 1 {
        // All threads of the pool may take what is next; fewer get a share each.
        let least = if threads < rayon::current_num_threads() { items.len().div_ceil(threads) } else { 1 };
        items.par_iter_mut().with_min_len(least).with_max_len(least).for_each(task);
    } else {
        items.iter_mut().for_each(task);
    }
}

/// The results of a task for each number of a range, in order. Uses as many threads as wanted, if they are available.
pub fn map<T: Send>(wanted: usize, range: Range<usize>, task: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    let threads = threads(wanted.min(range.len()));
    if threads > 1 {
        let least = range.len().div_ceil(threads);
        range.into_par_iter().with_min_len(least).map(task).collect()
    } else {
        range.map(task).collect()
    }
}
