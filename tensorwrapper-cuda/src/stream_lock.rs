//! Which threads may queue work in a device's stream. Usually all of them may. While one thread records or times its work it is
//! the only one, because work that other threads queue in the meantime would be recorded, too, or change the time.
//!
//! The lock is fair: threads wait in one line, in the order in which they came. A thread that already has a guard gets more of
//! them at once, and so does the thread that is alone, so that nobody waits for a thread that waits in line. To avoid a deadlock,
//! a thread that has a guard must not wait for a lock that another thread holds while it asks for a guard.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::memory::Address;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The error for work that cannot be recorded.
pub(crate) fn not_recorded(what: &str) -> Error {
    Error::new(ErrorKind::Device(format!("{what} cannot be recorded")))
}

/// The lock of one device's stream.
#[derive(Debug, Default)]
pub(crate) struct StreamLock {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The one thread that may queue now, and whether its work is recorded.
    alone: Option<(ThreadId, bool)>,
    /// The threads that queue something now, and how many guards each of them has.
    queueing: HashMap<ThreadId, usize>,
    /// The numbers of the threads that wait, in the order in which they came.
    line: VecDeque<u64>,
    /// How many threads have waited so far.
    came: u64,
    /// Memory that was freed while work was recorded. The device cannot take it back before the recording ends.
    given_back: Vec<(Address, usize)>,
}

/// Its thread may queue work until it is dropped.
#[derive(Debug)]
pub(crate) struct QueueGuard<'a> {
    stream_lock: &'a StreamLock,
    /// Whether what is queued is recorded instead of done.
    pub(crate) is_recorded: bool,
    /// Its thread; `None` for the thread that is alone, whose guards are not counted.
    counted: Option<ThreadId>,
}

/// Other threads wait until it is dropped.
#[derive(Debug)]
pub(crate) struct ExclusiveGuard<'a>(&'a StreamLock);

/// Until it is dropped, the work that its thread queues is recorded, and other threads wait.
#[derive(Debug)]
pub(crate) struct RecordingGuard<'a>(ExclusiveGuard<'a>);

impl StreamLock {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits behind all threads that wait already, until `may` holds.
    fn wait_in_line<'a>(&'a self, mut state: MutexGuard<'a, State>, may: impl Fn(&State) -> bool) -> MutexGuard<'a, State> {
        if state.line.is_empty() && may(&state) {
            return state;
        }
        let number = state.came;
        state.came += 1;
        state.line.push_back(number);
        while state.line.front() != Some(&number) || !may(&state) {
            state = self.wait(state);
        }
        state.line.pop_front();
        // The next thread in line may be able to go on as well.
        self.changed.notify_all();
        state
    }

    /// Waits until this thread may queue work. A thread that has a guard does not wait.
    pub(crate) fn lock(&self) -> QueueGuard<'_> {
        let (mut state, own) = (self.state(), thread::current().id());
        if let Some((thread, is_recorded)) = state.alone
            && thread == own
        {
            return QueueGuard { stream_lock: self, is_recorded, counted: None };
        }
        if !state.queueing.contains_key(&own) {
            state = self.wait_in_line(state, |state| state.alone.is_none());
        }
        *state.queueing.entry(own).or_default() += 1;
        QueueGuard { stream_lock: self, is_recorded: false, counted: Some(own) }
    }

    /// Waits until no thread has a guard. The calling thread must have none: it would wait for itself.
    fn wait_for_all(&self) -> MutexGuard<'_, State> {
        let (state, own) = (self.state(), thread::current().id());
        let is_within = state.queueing.contains_key(&own) || state.alone.is_some_and(|(thread, _)| thread == own);
        debug_assert!(!is_within, "a thread with a guard asks to be alone");
        self.wait_in_line(state, |state| state.alone.is_none() && state.queueing.is_empty())
    }

    /// Waits until no thread has a guard, and lets only this one queue work from then on.
    pub(crate) fn lock_exclusive(&self) -> ExclusiveGuard<'_> {
        self.wait_for_all().alone = Some((thread::current().id(), false));
        ExclusiveGuard(self)
    }

    /// As [`lock_exclusive`](StreamLock::lock_exclusive), and what this thread queues is recorded. Memory that an earlier
    /// recording set aside before it panicked is given to `free` first.
    pub(crate) fn record(&self, free: impl Fn(Address, usize)) -> RecordingGuard<'_> {
        loop {
            let mut state = self.wait_for_all();
            let left = std::mem::take(&mut state.given_back);
            if left.is_empty() {
                state.alone = Some((thread::current().id(), true));
                return RecordingGuard(ExclusiveGuard(self));
            }
            // `free` takes a guard of its own.
            drop(state);
            left.into_iter().for_each(|(address, bytes)| free(address, bytes));
        }
    }
}

impl QueueGuard<'_> {
    /// Whether this thread is the only one that may queue work.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.counted.is_none()
    }

    /// Sets memory aside that cannot be freed while work is recorded.
    pub(crate) fn set_aside(&self, address: Address, bytes: usize) {
        self.stream_lock.state().given_back.push((address, bytes));
    }
}

impl RecordingGuard<'_> {
    /// Ends the recording. Memory that was set aside is given to `free`.
    ///
    /// # Errors
    /// Where there is any: the recorded work may use it.
    pub(crate) fn end(self, free: impl Fn(Address, usize)) -> Result<(), Error> {
        let stream_lock = self.0.0;
        let given_back = std::mem::take(&mut stream_lock.state().given_back);
        drop(self);
        let is_sound = given_back.is_empty();
        given_back.into_iter().for_each(|(address, bytes)| free(address, bytes));
        if is_sound { Ok(()) } else { Err(not_recorded("giving memory back")) }
    }
}

