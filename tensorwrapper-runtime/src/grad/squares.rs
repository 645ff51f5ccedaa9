//! Squares of absolute values, norms and roots as what they are: `|e|²` is `conj(e)·e`, `‖A‖²` the sum of these, and `√e²` is e.
//!
//! These are smooth where the absolute value, the norm or the root is not, at zero: the chain rule would multiply a slope that is not
//! there, or is infinite, with zero. Only equations from which derivatives are made are read this way; values are computed as written.

use tensorwrapper_notation::syntax::{Factorisation, Operator};

use super::build::{Labels, apply, cast, conjugated, is_same_value, labels, sum, times};
use super::product::factors_of;
use crate::expr::{Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::element::Dtype;

/// An equation's right side without squares of absolute values, norms and roots. A value that is a variable itself stays one.
pub(super) fn smooth<'a>(tree: &Tree<'a>, dtype: Dtype, is_variable: &dyn Fn(&Link<Value<'a>>) -> bool) -> Tree<'a> {
    let smoothed = |part: &Tree<'a>| smooth(part, dtype, is_variable);
    match tree {
        Tree::Operand(..) | Tree::Constant(_) => tree.clone(),
        Tree::Cast(own, inner) => Tree::Cast(*own, Box::new(smooth(inner, *own, is_variable))),
        Tree::PowerInteger(inner, exponent) if exponent % 2 == 0 => match square(inner, dtype, is_variable) {
            Some(square) => Tree::PowerInteger(Box::new(smoothed(&square)), exponent / 2),
            None => tree.with_parts(smoothed),
        },
        Tree::Apply(Unary::Sqrt, inner) if !dtype.is_complex() => match root(inner) {
            Some(root) => smoothed(&root),
            None => tree.with_parts(smoothed),
        },
        // A condition stays as it was computed: what is chosen depends on its rounding.
        Tree::Select(condition, values) => {
            let [chosen, other] = &**values;
            Tree::Select(condition.clone(), Box::new([smoothed(chosen), smoothed(other)]))
        }
        Tree::Binary(Operator::Multiply, ..) => {
            let mut factors = Vec::new();
            factors_of(tree, &mut factors);
            match pair(&factors, |factor| square(factor, dtype, is_variable)) {
                Some((found, [one, other])) => {
                    let others = factors.iter().enumerate().filter(|(n, _)| *n != one && *n != other);
                    smoothed(&others.fold(found, |product, (_, factor)| times(product, (*factor).clone())))
                }
                None => each_factor(tree, &smoothed),
            }
        }
        other => other.with_parts(smoothed),
    }
}

/// A product with other factors, each made of the one that is there.
fn each_factor<'a>(tree: &Tree<'a>, make: &dyn Fn(&Tree<'a>) -> Tree<'a>) -> Tree<'a> {
    match tree {
        Tree::Binary(Operator::Multiply, ..) => tree.with_parts(|part| each_factor(part, make)),
        factor => make(factor),
    }
}

/// Two factors that are equal and have a smooth square, and the square.
fn pair<'a>(factors: &[&Tree<'a>], square: impl Fn(&Tree<'a>) -> Option<Tree<'a>>) -> Option<(Tree<'a>, [usize; 2])> {
    (0..factors.len()).find_map(|one| {
        let found = square(factors[one])?;
        let other = (one + 1..factors.len()).find(|&other| is_same(factors[one], factors[other]))?;
        Some((found, [one, other]))
    })
}

/// The square of an absolute value, a norm or a root, where it is simpler than these.
fn square<'a>(tree: &Tree<'a>, dtype: Dtype, is_variable: &dyn Fn(&Link<Value<'a>>) -> bool) -> Option<Tree<'a>> {
    match tree {
        Tree::Apply(Unary::Abs, inner) => Some(norm_of(inner, dtype)),
        Tree::Apply(Unary::Sqrt, inner) => Some((**inner).clone()),
        Tree::Operand(value, axes) if !is_variable(value) => {
            let found = match &value.source {
                Source::Equation { tree: own @ Tree::Apply(Unary::Abs | Unary::Sqrt, _), extents, axes, names } => {
                    let squared = square(own, value.dtype, is_variable)?;
                    Labels::of(extents, names).value(squared, axes.clone(), value.dtype)
                }
                Source::Factorised(call, 0) if call.call.kind == Factorisation::Norm => {
                    let (a, kept) = (&call.arguments[0], value.extents.len());
                    let rank = a.extents.len();
                    let elements = norm_of(&Tree::Operand(Link::clone(a), labels(0..rank)), a.dtype);
                    let squared = sum((kept..rank).collect(), cast(elements, a.dtype, value.dtype));
                    Labels::numbered(&a.extents).value(squared, (0..kept).collect(), value.dtype)
                }
                _ => return None,
            };
            Some(Tree::Operand(found, axes.clone()))
        }
        _ => None,
    }
}

/// `conj(e)·e`
fn norm_of<'a>(tree: &Tree<'a>, dtype: Dtype) -> Tree<'a> {
    let other = if dtype.is_complex() { conjugated(tree.clone()) } else { tree.clone() };
    times(other, tree.clone())
}

/// The root of an even power of a real number.
fn root<'a>(tree: &Tree<'a>) -> Option<Tree<'a>> {
    match tree {
        Tree::PowerInteger(inner, exponent) if exponent % 4 == 0 => Some(Tree::PowerInteger(inner.clone(), exponent / 2)),
        Tree::PowerInteger(inner, exponent) if exponent % 2 == 0 => {
            Some(Tree::PowerInteger(Box::new(apply(Unary::Abs, (**inner).clone())), exponent / 2))
        }
        Tree::Binary(Operator::Multiply, left, right) if is_same(left, right) => Some(apply(Unary::Abs, (**left).clone())),
        _ => None,
    }
}

/// Whether two trees without reductions, conditions and functions of the program are written in the same way.
fn is_same(one: &Tree<'_>, other: &Tree<'_>) -> bool {
    let is_alike = match (one, other) {
        (Tree::Operand(one, axes), Tree::Operand(other, others)) => return axes == others && is_one_value(one, other),
        (Tree::Constant(one), Tree::Constant(other)) => one == other,
        (Tree::Negate(_), Tree::Negate(_)) => true,
        (Tree::Binary(one, ..), Tree::Binary(other, ..)) => one == other,
        (Tree::Apply(one, _), Tree::Apply(other, _)) => one == other,
        (Tree::Cast(one, _), Tree::Cast(other, _)) => one == other,
        (Tree::PowerInteger(_, one), Tree::PowerInteger(_, other)) => one == other,
        (Tree::PowerReal(_, one), Tree::PowerReal(_, other)) => one == other,
        _ => false,
    };
    is_alike && one.parts().into_iter().zip(other.parts()).all(|(one, other)| is_same(one, other))
}

/// Whether two links are one value, or read the same elements of the program in the same way.
fn is_one_value(one: &Link<Value<'_>>, other: &Link<Value<'_>>) -> bool {
    is_same_value(one, other)
        || match (&one.source, &other.source) {
            (Source::Tensor(one), Source::Tensor(other)) => one.data.is_same(&other.data) && one.layout == other.layout,
            _ => false,
        }
}
