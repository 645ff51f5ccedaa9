//! Whose turn it is to queue work on a device: everybody's, but while one thread has its work recorded or timed, nobody else's, because
//! what is queued in the meantime would be recorded, too, or take its time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use super::driver::{Address, not_recorded};
use crate::error::Error;

/// The turns of one device.
#[derive(Debug, Default)]
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The one thread that may queue now, and whether its work is recorded.
    alone: Option<(ThreadId, bool)>,
    /// How many calls of others are queueing something now.
    queueing: usize,
    /// Memory that was given back while work was recorded: as long as that lasts, the device cannot take it.
    given_back: Vec<(Address, usize)>,
}

/// As long as it lives, work may be queued.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    /// Whether what is queued is recorded instead of done.
    pub(super) is_recorded: bool,
    /// Whether its thread is one of several, which others count.
    is_counted: bool,
}

/// As long as it lives, other threads wait.
#[derive(Debug)]
pub(super) struct Alone<'a>(&'a Turns);

/// As long as it lives, what its thread queues is recorded, and other threads wait.
#[derive(Debug)]
pub(super) struct Recording<'a>(Alone<'a>);

impl Turns {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this thread may queue.
    pub(super) fn take(&self) -> Turn<'_> {
        let mut state = self.state();
        if let Some((thread, is_recorded)) = state.alone
            && thread == std::thread::current().id()
        {
            return Turn { turns: self, is_recorded, is_counted: false };
        }
        while state.alone.is_some() {
            state = self.wait(state);
        }
        state.queueing += 1;
        Turn { turns: self, is_recorded: false, is_counted: true }
    }

    /// Waits until nobody queues any more, this thread included.
    fn wait_for_all(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        while state.alone.is_some() || state.queueing > 0 {
            state = self.wait(state);
        }
        state
    }

    /// Waits until nobody queues any more, and lets this thread alone do so from then on.
    pub(super) fn alone(&self) -> Alone<'_> {
        self.wait_for_all().alone = Some((std::thread::current().id(), false));
        Alone(self)
    }

    /// Waits until nobody queues any more, and lets this thread alone do so from then on. What a recording that ended by a panic has
    /// set aside goes back by `free` before.
    pub(super) fn record(&self, free: impl Fn(Address, usize)) -> Recording<'_> {
        loop {
            let mut state = self.wait_for_all();
            let left = std::mem::take(&mut state.given_back);
            if left.is_empty() {
                state.alone = Some((std::thread::current().id(), true));
                return Recording(Alone(self));
            }
            // `free` takes a turn of its own.
            drop(state);
            left.into_iter().for_each(|(address, bytes)| free(address, bytes));
        }
    }
}

impl Turn<'_> {
    /// Whether other threads wait until this one lets them queue again.
    pub(super) fn is_alone(&self) -> bool {
        !self.is_counted
    }

    /// Sets memory aside that cannot be given back while work is recorded.
    pub(super) fn set_aside(&self, address: Address, bytes: usize) {
        self.turns.state().given_back.push((address, bytes));
    }
}

impl Recording<'_> {
    /// Ends it. Memory that was set aside goes back by `free`.
    ///
    /// # Errors
    /// Where there is any: what was recorded may use it.
    pub(super) fn end(self, free: impl Fn(Address, usize)) -> Result<(), Error> {
        let turns = self.0.0;
        let given_back = std::mem::take(&mut turns.state().given_back);
        drop(self);
        let is_sound = given_back.is_empty();
        given_back.into_iter().for_each(|(address, bytes)| free(address, bytes));
        if is_sound { Ok(()) } else { Err(not_recorded("giving memory back")) }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_counted {
            self.turns.state().queueing -= 1;
            self.turns.changed.notify_all();
        }
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.0.state().alone = None;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Whether another thread waits as long as this one is alone, whose turns are then of this kind.
    fn assert_alone<'t, A>(turns: &'t Turns, start: impl Fn(&'t Turns) -> A, is_recorded: bool) {
        assert!(!turns.take().is_alone());
        let (said, heard) = mpsc::channel();
        std::thread::scope(|scope| {
            let alone = start(turns);
            scope.spawn(move || {
                let turn = turns.take();
                said.send(turn.is_recorded).unwrap();
            });
            for _ in 0..100 {
                let turn = turns.take();
                assert_eq!((turn.is_alone(), turn.is_recorded), (true, is_recorded));
                assert_eq!(heard.try_recv(), Err(mpsc::TryRecvError::Empty));
                std::thread::yield_now();
            }
            drop(alone);
            assert_eq!(heard.recv(), Ok(false));
        });
        assert_eq!(turns.state().queueing, 0);
    }

    #[test]
    fn others_wait_while_one_records_or_measures() {
        let turns = Turns::default();
        assert_alone(&turns, Turns::alone, false);
        assert_alone(&turns, |turns| turns.record(|_, _| unreachable!("nothing was set aside")), true);
    }

    #[test]
    fn whoever_wants_to_be_alone_waits_for_others() {
        let turns = Turns::default();
        let (said, heard) = mpsc::channel();
        std::thread::scope(|scope| {
            let turn = turns.take();
            let turns = &turns;
            scope.spawn(move || {
                let _alone = turns.alone();
                said.send(()).unwrap();
            });
            for _ in 0..100 {
                assert_eq!(heard.try_recv(), Err(mpsc::TryRecvError::Empty));
                std::thread::yield_now();
            }
            drop(turn);
            assert_eq!(heard.recv(), Ok(()));
        });
    }

    #[test]
    fn a_panic_leaves_nothing_to_the_next_recording() {
        let turns = Turns::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _recording = turns.record(|_, _| unreachable!("nothing was set aside"));
            turns.take().set_aside(64, 8);
            std::panic::resume_unwind(Box::new("work that is recorded"));
        }));
        assert!(panicked.is_err() && turns.state().alone.is_none());
        let freed = Mutex::new(Vec::new());
        let free = |address, bytes| {
            assert!(!turns.take().is_recorded);
            freed.lock().unwrap().push((address, bytes));
        };
        let recording = turns.record(free);
        assert_eq!(*freed.lock().unwrap(), [(64, 8)]);
        recording.end(free).unwrap();
        // What a recording sets aside itself spoils it.
        let recording = turns.record(free);
        turns.take().set_aside(128, 8);
        assert!(recording.end(free).is_err());
        assert_eq!(*freed.lock().unwrap(), [(64, 8), (128, 8)]);
    }
}