impl Drop for QueueGuard<'_> {
    fn drop(&mut self) {
        let Some(own) = self.counted else { return };
        let mut state = self.stream_lock.state();
        let guards = state.queueing.get_mut(&own).expect("a thread with a guard is counted");
        *guards -= 1;
        if *guards == 0 {
            state.queueing.remove(&own);
            self.stream_lock.changed.notify_all();
        }
    }
}

impl Drop for ExclusiveGuard<'_> {
    fn drop(&mut self) {
        self.0.state().alone = None;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use super::*;

    /// Checks that another thread waits while this one is alone, and that the guards of this one say whether work is recorded.
    fn assert_excludes<'t, A>(stream_lock: &'t StreamLock, start: impl Fn(&'t StreamLock) -> A, is_recorded: bool) {
        assert!(!stream_lock.lock().is_exclusive());
        let (said, heard) = mpsc::channel();
        thread::scope(|scope| {
            let alone = start(stream_lock);
            scope.spawn(move || {
                let guard = stream_lock.lock();
                said.send(guard.is_recorded).unwrap();
            });
            for _ in 0..100 {
                let guard = stream_lock.lock();
                assert_eq!((guard.is_exclusive(), guard.is_recorded), (true, is_recorded));
                assert_eq!(heard.try_recv(), Err(mpsc::TryRecvError::Empty));
                thread::yield_now();
            }
            drop(alone);
            assert_eq!(heard.recv(), Ok(false));
        });
        assert!(stream_lock.state().queueing.is_empty());
    }

    /// Waits until so many threads wait in line.
    fn wait_for_line(stream_lock: &StreamLock, length: usize) {
        while stream_lock.state().line.len() < length {
            thread::yield_now();
        }
    }

    /// One thread has a guard, a second asks to be alone, a third asks for a guard: they go on in this order, and the first gets
    /// more guards in the meantime.
    fn assert_in_line<'t, A>(stream_lock: &'t StreamLock, start: impl Fn(&'t StreamLock) -> A + Sync) {
        let order = Mutex::new(Vec::new());
        let note = |what: &'static str| order.lock().unwrap().push(what);
        thread::scope(|scope| {
            let guard = stream_lock.lock();
            scope.spawn(|| {
                let _guard = start(stream_lock);
                note("alone");
            });
            wait_for_line(stream_lock, 1);
            scope.spawn(|| {
                let _guard = stream_lock.lock();
                note("behind it");
            });
            wait_for_line(stream_lock, 2);
            drop((stream_lock.lock(), stream_lock.lock()));
            assert_eq!(stream_lock.state().line.len(), 2, "nobody has gone on");
            note("first");
            drop(guard);
        });
        assert_eq!(order.into_inner().unwrap(), ["first", "alone", "behind it"]);
        let state = stream_lock.state();
        assert!(state.line.is_empty() && state.queueing.is_empty());
    }

    #[test]
    fn threads_that_wait_go_on_in_order() {
        let stream_lock = StreamLock::default();
        assert_in_line(&stream_lock, StreamLock::lock_exclusive);
        assert_in_line(&stream_lock, |lock| lock.record(|_, _| unreachable!("nothing was set aside")));
    }

    #[test]
    fn exclusive_lock_is_not_starved() {
        let (stream_lock, is_over) = (&StreamLock::default(), &AtomicBool::new(false));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        let guard = stream_lock.lock();
                        assert!(!guard.is_exclusive() && !stream_lock.lock().is_exclusive());
                    }
                });
            }
            for round in 0..100 {
                match round % 2 {
                    0 => drop(stream_lock.lock_exclusive()),
                    _ => stream_lock.record(|_, _| unreachable!("nothing was set aside")).end(|_, _| ()).unwrap(),
                }
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn others_wait_while_one_records_or_measures() {
        let stream_lock = StreamLock::default();
        assert_excludes(&stream_lock, StreamLock::lock_exclusive, false);
        assert_excludes(&stream_lock, |lock| lock.record(|_, _| unreachable!("nothing was set aside")), true);
    }

    #[test]
    fn exclusive_lock_waits_for_guards() {
        let stream_lock = StreamLock::default();
        let (said, heard) = mpsc::channel();
        thread::scope(|scope| {
            let guard = stream_lock.lock();
            let stream_lock = &stream_lock;
            scope.spawn(move || {
                let _guard = stream_lock.lock_exclusive();
                said.send(()).unwrap();
            });
            for _ in 0..100 {
                assert_eq!(heard.try_recv(), Err(mpsc::TryRecvError::Empty));
                thread::yield_now();
            }
            drop(guard);
            assert_eq!(heard.recv(), Ok(()));
        });
    }

    #[test]
    fn memory_set_aside_before_a_panic_is_freed() {
        let stream_lock = StreamLock::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _recording = stream_lock.record(|_, _| unreachable!("nothing was set aside"));
            stream_lock.lock().set_aside(64, 8);
            std::panic::resume_unwind(Box::new("work that is recorded"));
        }));
        assert!(panicked.is_err() && stream_lock.state().alone.is_none());
        let freed = Mutex::new(Vec::new());
        let free = |address, bytes| {
            assert!(!stream_lock.lock().is_recorded);
            freed.lock().unwrap().push((address, bytes));
        };
        let recording = stream_lock.record(free);
        assert_eq!(*freed.lock().unwrap(), [(64, 8)]);
        recording.end(free).unwrap();
        // Memory that is freed during a recording spoils it.
        let recording = stream_lock.record(free);
        stream_lock.lock().set_aside(128, 8);
        assert!(recording.end(free).is_err());
        assert_eq!(*freed.lock().unwrap(), [(64, 8), (128, 8)]);
    }
}
