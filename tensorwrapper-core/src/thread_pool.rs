//! Work for the threads of rayon's pool, if this process has them: a process made by `fork` has none, and what is sent to the pool there is
//! never done.
//!
//! Everything that sends work to the pool, rayon's own or by way of gemm or faer, asks here before. Knows nothing of the work.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

/// The process that was the first to send work to the pool; 0 before that.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// So many threads, but one where the pool is that of the process of which this one is a copy.
///
/// To be asked when work is about to go to the pool, which belongs to the first that asks for more than one. It is a call of the system.
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

/// Two tasks at once where more than one thread is wanted and there, else one after the other.
pub fn join<A: Send, B: Send>(wanted: usize, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if threads(wanted) > 1 { rayon::join(a, b) } else { (a(), b()) }
}

/// A task for each number below `parts`, at once where there are threads.
pub fn each(parts: usize, task: impl Fn(usize) + Send + Sync) {
    if threads(parts) > 1 {
        (0..parts).into_par_iter().with_max_len(1).for_each(task);
    } else {
        (0..parts).for_each(task);
    }
}

/// What a task makes of each number of a range, in its order, on so many threads where these are there.
pub fn map<T: Send>(wanted: usize, range: Range<usize>, task: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    let threads = threads(wanted.min(range.len()));
    if threads > 1 {
        let least = range.len().div_ceil(threads);
        range.into_par_iter().with_min_len(least).map(task).collect()
    } else {
        range.map(task).collect()
    }
}
