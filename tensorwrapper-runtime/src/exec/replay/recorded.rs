//! From the third run on, once operands lie where they did, a plan is queued by one call, however many steps it has.
//!
//! The second run is in memory that is kept for all that follow, and has everything made that its steps need; the third records them.
//! Operands of the device's that lie elsewhere are given memory of the plan's own, by a run that goes step by step; from then on they
//! are copied there, on the device.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};

use super::Replay;
use crate::exec::plan::Plan;
use crate::exec::resident::{self, Wanted};
use crate::exec::watch::Watch;
use tensorwrapper_core::backend::{Device, Resident, Session};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::erased::SliceRef;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The runs of one plan.
#[derive(Debug, Default)]
pub(super) struct Replays(Arc<Mutex<State>>);

/// Plans that keep memory, in the order in which they began to, with the numbers of their devices.
static KEEPING: Mutex<VecDeque<(usize, Weak<Mutex<State>>)>> = Mutex::new(VecDeque::new());

/// Has plans that nobody runs now give up the memory that they keep on a device, the longest kept first, until something succeeds
/// there that failed for want of memory. They keep some again when they have run twice more.
///
/// # Errors
/// What the attempt reports last.
pub(in crate::exec) fn with_room<R>(device: &dyn Device, mut attempt: impl FnMut() -> Result<R, Error>) -> Result<R, Error> {
    loop {
        match attempt() {
            Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) && give_back(device.identity().1) => (),
            done => return done,
        }
    }
}

/// Has one plan give up its memory on the device of this number; whether there was one.
fn give_back(device: usize) -> bool {
    // What the owner of a plan lets go of meanwhile goes behind the lock: memory goes back when its device has a turn to give, for which
    // the thread that is alone there may have to ask for this lock.
    let mut seen = Vec::new();
    let mut keeping = KEEPING.lock().unwrap_or_else(PoisonError::into_inner);
    keeping.retain(|(_, plan)| plan.strong_count() > 0);
    let mut here = keeping.iter().enumerate().filter(|(_, (number, _))| *number == device);
    let taken = here.find_map(|(n, (_, plan))| {
        let plan = plan.upgrade()?;
        let take = |mut state: MutexGuard<'_, State>| matches!(*state, State::Kept { .. }).then(|| std::mem::take(&mut *state));
        let kept = plan.try_lock().ok().and_then(take);
        seen.push(plan);
        Some((n, kept?))
    });
    let Some((n, kept)) = taken else { return false };
    keeping.remove(n);
    drop(keeping);
    drop(kept);
    true
}

#[derive(Debug, Default)]
enum State {
    /// There was none.
    #[default]
    New,
    /// There was one: what runs once keeps no memory.
    Once,
    /// Memory is kept, and from the next run whose operands lie where they did on, what is queued in it.
    Kept { session: Box<dyn Session>, is_recorded: bool },
    /// They go step by step, for this reason.
    Never(String),
}

/// Why a plan cannot be recorded: what of it the host does or waits for.
fn obstacle(plan: &Plan) -> Option<String> {
    let mut steps = plan.steps.iter().enumerate();
    steps.find_map(|(n, step)| match (step.host_work(), step.awaited()) {
        (Some(work), _) => Some(format!("the host does step {}, {work}", n + 1)),
        (None, Some(news)) => Some(format!("the host waits in step {} for {news}", n + 1)),
        (None, None) => None,
    })
}

