//! The threads that help a thread that calls: one fewer than rayon's pool has. They are not rayon's, because they keep away from the
//! processor on which the caller runs, which other work of that pool would feel.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::lent::Lent;
use super::places::Places;

/// How often a thread that has helped looks for more work before it sleeps: for some 40 to 160 µs. Where calls follow each other, the next one
/// comes in this time.
const LOOKS: usize = 4000;

/// Threads, and what they are asked to help with.
pub(super) struct Helpers {
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

/// What is to be done, and how many threads sleep until there is more.
#[derive(Default)]
struct Asked {
    queue: VecDeque<Arc<Lent>>,
    asleep: usize,
}

impl Helpers {
    /// For so many threads, none of which has started.
    fn new(count: usize) -> Helpers {
        Helpers {
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

    /// Asks so many threads to join this work, or fewer if others call at this moment that are no helpers. Returns whether this is no part of
    /// other work.
    pub(super) fn ask(&self, lent: &Arc<Lent>, count: usize) -> bool {
        let is_outer = !INSIDE.replace(true);
        let others = if is_outer { self.callers.fetch_add(1, Ordering::Relaxed) } else { 0 };
        if is_outer && others == 0 {
            self.places.leave_free();
        }
        let mut asked = self.locked();
        asked.queue.extend((0..count.saturating_sub(others)).map(|_| Arc::clone(lent)));
        self.queued.store(asked.queue.len(), Ordering::Relaxed);
        self.wake(asked);
        is_outer
    }

    /// Takes back what no thread has heard of this work; `is_outer` is what [`Helpers::ask`] has returned.
    pub(super) fn withdraw(&self, lent: &Arc<Lent>, is_outer: bool) {
        if is_outer {
            INSIDE.set(false);
            self.callers.fetch_sub(1, Ordering::Relaxed);
        }
        if self.queued.load(Ordering::Relaxed) > 0 {
            let mut asked = self.locked();
            asked.queue.retain(|other| !Arc::ptr_eq(other, lent));
            self.queued.store(asked.queue.len(), Ordering::Relaxed);
        }
    }

    /// Wakes one thread if there is something to do. It wakes the next one, so that the caller has not to wake them all.
    fn wake(&self, asked: MutexGuard<'_, Asked>) {
        let wakes = !asked.queue.is_empty() && asked.asleep > 0;
        drop(asked);
        if wakes {
            self.come.notify_one();
        }
    }

    /// What a helper does, for ever.
    fn help(&self) {
        INSIDE.set(true);
        self.places.note();
        loop {
            for _ in 0..LOOKS {
                if self.queued.load(Ordering::Relaxed) > 0 {
                    break;
                }
                std::hint::spin_loop();
            }
            let mut asked = self.locked();
            let lent = loop {
                if let Some(lent) = asked.queue.pop_front() {
                    break lent;
                }
                asked.asleep += 1;
                asked = self.come.wait(asked).unwrap_or_else(PoisonError::into_inner);
                asked.asleep -= 1;
            };
            self.queued.store(asked.queue.len(), Ordering::Relaxed);
            self.wake(asked);
            lent.join();
        }
    }

    fn locked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_pool::lent::lend;

    /// Lends work that does nothing, and looks at the helpers when so many have been asked.
    fn lend_nothing(helpers: &Helpers, count: usize, look: &dyn Fn()) {
        let is_outer = Cell::new(false);
        let ask = |lent: &Arc<Lent>| {
            is_outer.set(helpers.ask(lent, count));
            look();
        };
        lend(&|| (), count, ask, |lent| helpers.withdraw(lent, is_outer.get()));
    }

    #[test]
    fn what_nobody_has_heard_is_taken_back() {
        let helpers = Helpers::new(0);
        let queued = || helpers.locked().queue.len();
        for _ in 0..3 {
            lend_nothing(&helpers, 3, &|| assert_eq!(queued(), 3));
            assert_eq!(queued(), 0);
        }
        assert_eq!(helpers.callers.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn another_caller_asks_for_fewer_and_a_part_of_a_call_for_all() {
        let helpers = Helpers::new(0);
        let queued = || helpers.locked().queue.len();
        lend_nothing(&helpers, 2, &|| {
            let other = || lend_nothing(&helpers, 2, &|| assert_eq!(queued(), 3));
            std::thread::scope(|scope| scope.spawn(other).join()).unwrap();
            lend_nothing(&helpers, 2, &|| assert_eq!(queued(), 4));
            assert_eq!(queued(), 2);
        });
        assert_eq!((queued(), helpers.callers.load(Ordering::Relaxed)), (0, 0));
        lend_nothing(&helpers, 2, &|| assert_eq!(queued(), 2));
    }
}
