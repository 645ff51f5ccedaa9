//! What a stage computes, by definition: sums of products as the same ones over dense tensors, and element-wise work index by index.
//!
//! The reference device runs this. It knows nothing of pieces, joins, symmetries that results have, or orders of products.

use num_complex::Complex;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Device, Instruction, LoopNest, Operand, Output, Program, Reduction, compare};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::syntax::Operator;
use tensorwrapper_notation::{Comparison, ConditionBuilder};

use super::super::context::Context;
use super::super::operands::DynOperand;
use super::terms::{Factor, Sum, Term};
use super::tree::{Tree, keeps_zero};
use super::zeros::of_zeros;
use crate::tensor::{Tensor, element_at, to_dense};

/// Computes the blocks that a result has of a sum of products; `given` has the elements of the tensors of these structures.
///
/// # Errors
/// Those of a product of dense tensors.
pub(super) fn products<T: Element>(
    sum: &Sum,
    structures: &[Structure],
    given: &[&[T]],
    (result, out): (&Structure, &mut [T]),
) -> Result<(), Error> {
    out.fill(T::ZERO);
    for term in &sum.terms {
        let (product, scale) = (product(term, &sum.left, structures, given)?, T::from_complex(term.scale));
        each_index(result, |place, index| {
            // Rows of one term may be longer than those of another.
            if let Some(element) = product.get(index) {
                out[place] += scale * element;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Visits the elements that a tensor stores: where each is, and its index.
fn each_index(structure: &Structure, mut visit: impl FnMut(usize, &[usize]) -> Result<(), Error>) -> Result<(), Error> {
    let stored = structure.stored()?;
    for number in 0..stored.len() {
        let shape = structure.block_shape(&stored.block(number))?;
        for (n, offset) in shape.offsets().enumerate() {
            let index: Vec<usize> = offset.iter().zip(shape.origin()).map(|(offset, first)| offset + first).collect();
            visit(stored.start(number) + n, &index)?;
        }
    }
    Ok(())
}

/// Bytes of the dense tensors that a term takes, of the one that takes most: copies of its factors, one of them twice while it is extended,
/// and its product. What a product of more than two factors makes on the way is not counted.
pub(super) fn most_bytes(sum: &Sum, structures: &[Structure], size: usize) -> u128 {
    let bytes = |term: &Term| {
        let extents = Longest { term, structures };
        let of = |labels: &[usize]| labels.iter().fold(size as u128, |all, &label| all.saturating_mul(extents.of(label) as u128));
        let factors = || term.factors.iter().map(|factor| of(&factor.labels));
        let all = factors().chain([factors().max().unwrap_or_default(), of(&sum.left)]);
        all.fold(0, u128::saturating_add)
    };
    sum.terms.iter().map(bytes).max().unwrap_or_default()
}

/// The extents of a term's labels.
struct Longest<'t> {
    term: &'t Term,
    structures: &'t [Structure],
}

impl Longest<'_> {
    /// Of rows with extents of their own the longest counts: what is behind the others is zero.
    fn of(&self, label: usize) -> usize {
        let extents = |factor: &Factor| self.structures[factor.operand].tilings().iter().map(|tiling| tiling.extent());
        let axes = self.term.factors.iter().flat_map(|factor| factor.labels.iter().zip(extents(factor)));
        axes.filter(|(own, _)| **own == label).map(|(_, extent)| extent).max().unwrap_or_default()
    }
}

/// A product of dense tensors, without its number.
fn product<T: Element>(term: &Term, left: &[usize], structures: &[Structure], given: &[&[T]]) -> Result<Tensor<T>, Error> {
    let extents = Longest { term, structures };
    let dense = |factor: &Factor| -> Result<Tensor<T>, Error> {
        let own = to_dense(&structures[factor.operand], given[factor.operand])?;
        let wanted: Vec<usize> = factor.labels.iter().map(|&label| extents.of(label)).collect();
        if own.extents() == wanted && !factor.conjugates {
            return Ok(own);
        }
        let conjugate = |element: T| if factor.conjugates { element.conj() } else { element };
        Tensor::from_fn(wanted, |index| own.get(index).map_or(T::ZERO, conjugate))
    };
    let factors = term.factors.iter().map(dense).collect::<Result<Vec<_>, _>>()?;
    let operands: Vec<(&dyn DynOperand<T>, &[usize])> =
        factors.iter().zip(&term.factors).map(|(dense, factor)| (dense as &dyn DynOperand<T>, &*factor.labels)).collect();
    Context::reference().contract(&operands, left)
}

/// An expression without sums over labels, as it is computed index by index.
pub(super) struct Pointwise {
    pub(super) tree: Tree,
    /// Of each label of the result whether its rows have extents of their own.
    pub(super) left: Vec<(usize, bool)>,
    /// The structure of each factor, in the order of writing.
    pub(super) structures: Vec<Structure>,
}

impl Pointwise {
    /// An expression whose factors have these structures.
    pub(super) fn new(tree: &Tree, left: Vec<(usize, bool)>, structures: Vec<Structure>) -> Pointwise {
        Pointwise { tree: tree.clone(), left, structures }
    }

    /// Whether a condition chooses between values.
    pub(super) fn chooses(&self) -> bool {
        let mut found = false;
        self.tree.visit(&mut |part| found |= matches!(part, Tree::Select(..)));
        found
    }

    /// The numbers of all tensors that are read.
    pub(super) fn reads(&self) -> Vec<usize> {
        self.tree.factors().into_iter().map(|factor| factor.operand).collect()
    }

    /// Computes the elements that a result stores from those of the tensors that it may read.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn run<T: Element>(&self, slabs: &[&[T]], (result, out): (&Structure, &mut [T])) -> Result<(), Error> {
        let factors = self.tree.factors();
        each_index(result, |place, index| {
            let mut elements = Vec::with_capacity(factors.len());
            for (factor, structure) in factors.iter().zip(&self.structures) {
                elements.push(self.element(factor, structure, slabs[factor.operand], index)?);
            }
            // There are no indices behind the ends of rows, whatever a function makes of zero.
            let reaches = |label: usize| {
                let has = |(factor, element): (&&Factor, &Option<T>)| factor.labels.contains(&label) && element.is_some();
                factors.iter().zip(&elements).any(has)
            };
            let is_in_rows = self.left.iter().all(|&(label, is_ragged)| !is_ragged || reaches(label));
            let value = if is_in_rows { value(&self.tree, &mut elements.into_iter())? } else { None };
            out[place] = value.unwrap_or(T::ZERO);
            Ok(())
        })
    }

    /// The element of a factor at an index of the result; nothing where it has no block there.
    fn element<T: Element>(
        &self,
        factor: &Factor,
        structure: &Structure,
        slab: &[T],
        index: &[usize],
    ) -> Result<Option<T>, Error> {
        let at = |label: &usize| self.left.iter().position(|(own, _)| own == label).map(|axis| index[axis]);
        let own: Vec<usize> = factor.labels.iter().filter_map(at).collect();
        let places = structure.tilings().iter().zip(&own).map(|(tiling, &index)| tiling.locate(index));
        let Ok(block) = places.map(|place| place.map(|(tile, _)| tile)).collect::<Result<Vec<usize>, _>>() else {
            return Ok(None);
        };
        if structure.image(&block)?.is_none() {
            return Ok(None);
        }
        let element = element_at(structure, slab, &own)?;
        Ok(Some(if factor.conjugates { element.conj() } else { element }))
    }
}

/// The value of an expression of these elements; nothing where it is zero because of what is not there.
///
/// # Errors
/// Those of a function.
fn value<T: Element>(tree: &Tree, elements: &mut dyn Iterator<Item = Option<T>>) -> Result<Option<T>, Error> {
    let zero = |value: Option<T>| value.unwrap_or(T::ZERO);
    Ok(match tree {
        Tree::Factor(_) => elements.next().flatten(),
        Tree::Number(number) => Some(T::from_complex(*number)).filter(|_| *number != Complex::ZERO),
        Tree::Negate(inner) => value(inner, elements)?.map(|value| -value),
        Tree::Binary(operator, left, right) => {
            let (left, right) = (value(left, elements)?, value(right, elements)?);
            match operator {
                Operator::Multiply => left.zip(right).map(|(left, right)| left * right),
                Operator::Divide => left.map(|left| left.quotient(zero(right))),
                Operator::Add | Operator::Subtract if left.is_none() && right.is_none() => None,
                Operator::Add => Some(zero(left) + zero(right)),
                Operator::Subtract => Some(zero(left) - zero(right)),
            }
        }
        Tree::Sum(..) | Tree::Fold(..) => unreachable!("sums over labels are computed before"),
        Tree::Apply(function, inner) => {
            let of = (value(inner, elements)?, keeps_zero(*function) == Some(true));
            applied(of, Instruction::Apply((*function).into(), 0))?
        }
        Tree::PowerInteger(inner, exponent) => {
            applied((value(inner, elements)?, *exponent > 0), Instruction::PowerInteger(0, *exponent))?
        }
        Tree::PowerReal(inner, exponent) => {
            applied((value(inner, elements)?, *exponent > 0.0), Instruction::PowerReal(0, *exponent))?
        }
        Tree::Select(condition, values) => {
            let count = condition.expressions().iter().map(|side| side.factors().len()).sum();
            let compared: Vec<Option<T>> = elements.take(count).collect();
            // Where nothing is compared, what is chosen may be known, and is all that there is.
            let is_nothing = compared.iter().all(Option::is_none);
            let is_decided = is_nothing && of_zeros(condition, T::DTYPE).is_some();
            let mut holds = Holds { elements: &mut compared.into_iter(), error: None };
            let is_chosen = condition.build(&mut holds) != T::ZERO;
            holds.error.map_or(Ok(()), Err)?;
            let [chosen, other] = &**values;
            let (chosen, other) = (value(chosen, elements)?, value(other, elements)?);
            let (own, left) = if is_chosen { (chosen, other) } else { (other, chosen) };
            own.or_else(|| left.filter(|_| !is_decided).map(|_| T::ZERO))
        }
    })
}

/// A function of a value; where there is none, of zero, unless it is known to keep that.
fn applied<T: Element>((value, keeps_zero): (Option<T>, bool), function: Instruction) -> Result<Option<T>, Error> {
    let Some(value) = value.or((!keeps_zero).then_some(T::ZERO)) else { return Ok(None) };
    let (layout, nest) = (Strided::row_major(&[])?, LoopNest::new(Vec::new(), 0));
    let program = Program::new(vec![Instruction::Input(0), function]);
    let (given, mut made) = ([value], [T::ZERO]);
    let output = Output::new(T::erase_mut(&mut made), &layout);
    Reference.map(&nest, &program, Reduction::Sum, &[], &[Operand::new(T::erase(&given), &layout)], output)?;
    Ok(Some(made[0]))
}

/// Whether conditions hold, as 1 or 0; of what is not there the values are zero.
struct Holds<'h, T> {
    elements: &'h mut dyn Iterator<Item = Option<T>>,
    /// The first error of a function that a condition compares.
    error: Option<Error>,
}

impl<T: Element> Holds<'_, T> {
    fn value(&mut self, of: &Tree) -> T {
        let found = value(of, self.elements).unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            None
        });
        found.unwrap_or(T::ZERO)
    }
}

impl<T: Element> ConditionBuilder<Tree> for Holds<'_, T> {
    type Value = T;

    fn compare(&mut self, comparison: Comparison, left: &Tree, right: &Tree) -> T {
        let (left, right) = (self.value(left), self.value(right));
        compare::truth(compare::holds(comparison, left, right))
    }

    fn holds(&mut self, of: &Tree) -> T {
        self.value(of)
    }

    fn number(&mut self, value: f64) -> T {
        T::from_complex(value.into())
    }

    fn select(&mut self, condition: T, chosen: T, other: T) -> T {
        compare::select(condition, chosen, other)
    }
}
