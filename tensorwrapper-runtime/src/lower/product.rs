//! Splits a product under a sum into the parts of a contraction: a number, factors, divisors and summed labels.

use num_complex::Complex;
use tensorwrapper_notation::syntax::{Operator, Reduction as Fold};

use crate::expr::Tree;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::graph::Label;

/// The parts of a product under a sum.
#[derive(Default)]
pub(super) struct Product<'t, 'a> {
    pub(super) alpha: Complex<f64>,
    pub(super) numerators: Vec<&'t Tree<'a>>,
    pub(super) denominators: Vec<&'t Tree<'a>>,
    pub(super) summed: Vec<Label>,
}

/// Whether a factor of a product may be moved, multiplied and divided by others: its magnitude is so far from the limits of all
/// element types that nothing overflows or underflows.
pub(crate) fn is_ordinary(x: Complex<f64>) -> bool {
    (1e-18..=1e18).contains(&x.re.abs().max(x.im.abs()))
}

/// A product of constants. Real numbers are multiplied as real numbers, because infinity times an imaginary part of zero would
/// be NaN.
pub(crate) fn times(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
    match (a.im == 0.0, b.im == 0.0) {
        (true, true) => Complex::new(a.re * b.re, 0.0),
        (true, false) => Complex::new(a.re * b.re, a.re * b.im),
        (false, true) => Complex::new(a.re * b.re, a.im * b.re),
        (false, false) => a * b,
    }
}

/// Flattens a product: factors, constant factors, and sums inside it, whose labels no other factor has.
pub(super) fn split<'t, 'a>(tree: &'t Tree<'a>, product: &mut Product<'t, 'a>) {
    match tree {
        Tree::Constant(value) => product.alpha = times(product.alpha, *value),
        Tree::Negate(inner) => {
            product.alpha = -product.alpha;
            split(inner, product);
        }
        Tree::Binary(Operator::Multiply, left, right) => {
            split(left, product);
            split(right, product);
        }
        Tree::Binary(Operator::Divide, left, right) => {
            split(left, product);
            match &**right {
                Tree::Constant(value) => product.alpha = product.alpha.quotient(*value),
                other => product.denominators.push(other),
            }
        }
        Tree::Reduce(Fold::Sum, labels, body) => {
            product.summed.extend(labels);
            split(body, product);
        }
        other => product.numerators.push(other),
    }
}
