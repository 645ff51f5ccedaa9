//! Equations over block tensors: inferred, joined and computed block by block.
//!
//! `terms` reads an equation as a sum of products; `cuts` says how its labels are cut, `equal` when two products are the same by
//! symmetry, `infer` which symmetry and charge a result has. `pieces` lists the blocks of a factor, `join` finds which of them meet,
//! `group` multiplies what was gathered, `pair` is a product of two factors, `plan` the order of all. This file has the entry points.

mod cuts;
mod equal;
mod group;
mod infer;
mod join;
mod kept;
mod pair;
mod pieces;
mod plan;
mod terms;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::Equation;

use self::kept::Key;
use self::plan::{Plan, Planner, Source, Target};
use self::terms::Sum;
use super::context::Context;
use super::statements::{checked, subscripts_statement};
use crate::expr::equation_of_text;
use crate::tensor::Blocks;

/// An equation over block tensors of certain structures, planned once and run on any elements.
///
/// ```
/// use tensorwrapper_runtime::{Blocks, Context, Error, Structure, Tiling};
/// let (occ, vir) = (Tiling::cuts([2, 3]), Tiling::cuts([4, 1]));
/// let a = Blocks::<f64>::from_fn(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [1, 1]])?, |i| (i[0] + i[1]) as f64)?;
/// let b = Blocks::<f64>::from_fn(&Structure::new([&vir, &occ]).with_blocks([[0, 1], [1, 0]])?, |i| (i[0] * i[1]) as f64)?;
/// let product = Context::cpu().prepare_blocks("[i, j] = A[i, k] * B[k, j]", &[("A", &a), ("B", &b)])?;
/// assert_eq!(product.structure().stored()?.iter().collect::<Vec<_>>(), [[0, 1], [1, 0]]);
/// assert_eq!((product.tuples(), product.multiplications()), (2, 2 * 4 * 3 + 3 * 1 * 2));
/// let c = product.run(&[&a, &b])?;
/// assert_eq!(c.get(&[4, 0])?, a.get(&[4, 4])? * b.get(&[4, 0])?);
/// # Ok::<(), Error>(())
/// ```
pub struct PreparedBlocks {
    context: Context,
    plan: Plan,
    sources: Vec<Source>,
    /// Of the operands as they are given, the number of the first one that is the same tensor.
    numbers: Vec<usize>,
    dtype: tensorwrapper_core::element::Dtype,
}

impl PreparedBlocks {
    /// The structure of the result.
    pub fn structure(&self) -> &Structure {
        &self.plan.result
    }

    /// How many products of pieces of blocks a run computes, in all pairs of tensors.
    pub fn tuples(&self) -> usize {
        self.plan.steps.iter().map(|step| step.pair.tuples).sum()
    }

    /// How many multiplications of numbers they take.
    pub fn multiplications(&self) -> u128 {
        self.plan.steps.iter().map(|step| step.pair.multiplications).sum()
    }

    /// Computes the result of these operands, which have the structures that were prepared for, in the same order.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when an operand has another structure, [`ErrorKind::Element`] when it has another element type,
    /// [`ErrorKind::Memory`].
    pub fn run<T: Element>(&self, operands: &[&Blocks<T>]) -> Result<Blocks<T>, Error> {
        let given = self.given(operands)?;
        let mut result = Blocks::for_results(&self.plan.result)?;
        self.compute(&given, &mut result)?;
        Ok(result)
    }