impl Replays {
    /// What is to be said of the next run.
    pub(super) fn told(&self, plan: &Plan) -> Replay {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Never(reason) => Replay::Never(reason.clone()),
            State::Kept { is_recorded: true, .. } => Replay::Whole,
            State::New | State::Once | State::Kept { .. } => obstacle(plan).map_or(Replay::NotYet, Replay::Never),
        }
    }

    /// As [`resident::run`], by what earlier runs have left.
    ///
    /// # Errors
    /// As [`resident::run`].
    pub(super) fn run(
        &self,
        plan: &Plan,
        (device, resident): (&dyn Device, &dyn Resident),
        watch: &Watch,
        (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
        results: &mut [Wanted<'_>],
    ) -> Result<(), Error> {
        let state = match self.0.try_lock() {
            Ok(state) => Some(state),
            // A run that ended by a panic may have left anything.
            Err(TryLockError::Poisoned(state)) => {
                let mut state = state.into_inner();
                *state = State::New;
                self.0.clear_poison();
                Some(state)
            }
            Err(TryLockError::WouldBlock) => None,
        };
        // Another thread's run has the memory, or somebody looks on at each step.
        let Some(state) = state.filter(|_| watch.is_nobody()) else {
            return resident::run(plan, (device, resident), watch, (sources, functions), results);
        };
        let was_kept = matches!(*state, State::Kept { .. });
        let mut run = Run { state, plan, device, resident, watch, sources, functions };
        let done = run.run(results);
        if done.is_err() {
            *run.state = State::New;
        }
        if !was_kept && matches!(*run.state, State::Kept { .. }) {
            let mut keeping = KEEPING.lock().unwrap_or_else(PoisonError::into_inner);
            keeping.retain(|(_, plan)| plan.strong_count() > 0 && !std::ptr::eq(plan.as_ptr(), Arc::as_ptr(&self.0)));
            keeping.push_back((device.identity().1, Arc::downgrade(&self.0)));
        }
        done
    }
}

/// A run, and the state that the one before has left.
struct Run<'r> {
    state: MutexGuard<'r, State>,
    plan: &'r Plan,
    device: &'r dyn Device,
    resident: &'r dyn Resident,
    watch: &'r Watch,
    sources: &'r [SliceRef<'r>],
    functions: &'r [Callback<'r>],
}

impl Run<'_> {
    fn run(&mut self, results: &mut [Wanted<'_>]) -> Result<(), Error> {
        match &mut *self.state {
            State::New => {
                *self.state = obstacle(self.plan).map_or(State::Once, State::Never);
                self.alone(results)
            }
            State::Never(_) => self.alone(results),
            State::Once | State::Kept { .. } => match self.in_kept(results) {
                // A run alone needs no copies of results and operands beside those of the plan.
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => self.alone(results),
                done => done,
            },
        }
    }

    /// Runs in memory that is kept then, unless the run fails: it is given back, and the state is as if there had been no run.
    fn in_kept(&mut self, results: &mut [Wanted<'_>]) -> Result<(), Error> {
        if let State::Kept { session, is_recorded } = std::mem::take(&mut *self.state) {
            return self.again(session, is_recorded, results);
        }
        let mut session = resident::open(self.plan, (self.device, self.resident), self.sources, true)?;
        self.steps(&mut *session)?;
        resident::deliver(self.device, &mut *session, self.sources.len(), results)?;
        *self.state = State::Kept { session, is_recorded: false };
        Ok(())
    }

    /// Runs in memory of its own.
    fn alone(&self, results: &mut [Wanted<'_>]) -> Result<(), Error> {
        resident::run(self.plan, (self.device, self.resident), self.watch, (self.sources, self.functions), results)
    }

    fn steps(&self, session: &mut dyn Session) -> Result<(), Error> {
        resident::steps(self.plan, self.device, session, self.watch, (self.sources, self.functions))
    }

    /// Runs in the memory that is kept, by what is recorded, if operands lie where they did.
    fn again(&mut self, mut session: Box<dyn Session>, is_recorded: bool, results: &mut [Wanted<'_>]) -> Result<(), Error> {
        let sources = resident::read(self.plan, self.sources);
        // What an attempt has moved before it failed lies right for the next, but not where it was recorded.
        let mut attempts = 0;
        let is_same = with_room(self.device, || {
            attempts += 1;
            session.renew(&sources)
        })? && attempts == 1;
        let is_recorded = match is_same {
            false => false,
            true if is_recorded => true,
            true => match session.record(&mut |session| self.steps(session)) {
                Ok(()) => true,
                // Without room for the recording this run goes step by step, and the next may find some.
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => false,
                // Steps one by one are right in any case, and say what is wrong with the device, if it is that. They are in memory
                // of their own: nobody has to have room for both.
                Err(error) => {
                    drop(session);
                    *self.state = State::Never(error.to_string());
                    return self.alone(results);
                }
            },
        };
        if !(is_recorded && session.replay()?) {
            self.steps(&mut *session)?;
        }
        resident::deliver(self.device, &mut *session, self.sources.len(), results)?;
        *self.state = State::Kept { session, is_recorded };
        Ok(())
    }
}
