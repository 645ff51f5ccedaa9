//! The threads that help a thread that calls: one fewer than rayon's pool has. They are not rayon's, because they keep away from the
//! processor on which the caller runs, which other work of that pool would feel.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::lent::Lent;
use super::places::Places;

/// How often a thread that has helped looks for more work before it sleeps: for some 40 to 160 µs. Where calls follow each other, the next
/// one comes in this time.
const LOOKS: usize = 4000;

/// Threads, and what they are asked to help with.
pub(super) struct Helpers {
    /// How many threads they are.
    count: usize,
    asked: Mutex<Asked>,
    /// The length of the queue, which may be looked at without its lock.
    queued: AtomicUsize,
    come: Condvar,
    /// How many threads call that are no helpers.
    callers: AtomicUsize,
    places: Places,
}

thread_local! {
    /// Whether this thread is a helper, or calls already: what it asks for then is a part of other work.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// What is to be done, and how many threads look for it, or sleep until there is more.
#[derive(Default)]
struct Asked {
    queue: VecDeque<Arc<Lent>>,
    looking: usize,
    asleep: usize,
}

impl Helpers {
    /// So many, none of which has started.
    fn new(count: usize) -> Helpers {
        Helpers {
            count,
            asked: Mutex::default(),
            queued: AtomicUsize::new(0),
            come: Condvar::new(),
            callers: AtomicUsize::new(0),
            places: Places::new(count),
        }
    }

    /// Those of this process, which start when they are asked for the first time: so many then.
    pub(super) fn of_process(count: usize) -> &'static Helpers {
        static HELPERS: OnceLock<&'static Helpers> = OnceLock::new();
        HELPERS.get_or_init(|| {
            let helpers: &'static Helpers = Box::leak(Box::new(Helpers::new(count)));
            for number in 1..=count {
                let thread = std::thread::Builder::new().name(format!("tensorwrapper-{number}"));
                // With fewer threads, those that there are do more.
                if thread.spawn(|| helpers.help()).is_err() {
                    break;
                }
            }
            helpers
        })
    }

    /// Threads of rayon's pools, which help when they have nothing else to do ([`Helpers::help_once`]).
    pub(super) fn of_rayon(count: usize) -> &'static Helpers {
        static HELPERS: OnceLock<Helpers> = OnceLock::new();
        HELPERS.get_or_init(|| Helpers::new(count))
    }

    /// This thread calls, until that is dropped.
    pub(super) fn call(&self) -> Call<'_> {
        let is_outer = !INSIDE.replace(true);
        let others = if is_outer { self.callers.fetch_add(1, Ordering::Relaxed) } else { 0 };
        Call { helpers: self, is_outer, others }
    }

    /// Does the next thing that is to be done, if there is any.
    pub(super) fn help_once(&self) {
        let next = self.take(&mut self.locked());
        if let Some(lent) = next {
            lent.join();
        }
    }

    /// What a helper does, for ever.
    fn help(&self) {
        INSIDE.set(true);
        self.places.note();
        loop {
            self.next().join();
        }
    }

    /// Looks for something to do for a while, then sleeps until there is something.
    fn next(&self) -> Arc<Lent> {
        self.locked().looking += 1;
        for _ in 0..LOOKS {
            std::hint::spin_loop();
            if self.queued.load(Ordering::Relaxed) == 0 {
                continue;
            }
            let mut asked = self.locked();
            if let Some(lent) = self.take(&mut asked) {
                asked.looking -= 1;
                self.wake(asked);
                return lent;
            }
        }
        let mut asked = self.locked();
        asked.looking -= 1;
        loop {
            if let Some(lent) = self.take(&mut asked) {
                self.wake(asked);
                return lent;
            }
            asked.asleep += 1;
            asked = self.come.wait(asked).unwrap_or_else(PoisonError::into_inner);
            asked.asleep -= 1;
        }
    }

    /// The next thing that is to be done.
    fn take(&self, asked: &mut Asked) -> Option<Arc<Lent>> {
        self.change(asked, VecDeque::pop_front)
    }

    /// Changes the queue, and notes its length.
    fn change<R>(&self, asked: &mut Asked, change: impl FnOnce(&mut VecDeque<Arc<Lent>>) -> R) -> R {
        let result = change(&mut asked.queue);
        self.queued.store(asked.queue.len(), Ordering::Relaxed);
        result
    }

    /// Wakes two threads if there is more to do than those that look can take. Each of them wakes two more, so that the caller has not to
    /// wake them all, and one that comes late does not hold up all others.
    fn wake(&self, asked: MutexGuard<'_, Asked>) {
        let more = asked.queue.len().saturating_sub(asked.looking);
        let wakes = more.min(asked.asleep).min(2);
        drop(asked);
        (0..wakes).for_each(|_| self.come.notify_one());
    }

    fn locked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that calls.
