//! Explains prepared blocks: the part that was computed once and is kept, and the part that each run computes from it.

use std::fmt;

use super::explanation::Explanation;
use super::requests::{explained, measured, replay};
use crate::exec::describe::Part;
use crate::exec::operands::AnyOperand;
use crate::exec::prepared_block::PreparedBlock;
use crate::exec::results::EvalAll;
use crate::exec::run::ResultPlacement;
use tensorwrapper_core::error::Error;

/// The explanation of a [`PreparedBlock`](crate::PreparedBlock), in two parts. The tensors that the first part keeps are called
/// `k0`, `k1`, … in both.
///
/// `Display` writes both tables; each part can be drawn separately.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedBlock {
    /// The part that was computed when the block was prepared; its results are kept.
    pub once: Explanation,
    /// The part that each run computes.
    pub each: Explanation,
}

impl fmt::Display for ExplainedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "once, and kept: {}\nin each run: {}", self.once, self.each)
    }
}

impl<'a, R: EvalAll<'a>> PreparedBlock<'a, R> {
    /// Explains the part that was computed once and the part that each run computes, step by step. Nothing is computed.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
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
        let device = self.backend.device();
        let each = explained(&self.plan, Part::Each { given: self.sources.len() }, device);
        let replay = replay(device.resident().map(|_| &self.replays), &self.plan);
        ExplainedBlock { once: explained(&self.first, Part::Once, device), each: Explanation { replay, ..each } }
    }

    /// The same with the time of each step of a run from these tensors: the least time of `runs` runs, but of at least one.
    ///
    /// # Errors
    /// As [`run`](PreparedBlock::run).
    pub fn measure(&self, changing: &[&dyn AnyOperand], runs: usize) -> Result<ExplainedBlock, Error> {
        let ExplainedBlock { once, each } = self.explain();
        let each = measured(each, &self.observer, runs, |observer| {
            self.run_observed(changing, observer, ResultPlacement::Host).map(drop)
        })?;
        Ok(ExplainedBlock { once, each })
    }
}
