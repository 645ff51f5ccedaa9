//! Helpers wake up elsewhere than where the thread runs that calls them.
//!
//! Linux wakes a thread where it ran last, or where the thread runs that wakes it, unless it sees an idle processor. In a virtual machine
//! it sees none where processors are shown without a common cache, or once they have been idle for a while: then a helper waits for the
//! caller's processor while others are idle, in call after call.

#[cfg(target_os = "linux")]
pub(super) use linux::Places;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Places;

#[cfg(target_os = "linux")]
mod linux {
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    /// More helpers than that are not told: some of them are elsewhere in any case, and each costs a call of the system.
    const MOST: usize = 16;

    /// The helpers, where each might run when it began, and the processor that they keep away from.
    pub(in super::super) struct Places {
        helpers: Mutex<Vec<(Pid, CpuSet)>>,
        free: AtomicUsize,
    }

    impl Default for Places {
        fn default() -> Places {
            Places { helpers: Mutex::default(), free: AtomicUsize::new(usize::MAX) }
        }
    }

    impl Places {
        /// This thread helps.
        pub(in super::super) fn note(&self) {
            if let Ok(allowed) = sched_getaffinity(None) {
                self.helpers.lock().unwrap_or_else(PoisonError::into_inner).push((gettid(), allowed));
                // It is told at the next call.
                self.free.store(usize::MAX, Ordering::Relaxed);
            }
        }

        /// Tells the helpers to keep away from where this thread runs, if they may run elsewhere and have not been told already. Whether the
        /// system does so changes no result.
        pub(in super::super) fn leave_free(&self) {
            let here = sched_getcpu();
            if here >= CpuSet::MAX_CPU || self.free.swap(here, Ordering::Relaxed) == here {
                return;
            }
            let helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
            if helpers.len() > MOST {
                return;
            }
            for (helper, allowed) in helpers.iter() {
                let mut elsewhere = *allowed;
                elsewhere.unset(here);
                if elsewhere.count() > 0 {
                    // A thread that may not be told stays where the system puts it.
                    let _ = sched_setaffinity(Some(*helper), &elsewhere);
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// Elsewhere the system is left to place threads.
    #[derive(Default)]
    pub(in super::super) struct Places;

    impl Places {
        pub(in super::super) fn note(&self) {}

        pub(in super::super) fn leave_free(&self) {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use std::sync::mpsc::channel;

    /// Where this thread may run.
    fn allowed() -> CpuSet {
        sched_getaffinity(None).unwrap()
    }

    #[test]
    fn helpers_keep_away_from_the_caller_if_they_may_run_elsewhere() {
        let places = Places::default();
        let (all, most) = (allowed(), allowed().count());
        let first = (0..CpuSet::MAX_CPU).find(|&cpu| all.is_set(cpu)).unwrap();
        let mut only = CpuSet::new();
        only.set(first);
        std::thread::scope(|scope| {
            for (mask, left) in [(all, 1.max(most - 1)), (only, 1)] {
                let ((noted, note), (called, call)) = (channel(), channel());
                let helper = scope.spawn({
                    let places = &places;
                    move || {
                        sched_setaffinity(None, &mask).unwrap();
                        places.note();
                        noted.send(()).unwrap();
                        call.recv().unwrap();
                        allowed()
                    }
                });
                note.recv().unwrap();
                let caller = || {
                    sched_setaffinity(None, &only).unwrap();
                    places.leave_free();
                };
                std::thread::scope(|scope| scope.spawn(caller).join()).unwrap();
                called.send(()).unwrap();
                let found = helper.join().unwrap();
                assert_eq!(found.count(), left);
                assert_eq!(found.is_set(first), mask == only || most == 1);
            }
        });
    }
}
