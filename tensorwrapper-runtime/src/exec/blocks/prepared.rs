//! [`PreparedBlocks`]: a plan of an equation over block tensors, and its runs.
//!
//! Knows nothing of equations.

use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;

use super::super::context::Context;
use super::plan::{Plan, Target};
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
    pub(super) context: Context,
    pub(super) plan: Plan,
    /// Of the operands as they are given, the number of the first one that is the same tensor.
    pub(super) numbers: Vec<usize>,
    pub(super) dtype: Dtype,
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
        let mut made: Vec<Option<Blocks<T>>> = vec![None; self.plan.structures.len()];
        for &number in &self.plan.ones {
            made[number] = Some(Blocks::from_fn(&self.plan.structures[number], |_| T::ONE)?);
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
