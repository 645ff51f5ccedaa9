//! What the norms of operands say of a result's, before anything of it is computed.
//!
//! The Frobenius norm of a product is at most the product of its factors' norms, whatever its labels are, so that the norms of a result's
//! blocks are at most the same equation over the norms of the factors' blocks.

use num_complex::Complex;
use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::Function;
use tensorwrapper_notation::syntax::Operator;

use super::super::operands::DynOperand;
use super::super::run::Observer;
use super::cuts::{Cuts, Parts};
use super::definition::Pointwise;
use super::infer::Said;
use super::operand::{BlockOperand, block_operands};
use super::order::Chosen;
use super::pieces::{BlockImage, images};
use super::plan::{Plan, Planner};
use super::prepared::{PreparedBlocks, slabs};
use super::stages::Stage;
use super::tensors::Tensors;
use super::terms::{Factor, Sum, Term};
use super::tree::Tree;
use super::watched::WatchedRun;
use crate::tensor::{Blocks, element_at, norm};

/// What is known of the elements of a block, or of a part of one.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// The Frobenius norm, at most.
    norm: f64,
    /// The largest absolute value, at most.
    largest: f64,
}

impl Bound {
    const UNKNOWN: Bound = Bound { norm: f64::INFINITY, largest: f64::INFINITY };

    /// So many elements of at most this absolute value.
    fn each(largest: f64, elements: f64) -> Bound {
        if elements == 0.0 {
            return Bound { norm: 0.0, largest: 0.0 };
        }
        Bound { norm: largest * elements.sqrt(), largest }.known()
    }

    /// All of these together.
    fn together(bounds: impl Iterator<Item = Bound>) -> Bound {
        let none = Bound { norm: 0.0, largest: 0.0 };
        bounds.fold(none, |all, own| Bound { norm: all.norm.hypot(own.norm), largest: all.largest.max(own.largest) })
    }

    fn scaled(self, by: f64) -> Bound {
        Bound { norm: self.norm * by, largest: self.largest * by }.known()
    }

    /// The same of elements of this type, which may be infinite where they are larger than it holds.
    fn within(self, dtype: Dtype) -> Bound {
        let most = if dtype.real() == Dtype::F32 { f64::from(f32::MAX) } else { f64::MAX };
        if self.norm <= most { self } else { Bound::UNKNOWN }
    }

    fn sum(self, other: Bound) -> Bound {
        Bound { norm: self.norm + other.norm, largest: self.largest + other.largest }
    }

    fn product(self, other: Bound) -> Bound {
        let norm = (self.norm * other.largest).min(self.largest * other.norm);
        Bound { norm, largest: self.largest * other.largest }.known()
    }

    /// Nothing is known of what is no number, nor of zero times what is not known.
    fn known(self) -> Bound {
        if self.norm.is_nan() || self.largest.is_nan() { Bound::UNKNOWN } else { self }
    }
}

/// What is known of each block that a tensor stores.
fn of_blocks<T: Element>(structure: &Structure, slab: &[T]) -> Result<Vec<Bound>, Error> {
    let stored = structure.stored()?;
    let bound = |n: usize| {
        let elements = &slab[stored.start(n)..][..stored.size(n)];
        let largest = elements.iter().map(|x| x.to_complex().norm()).fold(0.0, f64::max);
        Bound { norm: norm(elements), largest }.known()
    };
    Ok((0..stored.len()).map(bound).collect())
}

