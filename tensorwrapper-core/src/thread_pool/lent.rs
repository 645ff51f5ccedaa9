//! Work that a thread lends to others, which may join it until the lender has done its part. The lender waits for those that have joined,
//! and not for those that come too late: to wake a thread may take milliseconds if the system finds no processor for it.
//!
//! Scopes of threads, which need no `unsafe`, wait for every thread that was asked.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How often a lender looks whether the others have done their part, before it sleeps: some 10 to 40 µs, about as long as it takes to wake
/// it.
const LOOKS: usize = 1000;
/// A bit of [`Lent::state`]: nobody may join any more.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// Work that may be joined.
pub(super) struct Lent {
    work: *const (dyn Fn() + Sync),
    /// How many may be at work beside the lender at most.
    most: usize,
    /// How many are at work beside the lender, and whether it is [`CLOSED`].
    state: AtomicUsize,
    /// Where the lender waits for the last one that is at work.
    ended: (Mutex<()>, Condvar),
    /// What another thread has panicked with: the first of them.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: the work may be shared by threads, and the pointer is read only by those that have joined (see [`Lent::join`]).
unsafe impl Send for Lent {}
// SAFETY: as above; all else in it may be shared.
unsafe impl Sync for Lent {}

/// Does the work on this thread, and lends it to those that `ask` asks to [join](Lent::join), of which at most `most` do so at the same
/// time. Returns when this thread has done its part and all that have joined have done theirs; then nobody joins any more, and `withdraw`
/// takes back what nobody has heard.
///
/// # Panics
/// If the work has panicked, on any thread, or if `ask` panics.
pub(super) fn lend(work: &(dyn Fn() + Sync), most: usize, ask: impl FnOnce(&Arc<Lent>), withdraw: impl FnOnce(&Arc<Lent>)) {
    let pointer: *const (dyn Fn() + Sync + '_) = work;
    let lent = Arc::new(Lent {
        // SAFETY: this changes the lifetime alone. Nobody reads the pointer once `close` has returned, which this function calls in any
        // case.
        work: unsafe { std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync)>(pointer) },
        most,
        state: AtomicUsize::new(0),
        ended: (Mutex::new(()), Condvar::new()),
        panic: Mutex::new(None),
    });
    let done = catch_unwind(AssertUnwindSafe(|| {
        ask(&lent);
        work();
    }));
    lent.close();
    withdraw(&lent);
    let panic = lent.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(panic) = done.err().or(panic) {
        resume_unwind(panic);
    }
}

impl Lent {
    /// Does the work on another thread, unless it is too late or enough have joined.
    pub(super) fn join(&self) {
        // A closed state is more than any number of threads.
        let joined = |state: usize| (state < self.most).then_some(state + 1);
        if self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, joined).is_ok() {
            // SAFETY: it was not closed, and from then on this thread counts, so that `close` waits for it.
            let work = unsafe { &*self.work };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
                let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
                match &*first {
                    None => *first = Some(panic),
                    // Dropping it might panic again, and then the lender would wait for ever.
                    Some(_) => std::mem::forget(panic),
                }
            }
            if self.state.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
                drop(self.ended.0.lock());
                self.ended.1.notify_one();
            }
        }
    }

    /// Lets nobody join any more, and waits for those that have.
    fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::Relaxed);
        let is_done = || self.state.load(Ordering::Acquire) == CLOSED;
        for _ in 0..LOOKS {
            if is_done() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut waiting = self.ended.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !is_done() {
            waiting = self.ended.1.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread::JoinHandle;

    /// Lends work to so many threads, which join at once.
    fn lend_to(threads: usize, most: usize, work: &(dyn Fn() + Sync)) {
        let mut asked: Vec<JoinHandle<()>> = Vec::new();
        let ask = |lent: &Arc<Lent>| {
            asked.extend((0..threads).map(|_| {
                let lent = Arc::clone(lent);
                std::thread::spawn(move || lent.join())
            }))
        };
        lend(work, most, ask, |_| ());
        asked.into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn nobody_joins_after_the_end_and_no_more_than_may() {
        let count = AtomicUsize::new(0);
        let note = || {
            count.fetch_add(1, Ordering::Relaxed);
        };
        let mut kept = None;
        lend(&note, 3, |_| (), |lent| kept = Some(Arc::clone(lent)));
        kept.unwrap().join();
        assert_eq!(count.load(Ordering::Relaxed), 1);
        lend_to(5, 0, &note);
        assert_eq!(count.load(Ordering::Relaxed), 2);
        let at_once = AtomicUsize::new(0);
        lend_to(7, 3, &|| {
            assert!(at_once.fetch_add(1, Ordering::Relaxed) < 4);
            std::thread::sleep(std::time::Duration::from_millis(2));
            at_once.fetch_sub(1, Ordering::Relaxed);
        });
    }

    #[test]
    fn a_lender_waits_for_those_that_have_joined() {
        for _ in 0..20 {
            let (begun, ended) = (Barrier::new(2), AtomicUsize::new(0));
            lend_to(1, 1, &|| {
                if begun.wait().is_leader() {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                ended.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(ended.load(Ordering::Relaxed), 2);
        }
    }

    #[test]
    fn a_panic_of_any_thread_is_the_lenders() {
        let lender = std::thread::current().id();
        for of_lender in [false, true] {
            let both = Barrier::new(2);
            let work = || {
                both.wait();
                assert_ne!((std::thread::current().id() == lender), of_lender, "the panic of the test");
            };
            let panic = catch_unwind(AssertUnwindSafe(|| lend_to(1, 1, &work))).unwrap_err();
            assert!(panic.downcast_ref::<String>().is_some_and(|text| text.contains("the panic of the test")));
        }
    }
}
