//! Explanations of prepared plans and recorded results.

use std::time::Duration;

use super::equations::equations;
use super::explanation::Explanation;
use super::read::explain;
use crate::exec::compile::planned;
use crate::exec::context::Context;
use crate::exec::describe::Part;
use crate::exec::memory::{live, peak};
use crate::exec::operands::DynOperand;
use crate::exec::plan::Plan;
use crate::exec::prepared::Prepared;
use crate::exec::results::{EvalAll, RecordedValue};
use crate::exec::run::{Measured, Observer, Replay, Replays, ResultPlacement};
use crate::expr::{Expr, Value};
use crate::link::Link;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Extents;

impl<T: Numeric> Prepared<T> {
    /// Explains what the plan does, step by step. Nothing is computed. Of integers, these are the steps in double precision; the text says
    /// when loops of the host compute them instead.
    pub fn explain(&self) -> Explanation {
        let (plan, device) = (&self.kept.plan, self.backend.device());
        let (replay, integers) = (replay(self.replays.as_deref(), plan), self.integers_by());
        Explanation { replay, integers, ..explained(plan, Part::Whole, device) }
    }
}

impl<T: Element> Prepared<T> {
    /// [`explain`](Prepared::explain) with the time of each step on these operands: the least time of `runs` runs, but of at least one. On
    /// a device with its own memory also [the memory that the runs took](Explanation::measured_peak_bytes).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([8, 8], 1.0)?;
    /// let product = Context::cpu().prepare("ij,jk,kl->il", &[&a, &a, &a])?;
    /// let measured = product.measure(&[&a, &a, &a], 3)?;
    /// assert!(measured.steps().iter().all(|step| step.measured.is_some()));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Prepared::run).
    pub fn measure(&self, operands: &[&dyn DynOperand<T>], runs: usize) -> Result<Explanation, Error> {
        let sources = self.sources(operands)?;
        measured(self.explain(), &self.observer, runs, |observer| {
            self.execution(observer).run(&sources, ResultPlacement::Host).map(drop)
        })
    }
}

impl<T: Element, S: Extents> Expr<'_, T, S> {
    /// Explains how this result would be computed, step by step. Nothing is computed, except that a GPU may measure new
    /// products (`Context::measured`).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::<f64>::filled([3, 3], 1.0)?;
    /// let result = (a.at("i,k") * a.at("k,j")).record("i,j")?;
    /// assert_eq!(result.explain()?.steps()[0].equation, "r[i,j] = x0[i,k] * x0[k,j]");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Intermediates larger than memory can address.
    pub fn explain(&self) -> Result<Explanation, Error> {
        Context::global().explain(std::slice::from_ref(self))
    }
}

impl Context {
    /// Explains how recorded results would be computed together, step by step. It takes a tuple of references or a slice, like
    /// [`eval_all`](Context::eval_all). Nothing is computed, except that a GPU may measure new products (`Context::measured`).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([3, 3], 1.0)?;
    /// let square = (a.at("i,k") * a.at("k,j")).record("i,j")?;
    /// let cube = (square.at("i,k") * a.at("k,j")).record("i,j")?;
    /// let explanation = Context::cpu().explain((&square, &cube))?;
    /// assert_eq!(explanation.steps()[1].equation, "r1[i,j] = r0[i,k] * x0[k,j]");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Intermediates larger than memory can address.
    pub fn explain<'a, R: EvalAll<'a>>(&self, results: R) -> Result<Explanation, Error> {
        values(self, &RecordedValue::all(&results), 0)
    }

    /// The same with the time of each step: the least time of `runs` runs, but of at least one.
    ///
    /// # Errors
    /// As [`eval_all`](Context::eval_all).
    pub fn measure<'a, R: EvalAll<'a>>(&self, results: R, runs: usize) -> Result<Explanation, Error> {
        values(self, &RecordedValue::all(&results), runs.max(1))
    }
}

/// Explains recorded values together, and computes them if `runs` is not 0.
fn values(context: &Context, values: &[Link<Value<'_>>], runs: usize) -> Result<Explanation, Error> {
    let planned = planned(context, values)?;
    let mut explanation = explained(&planned.plan, Part::Whole, planned.backend.device());
    explanation.equations = Some(equations(values));
    match runs {
        0 => Ok(explanation),
        _ => measured(explanation, &context.observer, runs, |observer| planned.run(observer, ResultPlacement::Host).map(drop)),
    }
}

pub(super) fn explained(plan: &Plan, part: Part, device: &dyn Device) -> Explanation {
    let mut explanation = explain(&plan.graph, part, device.described(), &live(plan), peak(plan).bytes());
    for (explained, step) in explanation.steps.iter_mut().zip(&plan.steps) {
        explained.library = step.library();
        explained.method = step.method();
        if device.resident().is_some() {
            explained.on_host = step.host_work().is_some();
            explained.is_measured = step.is_measured();
        }
    }
    explanation
}

/// What is to be said of the next run of a prepared plan, on a device that records what is queued.
pub(super) fn replay(replays: Option<&Replays>, plan: &Plan) -> Option<Replay> {
    replays.filter(|_| plan.whole.is_none()).map(|replays| replays.next(plan))
}

/// Runs a plan that is explained, and keeps the least time of each step.
pub(super) fn measured(
    mut explanation: Explanation,
    observer: &Observer,
    runs: usize,
    mut run: impl FnMut(&Observer) -> Result<(), Error>,
) -> Result<Explanation, Error> {
    let (timed, times) = observer.timing();
    for _ in 0..runs.max(1) {
        run(&timed)?;
        let Measured { times, memory } = times.take();
        explanation.taken = explanation.taken.max(memory.map(|bytes| bytes as u128));
        for (step, time) in explanation.steps.iter_mut().zip(times) {
            step.measured = Some(step.measured.unwrap_or(Duration::MAX).min(time));
        }
        explanation.runs += 1;
    }
    Ok(explanation)
}
