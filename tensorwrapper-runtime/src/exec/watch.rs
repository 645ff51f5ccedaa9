//! Who looks on while a plan runs: progress, cancellation, times of steps, and spans of `tracing`.
//!
//! A plan that nobody watches asks once. Nothing here decides what is computed.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::context::Context;
use super::explain::StepNames;
use super::plan::Plan;
use crate::optimize::count::operation;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::OperationId;

/// Ends runs between two of their steps, from another thread or from a signal's handler. Clones are the same token.
///
/// ```
/// use tensorwrapper_runtime::{Cancel, Context, ErrorKind, Tensor};
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

    /// Ends what runs with this token before its next step, and whatever would run with it later.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a run has come: told before each of its steps, between the parts of a step that is done in parts, and after the last.
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

type Report = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

/// Who looks on. The default is nobody.
#[derive(Clone, Default)]
pub(crate) struct Watch(Option<Arc<Eyes>>);

#[derive(Clone, Default)]
struct Eyes {
    report: Option<Arc<Report>>,
    cancel: Option<Cancel>,
    times: Option<Times>,
}

/// What is measured of one run after the other.
#[derive(Clone, Default)]
pub(super) struct Times(Arc<Mutex<Measured>>);

#[derive(Default)]
pub(super) struct Measured {
    /// Times of the steps.
    pub(super) times: Vec<Duration>,
    /// The most bytes of a device's memory that were taken at one time, without operands.
    pub(super) memory: Option<usize>,
}

impl Times {
    fn open(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was measured of the last run.
    pub(super) fn take(&self) -> Measured {
        std::mem::take(&mut *self.open())
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_none() { "nobody" } else { "watched" })
    }
}

impl Context {
    /// The same with a function that is told how far each run has come: before each of its steps, and after the last. Where it
    /// returns [`Break`](ControlFlow::Break) before the end, the run ends with [`ErrorKind::Cancelled`], and what it was to write
    /// is as it was.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use tensorwrapper_runtime::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let context = Context::cpu().progress(|p| {
    ///     eprintln!("step {} of {}, {:.0} % of the operations", p.step, p.steps, 100.0 * p.done / p.operations);
    ///     ControlFlow::Continue(())
    /// });
    /// context.einsum("ij,jk,kl->il", &[&a, &a, &a])?;
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn progress(self, report: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Context {
        let watch = self.watch.with(|eyes| eyes.report = Some(Arc::new(report)));
        Context { watch, ..self }
    }

    /// The same where a token ends runs between their steps: see [`Cancel`]. What a run was to write is as it was then.
    #[must_use]
    pub fn cancel(self, cancel: &Cancel) -> Context {
        let watch = self.watch.with(|eyes| eyes.cancel = Some(cancel.clone()));
        Context { watch, ..self }
    }
}

impl Watch {
    /// Whether nobody is told of anything.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.0.is_none()
    }

    /// Whether nobody looks on, not even a collector of spans.
    #[inline]
    pub(super) fn is_nobody(&self) -> bool {
        self.0.is_none() && !tracing::enabled!(tracing::Level::DEBUG)
    }

    fn with(&self, change: impl FnOnce(&mut Eyes)) -> Watch {
        let mut eyes = self.0.as_deref().cloned().unwrap_or_default();
        change(&mut eyes);
        Watch(Some(Arc::new(eyes)))
    }

    /// The same with a clock.
    pub(super) fn timing(&self) -> (Watch, Times) {
        let times = Times::default();
        (self.with(|eyes| eyes.times = Some(times.clone())), times)
    }

    /// Whether somebody takes times.
    pub(super) fn is_timed(&self) -> bool {
        self.0.as_ref().is_some_and(|eyes| eyes.times.is_some())
    }

    /// Notes how much memory of a device a run has taken.
    pub(super) fn took(&self, bytes: usize) {
        if let Some(times) = self.0.as_ref().and_then(|eyes| eyes.times.as_ref()) {
            times.open().memory = Some(bytes);
        }
    }

    /// Looks on at a run.
    pub(super) fn begin<'p>(&'p self, plan: &'p Plan) -> Watching<'p> {
        let names = tracing::enabled!(tracing::Level::DEBUG).then(|| StepNames::new(&plan.graph));
        let watched = self.0.as_deref().map(|eyes| {
            let costs: Vec<f64> = plan.graph.operations().iter().map(operation).collect();
            let all = costs.iter().sum();
            Watched {
                eyes,
                costs,
                progress: Progress { step: 0, steps: plan.steps.len(), done: 0.0, operations: all },
                started: None,
            }
        });
        Watching { plan, names, watched }
    }
}

/// A run that is looked on at.
pub(super) struct Watching<'p> {
    plan: &'p Plan,
    /// Where somebody collects spans.
    names: Option<StepNames<'p>>,
    watched: Option<Watched<'p>>,
}

struct Watched<'p> {
    eyes: &'p Eyes,
    costs: Vec<f64>,
    progress: Progress,
    started: Option<Instant>,
}

impl Watching<'_> {
    /// Before a step: its span, until it is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    #[inline]
    pub(super) fn before(&mut self, step: usize) -> Result<Option<tracing::span::EnteredSpan>, Error> {
        if let Some(watched) = &mut self.watched {
            watched.before()?;
        }
        Ok(self.names.as_ref().map(|names| {
            let (equation, kind, operations) = names.describe(&self.plan.graph, OperationId(step));
            tracing::debug_span!("step", number = step + 1, steps = self.plan.steps.len(), equation, kind, operations).entered()
        }))
    }

    /// Within a step that is done in parts, of which so much is done.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub(super) fn between(&mut self, step: usize, part: f64) -> Result<(), Error> {
        match &mut self.watched {
            Some(watched) => watched.go_on(part * watched.costs[step]),
            None => Ok(()),
        }
    }

    /// After a step.
    #[inline]
    pub(super) fn after(&mut self, step: usize) {
        if let Some(watched) = &mut self.watched {
            watched.after(step);
        }
    }
}

impl Watched<'_> {
    fn before(&mut self) -> Result<(), Error> {
        self.go_on(0.0)?;
        self.started = self.eyes.times.as_ref().map(|_| Instant::now());
        Ok(())
    }

    /// Whether the run is to go on, so many operations into a step.
    fn go_on(&self, within: f64) -> Result<(), Error> {
        let Progress { step, steps, .. } = self.progress;
        let is_cancelled = self.eyes.cancel.as_ref().is_some_and(Cancel::is_cancelled);
        if is_cancelled || self.report(within).is_break() {
            return Err(Error::new(ErrorKind::Cancelled { step, steps }));
        }
        Ok(())
    }

    fn after(&mut self, step: usize) {
        if let (Some(times), Some(started)) = (&self.eyes.times, self.started.take()) {
            times.open().times.push(started.elapsed());
        }
        self.progress.step += 1;
        self.progress.done += self.costs[step];
        if self.progress.step == self.progress.steps {
            // All is done: there is nothing left to end.
            let _ = self.report(0.0);
        }
    }

    fn report(&self, within: f64) -> ControlFlow<()> {
        let progress = Progress { done: self.progress.done + within, ..self.progress };
        self.eyes.report.as_ref().map_or(ControlFlow::Continue(()), |report| report(progress))
    }
}