    /// The same into a tensor of the result's structure, whose elements are lost.
    ///
    /// # Errors
    /// As [`run`](PreparedBlocks::run); and [`ErrorKind::Shape`] when the target has another structure, which is then unchanged.
    pub fn run_to<T: Element>(&self, operands: &[&Blocks<T>], target: &mut Blocks<T>) -> Result<(), Error> {
        let given = self.given(operands)?;
        if *target.structure() != self.plan.result {
            let message = format!("the target has the structure {:?}, but the result {:?}", target.structure(), self.plan.result);
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        self.compute(&given, target)
    }

    /// The operands by their numbers, if they are those that were prepared for.
    fn given<'o, T: Element>(&self, operands: &[&'o Blocks<T>]) -> Result<Vec<Option<&'o Blocks<T>>>, Error> {
        if T::DTYPE != self.dtype {
            return Err(Error::new(ErrorKind::Element { expected: self.dtype, found: T::DTYPE }));
        }
        let mut given: Vec<Option<&Blocks<T>>> = vec![None; self.plan.operands];
        if operands.len() != self.numbers.len() {
            let message = format!("{} operands are given, but {} were prepared for", operands.len(), self.numbers.len());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        for (n, (&number, &operand)) in self.numbers.iter().zip(operands).enumerate() {
            if *operand.structure() != self.plan.structures[number] {
                let message = format!(
                    "operand {n} has the structure {:?}, but was prepared for {:?}",
                    operand.structure(),
                    self.plan.structures[number]
                );
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            if given[number].is_some_and(|known| !known.is_same(operand)) {
                let message =
                    format!("operand {n} is another tensor than an earlier one, which was the same when this was prepared");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            given[number] = Some(operand);
        }
        Ok(given)
    }

    fn compute<T: Element>(&self, given: &[Option<&Blocks<T>>], result: &mut Blocks<T>) -> Result<(), Error> {
        let mut made: Vec<Option<Blocks<T>>> = Vec::new();
        for (structure, source) in self.plan.structures.iter().zip(&self.sources) {
            let ones = *source == Source::Ones;
            made.push(ones.then(|| Blocks::from_fn(structure, |_| T::ONE)).transpose()?);
        }
        let mut is_written = false;
        let device = self.context.backend.device();
        for step in &self.plan.steps {
            let mut target = match step.makes {
                Target::Intermediate(number) => Some(Blocks::for_results(&self.plan.structures[number])?),
                Target::Result => None,
            };
            let adds = target.is_none() && std::mem::replace(&mut is_written, true);
            let out = target.as_mut().unwrap_or(&mut *result);
            // What no product writes is zero.
            if !adds && step.pair.written < elements(out.structure())? {
                out.slab_mut().fill(T::ZERO);
            }
            let slab = |number: usize| match given.get(number) {
                Some(operand) => operand.expect("every operand was given").slab(),
                None => made[number].as_ref().expect("steps read what earlier ones have made").slab(),
            };
            step.pair.run(device, step.factors.map(slab), out.slab_mut(), adds)?;
            if let (Target::Intermediate(number), Some(target)) = (step.makes, target) {
                made[number] = Some(target);
            }
        }
        if !is_written {
            result.slab_mut().fill(T::ZERO);
        }
        Ok(())
    }
}

/// Number of elements that are stored.
fn elements(structure: &Structure) -> Result<usize, Error> {
    let stored = structure.stored()?;
    Ok((0..stored.len()).map(|number| stored.size(number)).sum())
}

impl std::fmt::Debug for PreparedBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (steps, tuples) = (self.plan.steps.len(), self.tuples());
        write!(f, "{steps} products of {tuples} tuples into {:?}", self.structure())
    }
}

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
    /// what the operands' say. Operands that are the same tensor (not only equal) may change places. The last 64 plans are kept.
    ///
    /// # Errors
    /// As [`einsum`](Context::einsum); [`ErrorKind::Shape`] when charges do not fit; [`ErrorKind::Unsupported`] for what is not computed
    /// over block tensors.
    pub fn einsum_blocks<T: Element>(&self, subscripts: &str, operands: &[&Blocks<T>]) -> Result<Blocks<T>, Error> {
        let plan = || {
            let equation = checked(&subscripts_statement(subscripts, operands.len())?)?;
            let names = (0..operands.len()).map(|n| format!("operand {n}")).collect();
            let by_position = |hole: &tensorwrapper_notation::syntax::Hole| Some(hole.span.start);
            self.planned_blocks(&equation, names, operands, &by_position)
        };
        self.kept_blocks(subscripts.to_string(), operands, plan)?.run(operands)
    }

    /// Evaluates an equation over block tensors from its text, such as `[i, j] = 2.0 * A[i, k] * B[k, j] - C[j, i]`.
    ///
    /// # Errors
    /// As [`record`](crate::record) and [`einsum_blocks`](Context::einsum_blocks).
    pub fn eval_blocks<T: Element>(&self, equation: &str, names: &[(&str, &Blocks<T>)]) -> Result<Blocks<T>, Error> {
        let operands: Vec<&Blocks<T>> = names.iter().map(|(_, operand)| *operand).collect();
        let texts: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let key = format!("{equation} {}", texts.join(" "));
        self.kept_blocks(key, &operands, || self.prepare_blocks(equation, names))?.run(&operands)
    }

    /// Plans an equation over block tensors of these structures, to be run any number of times.
    ///
    /// # Errors
    /// As [`eval_blocks`](Context::eval_blocks).
    pub fn prepare_blocks<T: Element>(&self, equation: &str, names: &[(&str, &Blocks<T>)]) -> Result<PreparedBlocks, Error> {
        let equation = equation_of_text(equation)?;
        let operands: Vec<&Blocks<T>> = names.iter().map(|(_, operand)| *operand).collect();
        let find = |hole: &tensorwrapper_notation::syntax::Hole| names.iter().position(|(name, _)| *name == hole.text);
        if let Some(operand) = equation.operands().iter().find(|operand| find(&operand.hole).is_none()) {
            let message = format!("the equation reads `{}`, which is not among the names given", operand.hole.text);
            return Err(Error::new(ErrorKind::Label(message)));
        }
        if let Some((name, _)) =
            names.iter().find(|(name, _)| !equation.operands().iter().any(|operand| operand.hole.text == *name))
        {
            let message = format!("`{name}` is given, but the equation does not read it");
            return Err(Error::new(ErrorKind::Label(message)));
        }
        let texts = names.iter().map(|(name, _)| name.to_string()).collect();
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
        find: &dyn Fn(&tensorwrapper_notation::syntax::Hole) -> Option<usize>,
    ) -> Result<PreparedBlocks, Error> {
        let numbers = numbers(operands);
        let operand = |_, operand: &tensorwrapper_notation::Operand| numbers[find(&operand.hole).expect("operands were found")];
        let sum = Sum::of(equation, &operand, &|_| None)?;
        let structures = operands.iter().map(|operand| operand.structure().clone()).collect();
        let device = self.backend.device();
        let (plan, sources) = Planner::new::<T>(device, structures, names).plan::<T>(&sum)?;
        Ok(PreparedBlocks { context: self.clone(), plan, sources, numbers, dtype: T::DTYPE })
    }
}