pub(super) struct Call<'a> {
    helpers: &'a Helpers,
    /// Whether this is no part of other work.
    is_outer: bool,
    /// How many threads called before it and have not ended.
    others: usize,
}

impl Call<'_> {
    /// Asks so many threads to join this work, or those that other callers leave. Returns how many.
    pub(super) fn ask(&self, lent: &Arc<Lent>, count: usize) -> usize {
        let helpers = self.helpers;
        if self.is_outer && self.others == 0 {
            helpers.places.leave_free();
        }
        let count = count.min(helpers.count.saturating_sub(self.others));
        let mut asked = helpers.locked();
        helpers.change(&mut asked, |queue| queue.extend((0..count).map(|_| Arc::clone(lent))));
        helpers.wake(asked);
        count
    }

    /// Takes back what no thread has heard of this work.
    pub(super) fn withdraw(&self, lent: &Arc<Lent>) {
        let helpers = self.helpers;
        if helpers.queued.load(Ordering::Relaxed) > 0 {
            helpers.change(&mut helpers.locked(), |queue| queue.retain(|other| !Arc::ptr_eq(other, lent)));
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.is_outer {
            INSIDE.set(false);
            self.helpers.callers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_pool::lent::lend;

    /// Lends work that does nothing, and looks at the helpers when so many have been asked.
    fn lend_nothing(helpers: &Helpers, count: usize, look: &dyn Fn()) {
        let call = helpers.call();
        let ask = |lent: &Arc<Lent>| {
            call.ask(lent, count);
            look();
        };
        lend(&|| (), count, ask, |lent| call.withdraw(lent));
    }

    #[test]
    fn what_nobody_has_heard_is_taken_back() {
        let helpers = Helpers::new(3);
        let queued = || helpers.locked().queue.len();
        for _ in 0..3 {
            lend_nothing(&helpers, 3, &|| assert_eq!(queued(), 3));
            assert_eq!(queued(), 0);
        }
        lend_nothing(&helpers, 3, &|| {
            helpers.help_once();
            assert_eq!(queued(), 2);
        });
        assert_eq!((queued(), helpers.callers.load(Ordering::Relaxed)), (0, 0));
    }

    #[test]
    fn another_caller_asks_for_what_is_left_and_a_part_of_a_call_for_all() {
        let helpers = Helpers::new(2);
        let queued = || helpers.locked().queue.len();
        lend_nothing(&helpers, 2, &|| {
            let other = || lend_nothing(&helpers, 2, &|| assert_eq!(queued(), 3));
            std::thread::scope(|scope| scope.spawn(other).join()).unwrap();
            let small = || lend_nothing(&helpers, 1, &|| assert_eq!(queued(), 3));
            std::thread::scope(|scope| scope.spawn(small).join()).unwrap();
            lend_nothing(&helpers, 2, &|| assert_eq!(queued(), 4));
            assert_eq!(queued(), 2);
        });
        assert_eq!((queued(), helpers.callers.load(Ordering::Relaxed)), (0, 0));
        lend_nothing(&helpers, 2, &|| assert_eq!(queued(), 2));
    }
}
