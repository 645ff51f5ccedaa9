//! The same work on many items, by as many threads as there are cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `work` with each item. The calling thread takes part.
///
/// # Errors
/// The error of the first item that fails, in the order of the items. No further items are started after a failure.
pub fn try_for_each<T: Sync, E: Send>(all: &[T], work: impl Fn(&T) -> Result<(), E> + Sync) -> Result<(), E> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len());
    by_threads(threads, all, work)
}

fn by_threads<T: Sync, E: Send>(threads: usize, all: &[T], work: impl Fn(&T) -> Result<(), E> + Sync) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    // Items are started in their order, so that all items before the first that fails are done.
    let run = || -> Option<(usize, E)> {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = work(all.get(n)?) {
                next.store(all.len(), Ordering::Relaxed);
                return Some((n, error));
            }
        }
    };
    let failed = thread::scope(|scope| {
        // Where the system has no more threads, there are fewer.
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let mut failed: Vec<(usize, E)> = run().into_iter().collect();
        failed
            .extend(others.into_iter().filter_map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        failed
    });
    failed.into_iter().min_by_key(|(n, _)| *n).map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::{Barrier, Mutex};

    use super::*;

    #[test]
    fn each_item_is_done_once_by_all_threads_together() {
        let all: Vec<usize> = (0..12).collect();
        let (three, seen) = (Barrier::new(3), Mutex::new((Vec::new(), HashSet::new())));
        let work = |n: &usize| -> Result<(), ()> {
            // A thread goes on only when three have come here.
            three.wait();
            let (done, threads) = &mut *seen.lock().unwrap();
            done.push(*n);
            threads.insert(thread::current().id());
            Ok(())
        };
        assert_eq!(by_threads(3, &all, work), Ok(()));
        let (mut done, threads) = seen.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!((done, threads.len()), (all, 3));
        assert!(threads.contains(&thread::current().id()));
    }

    #[test]
    fn first_error_is_returned_and_ends_the_work() {
        for threads in 1..5 {
            let done = AtomicUsize::new(0);
            let all: Vec<usize> = (0..1000).collect();
            let work = |n: &usize| {
                done.fetch_add(1, Ordering::Relaxed);
                if *n < 7 { Ok(()) } else { Err(*n) }
            };
            assert_eq!(by_threads(threads, &all, work), Err(7));
            assert!((8..8 + threads).contains(&done.into_inner()));
        }
        assert_eq!(try_for_each(&[], |_: &usize| Err(())), Ok(()));
    }
}
