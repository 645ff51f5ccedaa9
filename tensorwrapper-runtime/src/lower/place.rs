//! Recognises `argmax(k; X)` and `argmin(k; X)`, which the language defines by two reductions: the smallest value of `k` at which X is its
//! maximum over `k`, or is no number. A device that finds places computes them in one pass over X.

use std::sync::Arc;

use tensorwrapper_notation::syntax::Reduction as Fold;
use tensorwrapper_notation::{Comparison, Condition};

use super::source::SourceTensor;
use crate::expr::{Axis, Meaning, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Reduction;

/// What `min(over; body)` looks for, and the tree in which it does, if it is such a place: the `extent` is that of its label.
pub(super) fn place<'t, 'a>(over: &[usize], body: &'t Tree<'a>, extents: &[usize]) -> Option<(Reduction, &'t Tree<'a>)> {
    let ([label], Tree::Select(Condition::Either(sides), values)) = (over, body) else { return None };
    let [Tree::Operand(iota, axes), Tree::Constant(extent)] = &**values else { return None };
    let is_index = matches!(iota.source, Source::Computed(_, Meaning::Index));
    let is_own = matches!(axes[..], [Axis::Label { label: own, start: 0 }] if own == *label);
    if !(is_index && is_own && iota.extents == [extents[*label]] && *extent == (extents[*label] as f64).into()) {
        return None;
    }
    let [Condition::Compare(Comparison::Equal, best), Condition::Compare(Comparison::NotEqual, other)] = &**sides else {
        return None;
    };
    let ([of, Tree::Reduce(fold, inner, in_best)], [one, same]) = (&**best, &**other) else { return None };
    let ([inner], Some(extreme)) = (&inner[..], extreme(*fold)) else { return None };
    let is_it = |tree: &Tree<'a>, bound: usize| {
        let mut renamed = Renamed { extents, pairs: Vec::new() };
        renamed.pair(*label, bound) && renamed.are_same(of, tree)
    };
    (is_it(in_best, *inner) && is_it(one, *label) && is_it(same, *label)).then_some((extreme, of))
}

fn extreme(fold: Fold) -> Option<Reduction> {
    match fold {
        Fold::Max => Some(Reduction::Max),
        Fold::Min => Some(Reduction::Min),
        Fold::Sum | Fold::Product => None,
    }
}

/// Whether two operands are one tensor: recorded once, or the same elements in the same order.
fn are_one<'a>(one: &Link<Value<'a>>, other: &Link<Value<'a>>) -> bool {
    Link::address(one) == Link::address(other)
        || match (&one.source, &other.source) {
            (Source::Tensor(one), Source::Tensor(other)) => {
                SourceTensor::Borrowed(one.clone()).identity() == SourceTensor::Borrowed(other.clone()).identity()
            }
            (Source::Computed(one, _), Source::Computed(other, _)) => Arc::ptr_eq(one, other),
            _ => false,
        }
}

/// Labels of one tree that another one calls otherwise, the innermost last, and the extents of all labels.
struct Renamed<'e> {
    extents: &'e [usize],
    pairs: Vec<(usize, usize)>,
}

impl Renamed<'_> {
    /// Binds a label of each tree; `false` if they run over other numbers of values.
    fn pair(&mut self, one: usize, other: usize) -> bool {
        self.pairs.push((one, other));
        self.extents[one] == self.extents[other]
    }

    fn is_label(&self, one: usize, other: usize) -> bool {
        match self.pairs.iter().rev().find(|pair| pair.0 == one || pair.1 == other) {
            Some(pair) => *pair == (one, other),
            None => one == other,
        }
    }

    fn are_same<'a>(&mut self, one: &Tree<'a>, other: &Tree<'a>) -> bool {
        match (one, other) {
            (Tree::Operand(value, axes), Tree::Operand(known, others)) => {
                let is_axis = |(axis, other): (&Axis, &Axis)| match (axis, other) {
                    (Axis::Label { label, start }, Axis::Label { label: known, start: begins }) => {
                        start == begins && self.is_label(*label, *known)
                    }
                    (Axis::Chip(position), Axis::Chip(known)) => position == known,
                    (Axis::Fused(labels), Axis::Fused(known)) => {
                        labels.len() == known.len()
                            && labels.iter().zip(known).all(|(&label, &known)| self.is_label(label, known))
                    }
                    _ => false,
                };
                are_one(value, known) && axes.len() == others.len() && axes.iter().zip(others).all(is_axis)
            }
            (Tree::Constant(value), Tree::Constant(known)) => {
                [value.re, value.im].map(f64::to_bits) == [known.re, known.im].map(f64::to_bits)
            }
            (Tree::Reduce(fold, over, _), Tree::Reduce(known, others, _)) => {
                let before = self.pairs.len();
                let are_same = fold == known
                    && over.len() == others.len()
                    && over.iter().zip(others).all(|(&one, &other)| self.pair(one, other))
                    && self.are_parts(one, other);
                self.pairs.truncate(before);
                are_same
            }
            (Tree::Negate(_), Tree::Negate(_)) => self.are_parts(one, other),
            (Tree::Binary(operator, ..), Tree::Binary(known, ..)) => operator == known && self.are_parts(one, other),
            (Tree::Apply(function, _), Tree::Apply(known, _)) => function == known && self.are_parts(one, other),
            (Tree::Cast(dtype, _), Tree::Cast(known, _)) => dtype == known && self.are_parts(one, other),
            (Tree::PowerInteger(_, exponent), Tree::PowerInteger(_, known)) => exponent == known && self.are_parts(one, other),
            (Tree::PowerReal(_, exponent), Tree::PowerReal(_, known)) => {
                exponent.to_bits() == known.to_bits() && self.are_parts(one, other)
            }
            // Functions of the program may be others in each place; conditions of conditions are left as they are.
            _ => false,
        }
    }

    fn are_parts<'a>(&mut self, one: &Tree<'a>, other: &Tree<'a>) -> bool {
        let (parts, others) = (one.parts(), other.parts());
        parts.len() == others.len() && parts.into_iter().zip(others).all(|(one, other)| self.are_same(one, other))
    }
}
