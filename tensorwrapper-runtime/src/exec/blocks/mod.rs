//! Equations over block tensors: inferred, joined and computed block by block.
//!
//! `terms` reads an equation as a sum of products; `cuts` says how its labels are cut, `equal` when two products are the same by
//! symmetry, `infer` which symmetry and charge a result has. `pieces` lists the blocks of a factor, `join` finds which of them meet,
//! `group` multiplies what was gathered, `pair` is a product of two factors, `plan` the order of all. `prepared` runs a plan, `kept` keeps
//! the last ones. `sectors` is linear algebra. This file has the entry points of equations.

mod cuts;
mod equal;
mod group;
mod infer;
mod join;
mod kept;
mod pair;
mod pieces;
mod plan;
mod prepared;
mod sectors;
mod terms;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{Equation, Operand};

use self::kept::Key;
use self::plan::Planner;
pub use self::prepared::PreparedBlocks;
pub use self::sectors::Truncation;
use self::terms::Sum;
use super::context::Context;
use super::record::{check_different, unknown_name, unread_name};
use super::statements::{checked, subscripts_statement};
use crate::expr::equation_of_text;
use crate::tensor::Blocks;

/// Of each operand the number of the first one that is the same tensor.
fn numbers<T: Element>(operands: &[&Blocks<T>]) -> Vec<usize> {
    (0..operands.len()).map(|n| (0..n).find(|&m| operands[m].is_same(operands[n])).unwrap_or(n)).collect()
}

/// Evaluates subscripts over block tensors; see [`Context::einsum_blocks`].
///
/// # Errors
/// As [`Context::einsum_blocks`].
///
/// ```
/// use tensorwrapper_runtime::{Blocks, Error, Structure, Symmetry, Tiling, einsum_blocks};
/// let cut = Tiling::cuts([2, 1]);
/// let symmetric = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1])?)?;
/// let f = Blocks::<f64>::from_fn(&symmetric, |i| (1 + i[0] + i[1]) as f64)?;
/// let c = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| (1 + 2 * i[0] + i[1]) as f64)?;
/// let g = einsum_blocks("ip,ij,jq->pq", &[&c, &f, &c])?;
/// assert_eq!(g.structure().symmetry(), symmetric.symmetry()); // inferred: the factors change places
/// # Ok::<(), Error>(())
/// ```
pub fn einsum_blocks<T: Element>(subscripts: &str, operands: &[&Blocks<T>]) -> Result<Blocks<T>, Error> {
    Context::global().einsum_blocks(subscripts, operands)
}

impl Context {
    /// Evaluates NumPy's subscripts over block tensors. The structure of the result is inferred: its cuts are those of the first operand
    /// that has the label, its blocks those that some product of blocks contributes to, its symmetry and the charge that it conserves
    /// what the operands' say. Operands that are the same tensor (not only equal) may change places.
    ///
    /// The last 64 plans are kept, each for a context and its clones: make one context and use it again. Orders, limits of memory, progress
    /// and cancellation of a context do not concern block tensors yet. Elements that follow from each other within one block are equal up
    /// to rounding.
    ///
    /// # Errors
    /// As [`einsum`](Context::einsum); [`ErrorKind::Shape`](crate::ErrorKind::Shape) when charges do not fit;
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for what is not computed over block tensors.
    pub fn einsum_blocks<T: Element>(&self, subscripts: &str, operands: &[&Blocks<T>]) -> Result<Blocks<T>, Error> {
        let plan = || {
            let equation = checked(&subscripts_statement(subscripts, operands.len())?)?;
            let names = (0..operands.len()).map(|n| format!("operand {n}")).collect();
            let by_position = |hole: &Hole| Some(hole.span.start);
            self.planned_blocks(&equation, names, operands, &by_position)
        };
        self.kept_blocks(format!("subscripts {subscripts}"), operands, plan)?.run(operands)
    }

    /// Evaluates an equation over block tensors from its text, such as `[i, j] = 2.0 * A[i, k] * B[k, j] - C[j, i]`.
    ///
    /// # Errors
    /// As [`record`](crate::record) and [`einsum_blocks`](Context::einsum_blocks).
    pub fn eval_blocks<T: Element>(&self, equation: &str, names: &[(&str, &Blocks<T>)]) -> Result<Blocks<T>, Error> {
        let operands: Vec<&Blocks<T>> = names.iter().map(|(_, operand)| *operand).collect();
        let texts: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let key = format!("text {equation} {}", texts.join(" "));
        self.kept_blocks(key, &operands, || self.prepare_blocks(equation, names))?.run(&operands)
    }

    /// Plans an equation over block tensors of these structures, to be run any number of times.
    ///
    /// # Errors
    /// As [`eval_blocks`](Context::eval_blocks).
    pub fn prepare_blocks<T: Element>(&self, equation: &str, names: &[(&str, &Blocks<T>)]) -> Result<PreparedBlocks, Error> {
        let equation = equation_of_text(equation)?;
        let operands: Vec<&Blocks<T>> = names.iter().map(|(_, operand)| *operand).collect();
        let given: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        check_different(&given)?;
        let find = |hole: &Hole| given.iter().position(|name| *name == hole.text);
        if let Some(operand) = equation.operands().iter().find(|operand| find(&operand.hole).is_none()) {
            return Err(unknown_name(&operand.hole.text, &given));
        }
        if let Some(name) = given.iter().find(|name| !equation.operands().iter().any(|operand| operand.hole.text == **name)) {
            return Err(unread_name(name));
        }
        let texts = given.iter().map(|name| name.to_string()).collect();
        self.planned_blocks(&equation, texts, &operands, &find)
    }

    /// The plan of an equation over these operands: one that is kept, or a new one.
    fn kept_blocks<T: Element>(
        &self,
        equation: String,
        operands: &[&Blocks<T>],
        plan: impl FnOnce() -> Result<PreparedBlocks, Error>,
    ) -> Result<Arc<PreparedBlocks>, Error> {
        let structures = operands.iter().map(|operand| operand.structure().clone()).collect();
        let (numbers, backend) = (numbers(operands), Arc::clone(&self.backend));
        let key = Key { equation, numbers, structures, dtype: T::DTYPE, backend };
        if let Some(known) = kept::find(&key) {
            return Ok(known);
        }
        let new = Arc::new(plan()?);
        kept::keep(key, Arc::clone(&new));
        Ok(new)
    }

    fn planned_blocks<T: Element>(
        &self,
        equation: &Equation,
        names: Vec<String>,
        operands: &[&Blocks<T>],
        find: &dyn Fn(&Hole) -> Option<usize>,
    ) -> Result<PreparedBlocks, Error> {
        let numbers = numbers(operands);
        let operand = |_, operand: &Operand| numbers[find(&operand.hole).expect("operands were found")];
        let sum = Sum::of(equation, &operand)?;
        let structures = operands.iter().map(|operand| operand.structure().clone()).collect();
        let device = self.backend.device();
        let plan = Planner::new::<T>(device, structures, names).plan::<T>(&sum)?;
        Ok(PreparedBlocks { context: self.clone(), plan, numbers, dtype: T::DTYPE })
    }
}