impl PreparedBlocks {
    /// The blocks that the result of these operands stores, each with a number that its Frobenius norm does not exceed: what the norms of
    /// the operands' blocks say, before anything of the result is computed. The number is infinite where nothing is known, as of quotients,
    /// roots and products over a label.
    ///
    /// Rounding is not counted. The inequality for products is that of Cauchy and Schwarz.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Context, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([1, 1]);
    /// let a = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]])?, |i| [3.0, -1e-9][i[0]])?;
    /// let square = Context::cpu().prepare_blocks::<f64>("[i, k] = A[i, j] * A[j, k]", &[("A", &a)])?;
    /// let bounds = square.norm_bounds::<f64>(&[&a])?;
    /// assert_eq!(bounds[0], (vec![0, 0], 9.0));
    /// assert!(bounds[1].1 < 1.1e-18); // a block that need not be computed
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](PreparedBlocks::run).
    pub fn norm_bounds<T: Element>(&self, operands: &[&dyn DynOperand<T>]) -> Result<Vec<(Vec<usize>, f64)>, Error> {
        let operands = block_operands(operands)?;
        self.check(&operands)?;
        let known = self.bounds(&operands)?;
        let stored = self.structure().stored()?;
        Ok(stored.iter().zip(known).map(|(block, bound)| (block, bound.norm)).collect())
    }

    /// A number that no absolute value of the result of these operands exceeds, nor those of the products that are added up in it; infinite
    /// where none is known.
    ///
    /// # Errors
    /// As [`run`](PreparedBlocks::run).
    pub(super) fn scale<T: Element>(&self, operands: &[BlockOperand<'_, T>]) -> Result<f64, Error> {
        Ok(self.bounds(operands)?.iter().map(|bound| bound.largest).fold(0.0, f64::max))
    }

    /// What is known of the result's blocks.
    fn bounds<T: Element>(&self, operands: &[BlockOperand<'_, T>]) -> Result<Vec<Bound>, Error> {
        let given = operands.iter().map(|operand| of_blocks(&operand.structure, &operand.slab));
        let mut known: Vec<Vec<Bound>> = given.collect::<Result<_, _>>()?;
        let mut copies: Vec<Option<Blocks<T>>> = Vec::new();
        for stage in &*self.stages {
            let mut copied = None;
            let blocks = match stage {
                // These are made: they copy operands, or list indices.
                Stage::Part(_) | Stage::Iota(_) | Stage::Untied { .. } => {
                    let mut copy = Blocks::<T>::zeros(stage.result())?;
                    stage.run(&mut self.unwatched(1), &slabs(operands, &copies), copy.slab_mut())?;
                    let blocks = of_blocks(stage.result(), copy.slab())?;
                    copied = Some(copy);
                    blocks
                }
                Stage::Products(plan) => {
                    let largest = |factor: &Factor| known[factor.operand].iter().map(|bound| bound.norm).fold(0.0, f64::max);
                    // A number in front may be multiplied in after everything else.
                    let before = |term: &Term| Bound::each(term.factors.iter().map(largest).product(), 1.0).within(T::DTYPE);
                    let is_held = plan.written.terms.iter().all(|term| before(term).norm.is_finite());
                    let found = self.of_products(plan, &known)?;
                    found.into_iter().map(|bound| if is_held { bound.within(T::DTYPE) } else { Bound::UNKNOWN }).collect()
                }
                Stage::Elements(elements) => of_elements(&elements.defined, (&elements.result, T::DTYPE), &known)?,
                Stage::Fold(fold) => {
                    let all = Bound::together(known[fold.operand].iter().copied());
                    let size = stage.result().stored()?;
                    let bound = |n: usize| match fold.reduction {
                        Reduction::Max | Reduction::Min => Bound::each(all.largest, size.size(n) as f64),
                        _ => Bound::UNKNOWN,
                    };
                    (0..size.len()).map(bound).collect()
                }
            };
            known.push(blocks);
            copies.push(copied);
        }
        Ok(known.pop().expect("an equation has a stage that makes its result"))
    }

    /// A run of so many steps, which is not reported.
    fn unwatched(&self, steps: usize) -> WatchedRun<'_> {
        static NOBODY: std::sync::OnceLock<Observer> = std::sync::OnceLock::new();
        let observer = NOBODY.get_or_init(Observer::default);
        WatchedRun::new(self.backend.device(), observer, Vec::new, || vec!["norms".to_string(); steps])
    }

    /// The same products of the norms of blocks.
    fn of_products(&self, plan: &Plan, known: &[Vec<Bound>]) -> Result<Vec<Bound>, Error> {
        let given = Tensors {
            structures: plan.structures[..known.len()].to_vec(),
            names: vec![String::new(); known.len()],
            dense: vec![false; known.len()],
        };
        let cuts = Cuts::new(&plan.written, &given, &[])?;
        let mut norms = Norms { cuts: &cuts, tensors: Vec::new() };
        let terms =
            plan.written.terms.iter().map(|term| norms.term(term, &plan.structures, known)).collect::<Result<Vec<_>, _>>()?;
        let sum = Sum { terms, ..plan.written.clone() };
        let structures: Vec<Structure> = norms.tensors.iter().map(|tensor| tensor.structure().clone()).collect();
        let (names, dense) = (vec![String::new(); structures.len()], vec![false; structures.len()]);
        let tensors = Tensors { structures, names, dense };
        let chosen = Chosen::of(&Default::default());
        let planned = Planner::new::<f64>(self.backend.device(), (&chosen, 1), tensors).plan::<f64>(&sum, Said::default())?;
        let mut result = Blocks::<f64>::zeros(&planned.result)?;
        let slabs: Vec<&[f64]> = norms.tensors.iter().map(Blocks::slab).collect();
        planned.run(&mut self.unwatched(planned.steps.len().max(1)), &slabs, result.slab_mut())?;
        let bound = |block: Vec<usize>| -> Result<Bound, Error> {
            let mut norm: f64 = 0.0;
            norms.each_part(&plan.written.left, plan.result.tilings(), &block, &mut |parts| {
                // The root of a sum of squares, which neither overflow nor vanish.
                norm = norm.hypot(element_at(result.structure(), result.slab(), parts)?);
                Ok(())
            })?;
            Ok(Bound { norm, largest: norm }.known())
        };
        plan.result.stored()?.iter().map(bound).collect()
    }
}

