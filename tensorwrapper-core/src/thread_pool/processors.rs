//! Threads of one call that the system has put on the same processor move apart before they compute.
//!
//! Linux wakes a thread where it ran last, or where the thread runs that wakes it, unless it sees an idle processor. In a virtual machine
//! it sees none where processors are shown without a common cache, or once they have been idle for a while: then threads wake on one
//! processor in call after call, and compute in turns. Nothing is pinned here: a thread that moves may run anywhere afterwards, and is
//! likely to wake up there in the next call.

#[cfg(target_os = "linux")]
pub(super) use linux::Processors;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Processors;

#[cfg(target_os = "linux")]
mod linux {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use smallvec::SmallVec;
    use std::sync::{Mutex, PoisonError};
    use std::thread::ThreadId;

    /// The thread that calls and those that have entered the call, and the processor of each.
    pub(in super::super) struct Processors(Mutex<SmallVec<[(ThreadId, usize); 8]>>);

    impl Processors {
        /// This thread calls.
        pub(in super::super) fn of_call() -> Processors {
            Processors(Mutex::new(SmallVec::from_slice(&[(std::thread::current().id(), sched_getcpu())])))
        }

        /// How many threads they are, and how many processors.
        #[cfg(test)]
        pub(in super::super) fn counts(&self) -> [usize; 2] {
            let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let processors: std::collections::HashSet<usize> = seen.iter().map(|(_, cpu)| *cpu).collect();
            [seen.len(), processors.len()]
        }

        /// Notes where this thread runs. If another one ran there, this one moves to where none did, if it may run there. Whether the system
        /// does so changes no result.
        pub(in super::super) fn enter(&self) {
            let (this, here) = (std::thread::current().id(), sched_getcpu());
            let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.iter().any(|(thread, _)| *thread == this) {
                return;
            }
            let is_free = |cpu: usize| seen.iter().all(|(_, other)| *other != cpu);
            let other = || {
                let allowed = sched_getaffinity(None).ok()?;
                let cpu = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu) && is_free(cpu))?;
                Some((cpu, allowed))
            };
            let moves = if is_free(here) { None } else { other() };
            seen.push((this, moves.as_ref().map_or(here, |(cpu, _)| *cpu)));
            drop(seen);
            if let Some((cpu, allowed)) = moves {
                let mut only = CpuSet::new();
                only.set(cpu);
                // The second fails only if all of that has been forbidden in the meantime, and then the system has set the mask anew.
                let _ = sched_setaffinity(None, &only).and_then(|()| sched_setaffinity(None, &allowed));
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    /// Elsewhere the system is left to place threads.
    pub(in super::super) struct Processors;

    impl Processors {
        pub(in super::super) fn of_call() -> Processors {
            Processors
        }

        pub(in super::super) fn enter(&self) {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    #[test]
    fn the_second_thread_on_a_processor_moves_and_may_run_anywhere_afterwards() {
        let allowed = sched_getaffinity(None).unwrap();
        let mut only = CpuSet::new();
        only.set((0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).unwrap());
        // Each thread begins on the first processor; what it may do afterwards is said.
        let begin = |mask: &CpuSet| {
            sched_setaffinity(None, &only).unwrap();
            sched_setaffinity(None, mask).unwrap();
        };
        let call = || {
            begin(&only);
            Processors::of_call()
        };
        let processors = std::thread::scope(|scope| scope.spawn(call).join()).unwrap();
        let thread = |mask: &CpuSet| {
            begin(mask);
            processors.enter();
            processors.enter();
            assert!(sched_getaffinity(None).unwrap() == *mask, "nothing stays pinned");
        };
        let most = allowed.count() as usize;
        for (mask, counts) in [(&only, [2, 1]), (&only, [3, 1]), (&allowed, [4, 2.min(most)]), (&allowed, [5, 3.min(most)])] {
            std::thread::scope(|scope| scope.spawn(|| thread(mask)).join()).unwrap();
            assert_eq!(processors.counts(), counts);
        }
    }
}
