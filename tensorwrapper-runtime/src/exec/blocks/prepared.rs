//! [`PreparedBlocks`]: a plan of an equation over block tensors, and its runs.
//!
//! Knows nothing of equations.

use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;

use super::super::context::Context;
use super::super::operands::DynOperand;
use super::operand::{BlockOperand, block_operands};
use super::plan::Step;
use super::stages::Stage;
use crate::tensor::Blocks;

/// An equation over block tensors of certain structures, planned once and run on any elements.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Blocks, Context, Error, Structure, Tiling};
/// let (occ, vir) = (Tiling::cuts([2, 3]), Tiling::cuts([4, 1]));
/// let a = Blocks::<f64>::from_fn(&Structure::new([&occ, &vir]).with_blocks([[0, 0], [1, 1]])?, |i| (i[0] + i[1]) as f64)?;
/// let b = Blocks::<f64>::from_fn(&Structure::new([&vir, &occ]).with_blocks([[0, 1], [1, 0]])?, |i| (i[0] * i[1]) as f64)?;
/// let product = Context::cpu().prepare_blocks::<f64>("[i, j] = A[i, k] * B[k, j]", &[("A", &a), ("B", &b)])?;
/// assert_eq!(product.structure().stored()?.iter().collect::<Vec<_>>(), [[0, 1], [1, 0]]);
/// assert_eq!((product.tuples(), product.multiplications()), (2, 2 * 4 * 3 + 3 * 1 * 2));
/// let c: Blocks<f64> = product.run(&[&a, &b])?;
/// assert_eq!(c.get(&[4, 0])?, a.get(&[4, 4])? * b.get(&[4, 0])?);
/// # Ok::<(), Error>(())
/// ```
pub struct PreparedBlocks {
    pub(super) context: Context,
    pub(super) stages: Vec<Stage>,
    /// What the operands are called.
    pub(super) names: Vec<String>,
    /// The structures of the operands, as they are given.
    pub(super) structures: Vec<Structure>,
    /// The structure of the result.
    pub(super) result: Structure,
    /// Of the operands the number of the first one that is the same tensor.
    pub(super) numbers: Vec<usize>,
    pub(super) dtype: Dtype,
}

impl PreparedBlocks {
    /// The structure of the result.
    pub fn structure(&self) -> &Structure {
        &self.result
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.stages.iter().flat_map(|stage| match stage {
            Stage::Products(plan) => &plan.steps[..],
            Stage::Elements(_) | Stage::Part(_) | Stage::Untied { .. } => &[],
        })
    }

    /// How many products of pieces of blocks a run computes, in all pairs of tensors. Sums over labels that one tensor alone has are no
    /// products: [`sums`](PreparedBlocks::sums) counts them.
    pub fn tuples(&self) -> usize {
        self.steps().filter(|step| !step.is_sum).map(|step| step.pair.tuples).sum()
    }

    /// How many multiplications of numbers these products take. Element-wise work and sums are not counted.
    pub fn multiplications(&self) -> u128 {
        self.steps().filter(|step| !step.is_sum).map(|step| step.pair.multiplications).sum()
    }

    /// How many pieces of blocks a run adds or copies where one tensor alone is summed over labels of its own, has one label on several
    /// axes, or is a term of a sum.
    pub fn sums(&self) -> usize {
        self.steps().filter(|step| step.is_sum).map(|step| step.pair.tuples).sum()
    }

    /// Computes the result of these operands, which have the structures that were prepared for, in the same order: numbers that were given
    /// by name are not among them.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when an operand has another structure, [`ErrorKind::Element`] when it has another element type,
    /// [`ErrorKind::Memory`].
    pub fn run<T: Element>(&self, operands: &[&dyn DynOperand<T>]) -> Result<Blocks<T>, Error> {
        self.run_on(&block_operands(operands)?)
    }

    /// The same into a tensor of the result's structure, whose elements are lost.
    ///
    /// # Errors
    /// As [`run`](PreparedBlocks::run); and [`ErrorKind::Shape`] when the target has another structure, which is then unchanged.
    pub fn run_to<T: Element>(&self, operands: &[&dyn DynOperand<T>], target: &mut Blocks<T>) -> Result<(), Error> {
        let operands = block_operands(operands)?;
        self.check(&operands)?;
        if target.structure() != self.structure() {
            let message = format!("the target has the structure {:?}, but the result {:?}", target.structure(), self.structure());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        self.compute(&operands, target)
    }

    pub(super) fn run_on<T: Element>(&self, operands: &[BlockOperand<'_, T>]) -> Result<Blocks<T>, Error> {
        self.check(operands)?;
        let mut result = Blocks::for_results(self.structure())?;
        self.compute(operands, &mut result)?;
        Ok(result)
    }

    /// Whether these are the operands that were prepared for.
    fn check<T: Element>(&self, operands: &[BlockOperand<'_, T>]) -> Result<(), Error> {
        if T::DTYPE != self.dtype {
            return Err(Error::new(ErrorKind::Element { expected: self.dtype, found: T::DTYPE }));
        }
        if operands.len() != self.numbers.len() {
            let message = format!("{} operands are given, but {} were prepared for", operands.len(), self.numbers.len());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        for (n, (&number, operand)) in self.numbers.iter().zip(operands).enumerate() {
            if operand.structure != self.structures[n] {
                let (found, expected) = (&operand.structure, &self.structures[n]);
                let message = format!("operand {n} has the structure {found:?}, but was prepared for {expected:?}");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            if !operands[number].is_same(operand) {
                let message =
                    format!("operand {n} is another tensor than an earlier one, which was the same when this was prepared");
                return Err(Error::new(ErrorKind::Shape(message)));
            }
        }
        Ok(())
    }

    fn compute<T: Element>(&self, operands: &[BlockOperand<'_, T>], result: &mut Blocks<T>) -> Result<(), Error> {
        let device = self.context.backend.device();
        let (last, before) = self.stages.split_last().expect("an equation has a stage that makes its result");
        let mut made: Vec<Blocks<T>> = Vec::new();
        for stage in before {
            let mut out = Blocks::for_results(stage.result())?;
            stage.run(device, &slabs(operands, &made), out.slab_mut())?;
            made.push(out);
        }
        last.run(device, &slabs(operands, &made), result.slab_mut())
    }
}

/// The elements of operands, and of what stages have made.
fn slabs<'s, T: Element>(operands: &'s [BlockOperand<'_, T>], made: &'s [Blocks<T>]) -> Vec<&'s [T]> {
    operands.iter().map(|operand| &operand.slab[..]).chain(made.iter().map(Blocks::slab)).collect()
}

impl std::fmt::Debug for PreparedBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (steps, tuples) = (self.steps().count(), self.tuples());
        write!(f, "{steps} products of {tuples} tuples into {:?}", self.structure())
    }
}
