//! Run observers: progress, cancellation, times of steps, and spans of `tracing`.
//!
//! A run without an observer checks once that there is none. Nothing here decides what is computed.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::exec::describe::StepNames;
use crate::exec::plan::Plan;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{OperationId, OperationNode};

/// Ends runs between two of their steps, from another thread or from a signal's handler. Clones are the same token.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Cancel, Context, ErrorKind, Tensor};
/// let cancel = Cancel::new();
/// let context = Context::cpu().cancel(&cancel);
/// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
/// assert!(context.einsum("ij,jk->ik", &[&a, &a]).is_ok());
/// cancel.cancel();
/// let error = context.einsum("ij,jk->ik", &[&a, &a]).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Cancelled { step: 0, steps: 1 }));
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A token that ends nothing yet.
    #[must_use]
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the current runs with this token before their next step, and all later runs with it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The progress of a run. It is reported before each step, between the parts of a step that is computed in parts, and after the
/// last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Steps that are done.
    pub step: usize,
    /// Steps of the plan.
    pub steps: usize,
    /// Operations that are done.
    pub done: f64,
    /// Operations of all steps.
    pub operations: f64,
}

pub(in crate::exec) type Report = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

/// The observers of runs. By default there are none.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<Listeners>>);

#[derive(Clone, Default)]
pub(in crate::exec) struct Listeners {
    pub(in crate::exec) report: Option<Arc<Report>>,
    pub(in crate::exec) cancel: Option<Cancel>,
    times: Option<Times>,
}

/// What is measured of one run after the other.
#[derive(Clone, Default)]
pub(in crate::exec) struct Times(Arc<Mutex<Measured>>);

#[derive(Default)]
pub(in crate::exec) struct Measured {
    /// Times of the steps.
    pub(in crate::exec) times: Vec<Duration>,
    /// The most bytes of a device's memory that were taken at one time, without operands.
    pub(in crate::exec) memory: Option<usize>,
}

impl Times {
    fn open(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the measurements of the last run.
    pub(in crate::exec) fn take(&self) -> Measured {
        std::mem::take(&mut *self.open())
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_none() { "no observer" } else { "observed" })
    }
}

impl Observer {
    /// Whether the program has asked for no reports.
    #[inline]
    pub(in crate::exec) fn is_idle(&self) -> bool {
        self.0.is_none()
    }

    /// Whether nothing observes a run, not even a collector of spans.
    #[inline]
    pub(in crate::exec) fn is_silent(&self) -> bool {
        self.0.is_none() && !tracing::enabled!(tracing::Level::DEBUG)
    }

    /// The same with one more listener.
    pub(in crate::exec) fn with(&self, change: impl FnOnce(&mut Listeners)) -> Observer {
        let mut listeners = self.0.as_deref().cloned().unwrap_or_default();
        change(&mut listeners);
        Observer(Some(Arc::new(listeners)))
    }

    /// The same with a clock.
    pub(in crate::exec) fn timing(&self) -> (Observer, Times) {
        let times = Times::default();
        (self.with(|listeners| listeners.times = Some(times.clone())), times)
    }

    /// Whether times are measured.
    pub(in crate::exec) fn is_timed(&self) -> bool {
        self.0.as_ref().is_some_and(|listeners| listeners.times.is_some())
    }

    /// Records how much memory of a device a run has taken.
    pub(in crate::exec) fn took(&self, bytes: usize) {
        if let Some(times) = self.0.as_ref().and_then(|listeners| listeners.times.as_ref()) {
            times.open().memory = Some(bytes);
        }
    }

    /// Observes a run of a plan.
    pub(in crate::exec) fn begin<'p>(&'p self, plan: &'p Plan) -> ObservedRun<'p> {
        let is_whole = plan.whole.is_some();
        let names = (!is_whole && tracing::enabled!(tracing::Level::DEBUG)).then(|| StepNames::new(&plan.graph));
        let reported = self.report(|| {
            let costs = plan.graph.operations().iter().map(OperationNode::cost);
            if is_whole { vec![costs.sum()] } else { costs.collect() }
        });
        ObservedRun { plan, names, reported }
    }

    /// Reports the progress of steps with these numbers of operations, if the program has asked for reports.
    pub(in crate::exec) fn report(&self, costs: impl FnOnce() -> Vec<f64>) -> Option<ReportedRun<'_>> {
        self.0.as_deref().map(|listeners| {
            let costs = costs();
            let progress = Progress { step: 0, steps: costs.len(), done: 0.0, operations: costs.iter().sum() };
            ReportedRun { listeners, costs, progress, started: None }
        })
    }
}

/// A run that is observed.
pub(in crate::exec) struct ObservedRun<'p> {
    plan: &'p Plan,
    /// Where spans are collected.
    names: Option<StepNames<'p>>,
    reported: Option<ReportedRun<'p>>,
}

/// A run whose progress is reported, and which may be cancelled.
pub(in crate::exec) struct ReportedRun<'p> {
    listeners: &'p Listeners,
    costs: Vec<f64>,
    progress: Progress,
    started: Option<Instant>,
}

impl ObservedRun<'_> {
    /// Is called before a step. Returns the span of the step, which ends when it is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    #[inline]
    pub(in crate::exec) fn before(&mut self, step: usize) -> Result<Option<tracing::span::EnteredSpan>, Error> {
        if let Some(reported) = &mut self.reported {
            reported.before()?;
        }
        Ok(self.names.as_ref().map(|names| {
            let (equation, kind, operations) = names.describe(&self.plan.graph, OperationId(step));
            tracing::debug_span!("step", number = step + 1, steps = self.plan.steps.len(), equation, kind, operations).entered()
        }))
    }

    /// Is called within a step that is computed in parts. `part` is the fraction of the step that is done.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub(in crate::exec) fn between(&mut self, step: usize, part: f64) -> Result<(), Error> {
        match &mut self.reported {
            Some(reported) => reported.go_on(part * reported.costs[step]),
            None => Ok(()),
        }
    }

    /// Is called after a step.
    #[inline]
    pub(in crate::exec) fn after(&mut self, step: usize) {
        if let Some(reported) = &mut self.reported {
            reported.after(step);
        }
    }
}

impl ReportedRun<'_> {
    /// Is called before a step.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub(in crate::exec) fn before(&mut self) -> Result<(), Error> {
        self.go_on(0.0)?;
        self.started = self.listeners.times.as_ref().map(|_| Instant::now());
        Ok(())
    }

    /// Reports progress after so many operations of a step, and asks whether to go on.
    fn go_on(&self, within: f64) -> Result<(), Error> {
        let Progress { step, steps, .. } = self.progress;
        let is_cancelled = self.listeners.cancel.as_ref().is_some_and(Cancel::is_cancelled);
        if is_cancelled || self.report(within).is_break() {
            return Err(Error::new(ErrorKind::Cancelled { step, steps }));
        }
        Ok(())
    }

    /// Is called after a step.
    pub(in crate::exec) fn after(&mut self, step: usize) {
        if let (Some(times), Some(started)) = (&self.listeners.times, self.started.take()) {
            times.open().times.push(started.elapsed());
        }
        self.progress.step += 1;
        self.progress.done += self.costs[step];
        if self.progress.step == self.progress.steps {
            // Everything is computed: a break has nothing left to end.
            let _ = self.report(0.0);
        }
    }

    fn report(&self, within: f64) -> ControlFlow<()> {
        let progress = Progress { done: self.progress.done + within, ..self.progress };
        self.listeners.report.as_ref().map_or(ControlFlow::Continue(()), |report| report(progress))
    }
}
