//! Blocks that run again and again, explained: what was computed once and is kept, and what each run computes from it.

use std::fmt;

use super::Explanation;
use super::doors::{explained, measured};
use super::equation::Part;
use crate::exec::block::{AnyOperand, PreparedBlock};
use crate::exec::doors::EvalAll;
use crate::exec::run::Goes;
use tensorwrapper_core::error::Error;

/// What a [`PreparedBlock`](crate::PreparedBlock) does, in two parts. What the first keeps is called `k0`, `k1`, … in both.
///
/// `Display` gives both tables; each part can be drawn for itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedBlock {
    /// What was computed when the block was prepared, and is kept.
    pub once: Explanation,
    /// What each run computes.
    pub each: Explanation,
}

impl fmt::Display for ExplainedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "once, and kept: {}\nin each run: {}", self.once, self.each)
    }
}

impl<'a, R: EvalAll<'a>> PreparedBlock<'a, R> {
    /// What was computed once and what each run computes, step by step. Nothing is computed.
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let x = Tensor::<f64>::filled([2], 1.0)?;
    /// let next = (a.at("i,j").exp() * x.at("j")).record("i")?;
    /// let explained = Context::cpu().prepare_all((&next,), &[&x])?.explain();
    /// assert_eq!(explained.once.steps()[0].equation, "k0[i,j] = exp(x0[i,j])");
    /// assert_eq!(explained.each.steps()[0].equation, "r[i] = k0[i,j] * x1[j]");
    /// println!("{explained}");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn explain(&self) -> ExplainedBlock {
        let each = explained(&self.plan, Part::Each { given: self.sources.len() }, &*self.device);
        let replay = self.runs.replay(&self.plan, &*self.device);
        ExplainedBlock { once: explained(&self.first, Part::Once, &*self.device), each: Explanation { replay, ..each } }
    }

    /// The same with the time that each step of a run took, the least of so many runs, at least one, from these tensors.
    ///
    /// # Errors
    /// As [`run`](PreparedBlock::run).
    pub fn measure(&self, changing: &[&dyn AnyOperand], runs: usize) -> Result<ExplainedBlock, Error> {
        let ExplainedBlock { once, each } = self.explain();
        let each = measured(each, &self.watch, runs, |watch| self.run_watched(changing, watch, Goes::Here).map(drop))?;
        Ok(ExplainedBlock { once, each })
    }
}
