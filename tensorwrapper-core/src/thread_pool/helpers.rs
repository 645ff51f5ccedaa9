//! The threads that help a thread that calls: one fewer than rayon's pool has. They are not rayon's, because they keep away from the
//! processor on which the caller runs, which other work of that pool would feel.

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
    places: Places,
}

/// What is to be done, and how many threads sleep until there is more.
#[derive(Default)]
struct Asked {
    queue: VecDeque<Arc<Lent>>,
    asleep: usize,
}

impl Helpers {
    /// Those of this process, which start when they are asked for the first time: so many then.
    pub(super) fn of_process(count: usize) -> &'static Helpers {
        static HELPERS: OnceLock<&'static Helpers> = OnceLock::new();
        HELPERS.get_or_init(|| {
            let helpers: &'static Helpers = Box::leak(Box::new(Helpers {
                asked: Mutex::default(),
                queued: AtomicUsize::new(0),
                come: Condvar::new(),
                places: Places::default(),
            }));
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

    /// Asks so many threads to join this work.
    pub(super) fn ask(&self, lent: &Arc<Lent>, count: usize) {
        self.places.leave_free();
        let mut asked = self.locked();
        asked.queue.extend((0..count).map(|_| Arc::clone(lent)));
        self.queued.store(asked.queue.len(), Ordering::Relaxed);
        let woken = asked.asleep.min(count);
        drop(asked);
        (0..woken).for_each(|_| self.come.notify_one());
    }

    /// What a helper does, for ever.
    fn help(&self) {
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
            drop(asked);
            lent.join();
        }
    }

    fn locked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
