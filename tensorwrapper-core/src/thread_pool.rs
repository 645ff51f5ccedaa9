//! Runs work on the calling thread and on others, if this process has them. A process made by `fork` has none, and work that is sent to
//! rayon's pool there never runs.
//!
//! The calling thread begins at once, takes what no other thread has begun yet, and waits for those alone that have begun: to wake a thread
//! takes some 5 to 50 µs, or milliseconds if the system puts it where this one runs.
//!
//! Code that sends work to the pool, directly or through gemm or faer, asks here first. This file knows nothing of the work.

mod helpers;
mod lent;
mod places;

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use helpers::Helpers;
use lent::{Lent, lend};

/// The process that was the first to send work to the pool; 0 before that.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// How many requests to help wait in rayon's pools. A thread that comes to one after its call has ended helps with another call.
static SENT: AtomicUsize = AtomicUsize::new(0);
/// So many of them at most: where all threads are busy, nobody comes.
const MOST_SENT: usize = 1024;

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

/// Does work on so many threads at most, this one and others, and returns when it is done.
fn together(wanted: usize, work: &(dyn Fn() + Sync)) {
    let most = if wanted > 1 && is_ours() { rayon::current_num_threads() } else { 1 };
    let others = wanted.min(most).saturating_sub(1);
    if others == 0 {
        return work();
    }
    if rayon::current_thread_index().is_none() {
        let call = Helpers::of_process(most - 1).call();
        return lend(work, others, |lent| _ = call.ask(lent, others), |lent| call.withdraw(lent));
    }
    // Work that is a part of other work in rayon's pool stays there: whoever has nothing to do takes what is asked for then.
    let helpers = Helpers::of_rayon(most - 1);
    let call = helpers.call();
    let send = |lent: &Arc<Lent>| {
        for _ in 0..call.ask(lent, others) {
            let one_more = |sent: usize| (sent < MOST_SENT).then_some(sent + 1);
            if SENT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_err() {
                break;
            }
            rayon::spawn(|| {
                SENT.fetch_sub(1, Ordering::Relaxed);
                helpers.help_once();
            });
        }
    };
    lend(work, others, send, |lent| call.withdraw(lent));
}

/// Runs two tasks, at the same time if more than one thread is wanted and available.
pub fn join<A: Send, B: Send>(wanted: usize, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut of_a, mut of_b) = (None, None);
    let mut first = || of_a = a.take().map(|a| a());
    let mut second = || of_b = b.take().map(|b| b());
    let tasks: &mut [&mut (dyn FnMut() + Send)] = &mut [&mut first, &mut second];
    each_mut(wanted, tasks, &|task| task());
    let done = "each task has run once";
    (of_a.expect(done), of_b.expect(done))
}

/// Runs a task for each number below `parts`, in parallel if there are threads. The task is not generic, so that this code is compiled
/// once.
pub fn each(parts: usize, task: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let number = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&n| n < parts);
    together(parts, &|| std::iter::from_fn(number).for_each(task));
}

/// Runs a task for each item, on as many threads as wanted, if they are available. Which thread runs which item is not said.
pub fn each_mut<T: Send>(wanted: usize, items: &mut [T], task: &(dyn Fn(&mut T) + Sync)) {
    let wanted = wanted.min(items.len());
    let items = Mutex::new(items.iter_mut());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    together(wanted, &|| std::iter::from_fn(next).for_each(task));
}

/// The results of a task for each number of a range, in order. Uses as many threads as wanted, if they are available.
pub fn map<T: Send>(wanted: usize, range: Range<usize>, task: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    let parts = wanted.min(range.len()).max(1);
    let len = range.len().div_ceil(parts).max(1);
    let part = |start: usize| (start..range.end.min(start + len), Vec::new());
    let mut parts: Vec<(Range<usize>, Vec<T>)> = range.clone().step_by(len).map(part).collect();
    each_mut(wanted, &mut parts, &|(part, results)| results.extend(part.by_ref().map(&task)));
    parts.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_and_item_is_visited_once() {
        for parts in [0, 1, 2, 3, 17] {
            let visits: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
            each(parts, &|n| {
                visits[n].fetch_add(1, Ordering::Relaxed);
            });
            assert!(visits.iter().all(|visits| visits.load(Ordering::Relaxed) == 1), "{parts}");
            for wanted in [0, 1, 2, 40] {
                let mut items: Vec<usize> = (0..parts).collect();
                each_mut(wanted, &mut items, &|item| *item += 100);
                assert_eq!(items, (100..100 + parts).collect::<Vec<_>>());
                assert_eq!(map(wanted, 5..5 + parts, |n| n * n), (5..5 + parts).map(|n| n * n).collect::<Vec<_>>());
                assert_eq!(join(wanted, || parts, || "b"), (parts, "b"));
            }
        }
    }

    #[test]
    fn tasks_have_tasks() {
        let sums = map(2, 0..8, |n| map(2, 0..n, |m| join(2, || m, || n)).into_iter().map(|(m, n)| m * n).sum::<usize>());
        assert_eq!(sums, (0..8).map(|n: usize| n * n * n.saturating_sub(1) / 2).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_arrives_where_the_tasks_were_started() {
        for bad in 0..3 {
            let started = || each(3, &|n| assert_ne!(n, bad, "task {n}"));
            assert!(std::panic::catch_unwind(started).is_err());
        }
    }
}
