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

    /// The helpers, and the processor that they keep away from.
    pub(in super::super) struct Places {
        helpers: Mutex<Vec<Helper>>,
        free: AtomicUsize,
        are_told: bool,
    }

    /// A helper: where it might run when it began, and where it may run now.
    struct Helper {
        thread: Pid,
        allowed: CpuSet,
        told: CpuSet,
    }

    impl Places {
        /// For so many helpers.
        pub(in super::super) fn new(count: usize) -> Places {
            Places { helpers: Mutex::default(), free: AtomicUsize::new(usize::MAX), are_told: count <= MOST }
        }

        /// This thread helps.
        pub(in super::super) fn note(&self) {
            if let (true, Ok(allowed)) = (self.are_told, sched_getaffinity(None)) {
                let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
                helpers.push(Helper { thread: gettid(), allowed, told: allowed });
                // It is told at the next call.
                self.free.store(usize::MAX, Ordering::Relaxed);
            }
        }

        /// Tells the helpers to keep away from where this thread runs, if they may run elsewhere and have not been told already. A helper
        /// that somebody else has placed since is left alone. Whether the system does so changes no result.
        pub(in super::super) fn leave_free(&self) {
            let here = sched_getcpu();
            if !self.are_told || here >= CpuSet::MAX_CPU || self.free.load(Ordering::Relaxed) == here {
                return;
            }
            // Another caller tells them otherwise at this moment: one is as good as the other.
            let Ok(mut helpers) = self.helpers.try_lock() else { return };
            self.free.store(here, Ordering::Relaxed);
            helpers.retain(|helper| sched_getaffinity(Some(helper.thread)).is_ok_and(|mask| mask == helper.told));
            for helper in helpers.iter_mut() {
                let mut elsewhere = helper.allowed;
                elsewhere.unset(here);
                if elsewhere.count() > 0 && sched_setaffinity(Some(helper.thread), &elsewhere).is_ok() {
                    helper.told = elsewhere;
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// Elsewhere the system is left to place threads.
    pub(in super::super) struct Places;

    impl Places {
        pub(in super::super) fn new(_: usize) -> Places {
            Places
        }

        pub(in super::super) fn note(&self) {}

        pub(in super::super) fn leave_free(&self) {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use std::sync::Barrier;

    /// Where this thread may run.
    fn allowed() -> CpuSet {
        sched_getaffinity(None).unwrap()
    }

    #[test]
    fn helpers_keep_away_from_the_caller_if_they_may_run_elsewhere() {
        let (all, most) = (allowed(), allowed().count());
        let first = (0..CpuSet::MAX_CPU).find(|&cpu| all.is_set(cpu)).unwrap();
        let mut only = CpuSet::new();
        only.set(first);
        // A helper that may run anywhere, one that may run on one processor alone, and one of too many.
        for (mask, count, left) in [(all, 1, 1.max(most - 1)), (only, 1, 1), (all, 40, most)] {
            let places = Places::new(count);
            // The helper has noted itself; the caller has told it.
            let (noted, told) = (Barrier::new(2), Barrier::new(2));
            let helps = || {
                sched_setaffinity(None, &mask).unwrap();
                places.note();
                noted.wait();
                told.wait();
                allowed()
            };
            let calls = || {
                sched_setaffinity(None, &only).unwrap();
                noted.wait();
                places.leave_free();
                told.wait();
            };
            let found = std::thread::scope(|scope| {
                let helper = scope.spawn(helps);
                scope.spawn(calls);
                helper.join().unwrap()
            });
            assert_eq!(found.count(), left);
        }
    }

    #[test]
    fn a_helper_that_somebody_else_has_placed_is_left_alone() {
        let places = Places::new(1);
        std::thread::scope(|scope| {
            let helps = || {
                places.note();
                let mut only = CpuSet::new();
                only.set((0..CpuSet::MAX_CPU).find(|&cpu| allowed().is_set(cpu)).unwrap());
                sched_setaffinity(None, &only).unwrap();
                places.leave_free();
                assert!(allowed() == only);
            };
            scope.spawn(helps).join().unwrap();
        });
    }
}
