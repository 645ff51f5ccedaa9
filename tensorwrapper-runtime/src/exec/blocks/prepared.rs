//! [`PreparedBlocks`]: a plan of an equation over block tensors, and its runs.
//!
//! Knows nothing of equations.

use std::sync::Arc;

use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::sentence::{are, counted};

use super::super::operands::DynOperand;
use super::super::run::Observer;
use super::memory::Peak;
use super::operand::{BlockOperand, block_operands};
use super::plan::Step;
use super::stages::Stage;
use super::watched::WatchedRun;
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
#[derive(Clone)]
pub struct PreparedBlocks {
    pub(super) backend: Arc<BackendInstance>,
    /// Who is told of the steps of a run.
    pub(super) observer: Observer,
    pub(super) stages: Arc<[Stage]>,
    /// After each stage, the stages whose results no later one reads.
    pub(super) released: Vec<Vec<usize>>,
    /// What the operands are called.
    pub(super) names: Vec<String>,
    /// The structures of the operands, as they are given.
    pub(super) structures: Vec<Structure>,
    /// The structure of the result.
    pub(super) result: Structure,
    /// Of the operands the number of the first one that is the same tensor.
    pub(super) numbers: Vec<usize>,
    pub(super) dtype: Dtype,
    pub(super) peak: Peak,
    /// What the result is compared with, if something is believed of it.
    pub(super) believed: Option<Arc<Believed>>,
}

/// A plan of the same equation that believes nothing.
pub(super) struct Believed {
    pub(super) plain: PreparedBlocks,
    /// What is believed, in words: `antisymmetric in i, j`.
    pub(super) claims: Vec<String>,
}

impl PreparedBlocks {
    /// The structure of the result.
    pub fn structure(&self) -> &Structure {
        &self.result
    }

    /// Whether conditions choose elements of the result, or of what is made on the way.
    pub(super) fn chooses(&self) -> bool {
        self.stages.iter().any(|stage| matches!(stage, Stage::Elements(elements) if elements.defined.chooses()))
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.stages.iter().flat_map(|stage| match stage {
            Stage::Products(plan) => &plan.steps[..],
            Stage::Elements(_) | Stage::Fold(_) | Stage::Part(_) | Stage::Iota(_) | Stage::Untied { .. } => &[],
        })
    }

    /// How many products of pieces of blocks a run computes, in all pairs of tensors. Sums over labels that one tensor alone has are no
    /// products: [`sums`](PreparedBlocks::sums) counts them.
    pub fn tuples(&self) -> usize {
        self.steps().filter(|step| !step.is_sum).map(|step| step.pair.tuples).sum()
    }

    /// How many tuples a plan lists: what it takes in memory, as long as it is kept, is about in proportion to them.
    pub(super) fn listed(&self) -> usize {
        self.steps().map(|step| step.pair.tuples).sum()
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

    /// Bytes that a run takes at most: the result, intermediates for as long as they are read, the matrices that blocks are gathered
    /// into, and the work space of products. What [`Context::memory_limit`](crate::Context::memory_limit) does not count is not counted
    /// here either.
    pub fn peak_bytes(&self) -> usize {
        usize::try_from(self.peak.bytes()).unwrap_or(usize::MAX)
    }

    /// About how many operations each step of a run takes.
    pub(super) fn costs(&self) -> Vec<f64> {
        let cost = |stage: &Stage| match stage {
            Stage::Products(plan) if self.backend.device().is_definition() => {
                vec![plan.steps.iter().map(|step| step.pair.multiplications as f64).sum()]
            }
            Stage::Products(plan) => plan.steps.iter().map(|step| step.pair.multiplications as f64).collect(),
            Stage::Elements(_) | Stage::Fold(_) | Stage::Part(_) | Stage::Iota(_) | Stage::Untied { .. } => {
                vec![stage.result().stored().map_or(0.0, |stored| stored.elements() as f64)]
            }
        };
        self.stages.iter().flat_map(cost).collect()
    }

    /// Computes the result of these operands, which have the structures that were prepared for, in the same order: numbers that were given
    /// by name are not among them.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when an operand has another structure, [`ErrorKind::Element`] when it has another element type,
    /// [`ErrorKind::Memory`], [`ErrorKind::Cancelled`].
    pub fn run<T: Element>(&self, operands: &[&dyn DynOperand<T>]) -> Result<Blocks<T>, Error> {
        self.run_on(&block_operands(operands)?, &self.observer)
    }

    /// The same into a tensor of the result's structure, whose elements are lost. If the context reports progress or can be cancelled,
    /// the tensor is written after the run, so that one that is cancelled leaves it as it was.
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
        if self.observer.is_idle() {
            return self.compute(&operands, &self.observer, target);
        }
        target.slab_mut().copy_from_slice(self.run_on(&operands, &self.observer)?.slab());
        Ok(())
    }

    /// A run that another observer is told of: a plan may be kept for several contexts.
    pub(super) fn run_on<T: Element>(&self, operands: &[BlockOperand<'_, T>], observer: &Observer) -> Result<Blocks<T>, Error> {
        self.check(operands)?;
        let mut result = Blocks::for_results(self.structure())?;
        self.compute(operands, observer, &mut result)?;
        Ok(result)
    }

    /// Whether these are the operands that were prepared for.
    pub(super) fn check<T: Element>(&self, operands: &[BlockOperand<'_, T>]) -> Result<(), Error> {
        if T::DTYPE != self.dtype {
            return Err(Error::new(ErrorKind::Element { expected: self.dtype, found: T::DTYPE }));
        }
        if operands.len() != self.numbers.len() {
            let (given, known) = (counted(operands.len(), "operand"), self.numbers.len());
            let message = format!("{given} {} given, but this was prepared for {known}", are(operands.len()));
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

    fn compute<T: Element>(
        &self,
        operands: &[BlockOperand<'_, T>],
        observer: &Observer,
        result: &mut Blocks<T>,
    ) -> Result<(), Error> {
        let device = self.backend.device();
        let lines = || match device.is_definition() {
            true => self.lines().iter().map(|lines| lines.join("; ")).collect(),
            false => self.lines().concat(),
        };
        let mut run = WatchedRun::new(device, observer, || self.costs(), lines);
        let (last, before) = self.stages.split_last().expect("an equation has a stage that makes its result");
        let mut made: Vec<Option<Blocks<T>>> = Vec::new();
        for (stage, released) in before.iter().zip(&self.released) {
            let mut out = Blocks::for_results(stage.result())?;
            stage.run(&mut run, &slabs(operands, &made), out.slab_mut())?;
            made.push(Some(out));
            released.iter().for_each(|&number| made[number] = None);
        }
        last.run(&mut run, &slabs(operands, &made), result.slab_mut())?;
        match &self.believed {
            Some(believed) => believed.check(operands, result),
            None => Ok(()),
        }
    }
}

/// The elements of operands, and of what stages have made; nothing of what is not read any more.
pub(super) fn slabs<'s, T: Element>(operands: &'s [BlockOperand<'_, T>], made: &'s [Option<Blocks<T>>]) -> Vec<&'s [T]> {
    let made = made.iter().map(|made| made.as_ref().map_or(&[][..], Blocks::slab));
    operands.iter().map(|operand| &operand.slab[..]).chain(made).collect()
}

impl std::fmt::Debug for PreparedBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (steps, tuples) = (self.steps().count(), self.tuples());
        write!(f, "{} of {} into {:?}", counted(steps, "product"), counted(tuples, "tuple"), self.structure())
    }
}
