//! Gradients by block tensors: the part of a gradient that lies in the tensor's own structure.
//!
//! Elements that follow from each other by a symmetry are one variable, and elements outside of the blocks are none. Of the gradient G by
//! all elements that is `M[i, j] * (G[i, j] ± G[j, i]) / 2`, and so on for larger groups, with a mask M that is one in the blocks: the
//! orthogonal projection, so that a step along it keeps the structure. It is recorded like any other equation, so that it has derivatives
//! itself.

use std::cell::RefCell;

use super::build::{Labels, binary, labels, number, times};
use crate::expr::{Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::symmetry::{Sign, Symmetry};
use tensorwrapper_notation::syntax::Operator;

/// The projection of gradients by one variable.
#[derive(Debug)]
pub(crate) struct Projection<'a> {
    pub(crate) variable: Link<Value<'a>>,
    /// One in the blocks of the variable, and zero elsewhere; nothing if it has all blocks.
    pub(crate) mask: Option<Link<Value<'a>>>,
    pub(crate) symmetry: Symmetry,
    /// The projections that were made, each with the gradient that was projected.
    pub(crate) made: RefCell<Vec<[Link<Value<'a>>; 2]>>,
}

impl<'a> Projection<'a> {
    /// Whether a value lies in the blocks of the variable, because all of its terms are multiplied by the mask.
    pub(crate) fn masks(&self, value: &Value<'a>) -> bool {
        let (Source::Equation { tree, axes, .. }, Some(mask)) = (&value.source, &self.mask) else { return false };
        let axes = labels(axes.iter().copied());
        let is_mask = |tree: &Tree<'a>| matches!(tree, Tree::Operand(of, read) if Link::address(of) == Link::address(mask) && *read == axes);
        all_terms(tree, &is_mask)
    }

    /// The part of a gradient, which has the extents of the variable, that lies in the structure of the variable.
    pub(super) fn of(&self, gradient: &Link<Value<'a>>) -> Link<Value<'a>> {
        let rank = gradient.extents.len();
        let elements = self.symmetry.elements();
        let mut sum: Option<Tree<'a>> = None;
        for element in elements {
            let mut read = Tree::Operand(Link::clone(gradient), labels(element.axes()));
            if element.conjugates() && gradient.dtype.is_complex() {
                read = Tree::Apply(Unary::Conj, Box::new(read));
            }
            let operator = if element.sign() == Sign::Minus { Operator::Subtract } else { Operator::Add };
            sum = Some(match sum {
                None => read,
                Some(sum) => binary(operator, sum, read),
            });
        }
        let mut tree = sum.expect("a symmetry has the identity");
        if elements.len() > 1 {
            tree = times(number(1.0 / elements.len() as f64), tree);
        }
        if let Some(mask) = &self.mask {
            tree = times(Tree::Operand(Link::clone(mask), labels(0..rank)), tree);
        }
        let made = Labels::numbered(&gradient.extents).value(tree, (0..rank).collect(), gradient.dtype);
        self.made.borrow_mut().push([Link::clone(&made), Link::clone(gradient)]);
        made
    }
}

/// Whether each term of a sum has a factor of some kind.
fn all_terms<'a>(tree: &Tree<'a>, is_it: &dyn Fn(&Tree<'a>) -> bool) -> bool {
    match tree {
        Tree::Negate(of) => all_terms(of, is_it),
        Tree::Binary(Operator::Add | Operator::Subtract, left, right) => all_terms(left, is_it) && all_terms(right, is_it),
        Tree::Binary(Operator::Multiply, left, right) => all_terms(left, is_it) || all_terms(right, is_it),
        Tree::Binary(Operator::Divide, left, _) => all_terms(left, is_it),
        other => is_it(other),
    }
}
