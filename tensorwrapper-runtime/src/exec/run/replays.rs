//! Runs of prepared plans on devices that can record queued steps. From the third run on, once the operands are at the same
//! addresses as before, all steps of a plan are queued by one call.
//!
//! The memory of the second run is kept for all later runs, and everything that its steps need is made; the third run records
//! the steps. If operands on the device are at other addresses, a run that goes step by step gives them memory of the plan's
//! own; later runs copy them there, on the device.
//!
//! A recording contains addresses. If there is not enough memory, other plans release theirs first (`reclaim.rs`), then this
//! one. While one thread records, others wait, because all threads queue in one stream. Work on the host (`Step::host_work`) is
//! never recorded.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::device_run::{DeviceExecution, ResultRequest};
use super::reclaim::{State, keep, with_room};
use crate::exec::plan::Plan;
use tensorwrapper_core::backend::Session;
use tensorwrapper_core::error::{Error, ErrorKind};

/// Whether all steps of a run of a prepared plan are queued by one call, on a device that can record queued steps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// They will be. The first two runs go step by step. The next run is recorded if its operands are at the same addresses as
    /// before, or are copied there.
    NotYet,
    /// They are.
    Whole,
    /// They are queued one by one, for this reason.
    Never(String),
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Replay::NotYet => f.write_str("from the third run on, once operands lie where they did"),
            Replay::Whole => f.write_str("yes"),
            Replay::Never(reason) => write!(f, "no: {reason}"),
        }
    }
}

/// The state that the runs of one prepared plan leave for the next run.
#[derive(Debug, Default)]
pub(in crate::exec) struct Replays(Arc<Mutex<State>>);

/// The reason why a plan cannot be recorded: work that the host does or waits for.
fn obstacle(plan: &Plan) -> Option<String> {
    let mut steps = plan.steps.iter().enumerate();
    steps.find_map(|(n, step)| match (step.host_work(), step.awaited()) {
        (Some(work), _) => Some(format!("the host does step {}, {work}", n + 1)),
        (None, Some(news)) => Some(format!("the host waits in step {} for {news}", n + 1)),
        (None, None) => None,
    })
}

impl Replays {
    /// How the next run will be queued.
    pub(in crate::exec) fn next(&self, plan: &Plan) -> Replay {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Never(reason) => Replay::Never(reason.clone()),
            State::Kept { is_recorded: true, .. } => Replay::Whole,
            State::New | State::Once | State::Kept { .. } => obstacle(plan).map_or(Replay::NotYet, Replay::Never),
        }
    }

    /// As [`DeviceExecution::run`], with the memory and the recording of earlier runs.
    ///
    /// # Errors
    /// As [`DeviceExecution::run`].
    pub(super) fn run(&self, execution: &DeviceExecution<'_>, results: &mut [ResultRequest<'_>]) -> Result<(), Error> {
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
        // Another thread's run has the memory, or each step is observed.
        let Some(state) = state.filter(|_| execution.observer.is_silent()) else { return execution.run(results) };
        let was_kept = matches!(*state, State::Kept { .. });
        let mut run = Run { state, execution };
        let done = run.run(results);
        if done.is_err() {
            *run.state = State::New;
        }
        if !was_kept && matches!(*run.state, State::Kept { .. }) {
            keep(execution.backend, &self.0);
        }
        done
    }
}

/// A run, and the state that the previous run has left.
struct Run<'r> {
    state: MutexGuard<'r, State>,
    execution: &'r DeviceExecution<'r>,
}

impl Run<'_> {
    fn run(&mut self, results: &mut [ResultRequest<'_>]) -> Result<(), Error> {
        match &mut *self.state {
            State::New => {
                *self.state = obstacle(self.execution.plan).map_or(State::Once, State::Never);
                self.execution.run(results)
            }
            State::Never(_) => self.execution.run(results),
            State::Once | State::Kept { .. } => match self.in_kept(results) {
                // A run alone needs no copies of results and operands beside those of the plan.
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => self.execution.run(results),
                done => done,
            },
        }
    }

    /// Runs in memory that is kept afterwards. If the run fails, the memory is released, and the state is as if there had been
    /// no run.
    fn in_kept(&mut self, results: &mut [ResultRequest<'_>]) -> Result<(), Error> {
        if let State::Kept { session, is_recorded } = std::mem::take(&mut *self.state) {
            return self.again(session, is_recorded, results);
        }
        let mut session = self.execution.open(true)?;
        self.execution.steps(&mut *session)?;
        self.execution.deliver(&mut *session, results)?;
        *self.state = State::Kept { session, is_recorded: false };
        Ok(())
    }

    /// Runs in the memory that is kept, with the recording if the operands are at the same addresses.
    fn again(
        &mut self,
        mut session: Box<dyn Session>,
        is_recorded: bool,
        results: &mut [ResultRequest<'_>],
    ) -> Result<(), Error> {
        let sources = self.execution.read();
        // What an attempt has moved before it failed lies right for the next, but not where it was recorded.
        let mut attempts = 0;
        let is_same = with_room(self.execution.backend, || {
            attempts += 1;
            session.renew(&sources)
        })? && attempts == 1;
        let is_recorded = match is_same {
            false => false,
            true if is_recorded => true,
            true => match session.record(&mut |session| self.execution.steps(session)) {
                Ok(()) => true,
                // Without room for the recording this run goes step by step, and the next may find some.
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => false,
                // Steps one by one are right in any case, and say what is wrong with the device, if it is that. They are in memory
                // of their own: nobody has to have room for both.
                Err(error) => {
                    drop(session);
                    *self.state = State::Never(error.to_string());
                    return self.execution.run(results);
                }
            },
        };
        if !(is_recorded && session.replay()?) {
            self.execution.steps(&mut *session)?;
        }
        self.execution.deliver(&mut *session, results)?;
        *self.state = State::Kept { session, is_recorded };
        Ok(())
    }
}