/// The norms of blocks as tensors, in which each part of a label is one index.
struct Norms<'c> {
    cuts: &'c Cuts,
    tensors: Vec<Blocks<f64>>,
}

impl Norms<'_> {
    fn add(&mut self, labels: &[usize], elements: Vec<(Vec<usize>, f64)>) -> Result<Factor, Error> {
        let parts = |label: &usize| Tiling::each(self.cuts.finest(*label).map_or(0, Tiling::len));
        let structure = Structure::new(&labels.iter().map(parts).collect::<Vec<_>>());
        let structure = structure.with_blocks(elements.iter().map(|(parts, _)| parts))?;
        let mut tensor = Blocks::zeros(&structure)?;
        elements.iter().try_for_each(|(parts, norm)| tensor.set(parts, *norm))?;
        self.tensors.push(tensor);
        Ok(Factor { operand: self.tensors.len() - 1, conjugates: false, labels: labels.to_vec() })
    }

    /// The same term of norms. A sum over a label that one factor alone has is a product with ones, whose norm is the root of their number.
    fn term(&mut self, term: &Term, structures: &[Structure], known: &[Vec<Bound>]) -> Result<Term, Error> {
        let mut factors = Vec::new();
        for factor in &term.factors {
            let (structure, blocks) = (&structures[factor.operand], &known[factor.operand]);
            let mut elements = Vec::new();
            for image in images(structure)? {
                self.each_part(&factor.labels, structure.tilings(), &image.block, &mut |parts| {
                    elements.push((parts.to_vec(), blocks[image.number].norm));
                    Ok(())
                })?;
            }
            factors.push(self.add(&factor.labels, elements)?);
        }
        for &label in &term.summed {
            if term.factors.iter().filter(|factor| factor.labels.contains(&label)).count() == 1 {
                let extents = self.cuts.finest(label).into_iter().flat_map(Tiling::extents);
                let elements = extents.enumerate().map(|(part, extent)| (vec![part], (extent as f64).sqrt())).collect();
                factors.push(self.add(&[label], elements)?);
            }
        }
        Ok(Term { scale: Complex::from(term.scale.norm()), factors, summed: term.summed.clone() })
    }

    /// Visits the parts that a block of a tensor with these labels has, or has a part of.
    fn each_part(
        &self,
        labels: &[usize],
        tilings: &[Tiling],
        block: &[usize],
        visit: &mut dyn FnMut(&[usize]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut all: Vec<Parts> = vec![Parts::new()];
        for ((&label, tiling), &tile) in labels.iter().zip(tilings).zip(block) {
            let (bounds, begin, end) =
                (self.cuts.finest(label).map_or(&[][..], Tiling::bounds), tiling.bounds()[tile], tiling.bounds()[tile + 1]);
            let last = bounds.partition_point(|&bound| bound < end);
            // A tile without indices has no part.
            let first = if begin < end { bounds.partition_point(|&bound| bound <= begin).saturating_sub(1) } else { last };
            let parts = first..last.min(bounds.len().saturating_sub(1));
            let longer = |begun: &Parts| {
                parts.clone().map(|part| begun.iter().copied().chain([part]).collect::<Parts>()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.iter().try_for_each(|parts| visit(parts))
    }
}

/// What is known of an expression's blocks.
fn of_elements(defined: &Pointwise, (result, dtype): (&Structure, Dtype), known: &[Vec<Bound>]) -> Result<Vec<Bound>, Error> {
    let factors = defined.tree.factors();
    let mut images_of = Vec::new();
    for structure in &defined.structures {
        images_of.push(images(structure)?);
    }
    let bound = |block: Vec<usize>| -> Result<Bound, Error> {
        let shape = result.block_shape(&block)?;
        let size: f64 = shape.extents().iter().map(|&extent| extent as f64).product();
        let ranges: Vec<_> = shape.origin().iter().zip(shape.extents()).map(|(&first, &extent)| first..first + extent).collect();
        let axis = |label: &usize| defined.left.iter().position(|(own, _)| own == label);
        let of = |((factor, structure), images): ((&&Factor, &Structure), &Vec<BlockImage<'_>>)| {
            let blocks = &known[factor.operand];
            let meets = |block: &[usize]| {
                let axes = factor.labels.iter().zip(structure.tilings()).zip(block);
                axes.into_iter().all(|((label, tiling), &tile)| {
                    let (begin, end) = (tiling.bounds()[tile], tiling.bounds()[tile + 1]);
                    axis(label).is_none_or(|axis| begin < ranges[axis].end && ranges[axis].start < end)
                })
            };
            let own = Bound::together(images.iter().filter(|image| meets(&image.block)).map(|image| blocks[image.number]));
            // An axis that it does not have repeats it.
            let has = |label: usize| factor.labels.contains(&label);
            let repeats =
                defined.left.iter().zip(&ranges).filter(|((label, _), _)| !has(*label)).map(|(_, range)| range.len() as f64);
            Bound { norm: own.norm * repeats.product::<f64>().sqrt(), ..own }.known()
        };
        let mut elements = factors.iter().zip(&defined.structures).zip(&images_of).map(of);
        Ok(of_tree(&defined.tree, &mut elements, size, dtype))
    };
    result.stored()?.iter().map(bound).collect()
}

/// What is known of an expression of these elements, in a block of so many.
fn of_tree(tree: &Tree, elements: &mut dyn Iterator<Item = Bound>, size: f64, dtype: Dtype) -> Bound {
    let mut of = |tree: &Tree| of_tree(tree, &mut *elements, size, dtype);
    let is_complex = dtype.is_complex();
    // A divisor that elements of this type do not hold.
    let is_zero = |number: Complex<f64>| number.norm() < f64::from(f32::MIN_POSITIVE);
    let found = match tree {
        Tree::Factor(_) => elements.next().unwrap_or(Bound::UNKNOWN),
        Tree::Number(number) => Bound::each(number.norm(), size),
        Tree::Negate(inner) => of(inner),
        Tree::Binary(operator, left, right) => {
            let (one, other) = (of(left), of(right));
            match (operator, right.number()) {
                (Operator::Add | Operator::Subtract, _) => one.sum(other),
                (Operator::Multiply, _) => one.product(other),
                (Operator::Divide, Some(number)) if !is_zero(number) => one.scaled(1.0 / number.norm()),
                (Operator::Divide, _) => Bound::UNKNOWN,
            }
        }
        Tree::Apply(function, inner) => {
            let inner = of(inner);
            match function {
                Function::Abs | Function::Conj | Function::Re | Function::Im => inner,
                Function::Exp => Bound::each(inner.largest.exp(), size),
                // Of infinity these are no number.
                _ if inner.largest.is_infinite() => Bound::UNKNOWN,
                Function::Cos if !is_complex => Bound::each(1.0, size),
                Function::Sin | Function::Tanh if !is_complex => {
                    let ones = Bound::each(1.0, size);
                    Bound { norm: inner.norm.min(ones.norm), largest: inner.largest.min(1.0) }
                }
                _ => Bound::UNKNOWN,
            }
        }
        Tree::PowerInteger(inner, exponent) => {
            let inner = of(inner);
            match exponent {
                0 => Bound::each(1.0, size),
                1.. => inner.scaled(inner.largest.powi(exponent - 1)),
                _ => Bound::UNKNOWN,
            }
        }
        Tree::PowerReal(inner, _) => {
            of(inner);
            Bound::UNKNOWN
        }
        Tree::Select(condition, values) => {
            condition.expressions().into_iter().for_each(|side| _ = of(side));
            Bound::together(values.iter().map(of).collect::<Vec<_>>().into_iter())
        }
        Tree::Sum(..) | Tree::Fold(..) => unreachable!("sums over labels are computed before"),
    };
    found.within(dtype)
}
