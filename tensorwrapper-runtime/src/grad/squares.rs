//! Squares of absolute values, norms and roots as what they are: `|e|²` is `conj(e)·e`, `‖A‖²` the sum of these, and `√e²` is e.
//!
//! These are smooth where the absolute value, the norm or the root is not, at zero: the chain rule would multiply a slope that is not
//! there, or is infinite, with zero. So is the root of an even power, `√x⁴` or `√x²`, which is an absolute value. Equations are read this
//! way when derivatives are made of them; results are computed as they are written.

use tensorwrapper_notation::syntax::{Factorisation, Operator};

use super::build::{Labels, apply, binary, cast, conjugated, is_same_value, labels, negated, number, sum, times};
use crate::expr::{Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::element::Dtype;

/// Named values that are looked into, one inside the other.
const MOST_NAMED: usize = 2;

/// An equation's right side without squares of absolute values, norms and roots. A value that is a variable itself stays one.
pub(super) fn smooth<'a>(tree: &Tree<'a>, dtype: Dtype, is_variable: &dyn Fn(&Link<Value<'a>>) -> bool) -> Tree<'a> {
    let smoothed = |part: &Tree<'a>| smooth(part, dtype, is_variable);
    let square = |tree: &Tree<'a>| Squares { is_variable, named: MOST_NAMED }.of(tree, dtype);
    match tree {
        Tree::Operand(..) | Tree::Constant(_) => tree.clone(),
        Tree::Cast(own, inner) => Tree::Cast(*own, Box::new(smooth(inner, *own, is_variable))),
        // A condition stays as it was computed: what is chosen depends on its rounding.
        Tree::Select(condition, values) => {
            let [chosen, other] = &**values;
            Tree::Select(condition.clone(), Box::new([smoothed(chosen), smoothed(other)]))
        }
        Tree::PowerInteger(inner, _) | Tree::PowerReal(inner, _) => match half(tree).zip(square(inner)) {
            Some((half, square)) => smoothed(&power(square, half)),
            None => tree.with_parts(smoothed),
        },
        Tree::Apply(Unary::Sqrt, inner) if !dtype.is_complex() => match root(inner) {
            Some(root) => smoothed(&root),
            None => tree.with_parts(smoothed),
        },
        Tree::Binary(Operator::Multiply | Operator::Divide, ..) => match Product::of(tree).paired(&square) {
            Some(other) => smoothed(&other),
            None => each_factor(tree, &smoothed),
        },
        other => other.with_parts(smoothed),
    }
}

/// Half of the exponent of an even power.
fn half(tree: &Tree<'_>) -> Option<i32> {
    match tree {
        Tree::PowerInteger(_, exponent) if *exponent != 0 && exponent % 2 == 0 => Some(exponent / 2),
        // Other exponents are not whole numbers of that size, or none that are even.
        Tree::PowerReal(_, exponent) if *exponent != 0.0 && exponent % 2.0 == 0.0 && exponent.abs() < 1e6 => {
            Some((exponent / 2.0) as i32)
        }
        _ => None,
    }
}

/// `eⁿ`, and e itself for n = 1.
fn power(of: Tree<'_>, exponent: i32) -> Tree<'_> {
    if exponent == 1 { of } else { Tree::PowerInteger(Box::new(of), exponent) }
}

/// A product or quotient with other factors, each made of the one that is there.
fn each_factor<'a>(tree: &Tree<'a>, make: &dyn Fn(&Tree<'a>) -> Tree<'a>) -> Tree<'a> {
    match tree {
        Tree::Binary(Operator::Multiply | Operator::Divide, ..) => tree.with_parts(|part| each_factor(part, make)),
        factor => make(factor),
    }
}

/// The factors of a product or quotient, without signs.
#[derive(Default)]
struct Product<'t, 'a> {
    is_negative: bool,
    /// What is multiplied, and by what is divided.
    sides: [Vec<&'t Tree<'a>>; 2],
}

impl<'t, 'a> Product<'t, 'a> {
    fn of(tree: &'t Tree<'a>) -> Product<'t, 'a> {
        let (mut product, mut open) = (Product::default(), vec![(tree, 0)]);
        while let Some((next, side)) = open.pop() {
            match next {
                Tree::Binary(Operator::Multiply, left, right) => open.extend([(&**right, side), (&**left, side)]),
                Tree::Binary(Operator::Divide, left, right) => open.extend([(&**right, 1 - side), (&**left, side)]),
                Tree::Negate(inner) => {
                    product.is_negative = !product.is_negative;
                    open.push((inner, side));
                }
                factor => product.sides[side].push(factor),
            }
        }
        product
    }

    /// The product with the smooth square of two factors that are equal in place of these.
    fn paired(&self, square: &dyn Fn(&Tree<'a>) -> Option<Tree<'a>>) -> Option<Tree<'a>> {
        let (side, pair, found) = self.sides.iter().enumerate().find_map(|(side, factors)| {
            (0..factors.len()).find_map(|one| {
                let other = (one + 1..factors.len()).find(|&other| is_same(factors[one], factors[other]))?;
                Some((side, [one, other], square(factors[one])?))
            })
        })?;
        let left = |own: usize| {
            let factors = self.sides[own].iter().enumerate().filter(move |(n, _)| own != side || !pair.contains(n));
            let first = (own == side).then(|| found.clone());
            first.into_iter().chain(factors.map(|(_, factor)| (*factor).clone())).reduce(times)
        };
        let above = left(0).unwrap_or_else(|| number(1.0));
        let all = match left(1) {
            Some(below) => binary(Operator::Divide, above, below),
            None => above,
        };
        Some(if self.is_negative { negated(all) } else { all })
    }
}

/// Finds smooth squares.
#[derive(Clone, Copy)]
struct Squares<'s, 'a> {
    is_variable: &'s dyn Fn(&Link<Value<'a>>) -> bool,
    /// How many named values may still be looked into.
    named: usize,
}

impl<'a> Squares<'_, 'a> {
    /// The square of what has an absolute value, a norm or a root among its factors; nothing where it has none.
    fn of(self, tree: &Tree<'a>, dtype: Dtype) -> Option<Tree<'a>> {
        match tree {
            Tree::Apply(Unary::Abs, inner) => norm_of(inner, dtype),
            Tree::Apply(Unary::Sqrt, inner) => Some((**inner).clone()),
            Tree::Apply(Unary::Re, inner) if is_size(inner) => Some(apply(Unary::Re, self.of(inner, dtype)?)),
            Tree::Negate(inner) => self.of(inner, dtype),
            Tree::Cast(own, inner) => Some(Tree::Cast(*own, Box::new(self.of(inner, *own)?))),
            Tree::PowerInteger(inner, exponent) => Some(power(self.of(inner, dtype)?, *exponent)),
            Tree::Binary(operator @ (Operator::Multiply | Operator::Divide), left, right) => {
                let squares = [left, right].map(|part| self.of(part, dtype));
                if squares.iter().all(Option::is_none) {
                    return None;
                }
                let [first, other] = squares;
                let squared = |part: &Tree<'a>| Tree::PowerInteger(Box::new(part.clone()), 2);
                Some(binary(*operator, first.unwrap_or_else(|| squared(left)), other.unwrap_or_else(|| squared(right))))
            }
            Tree::Operand(value, axes) if self.named > 0 && !(self.is_variable)(value) => {
                Some(Tree::Operand(self.of_value(value)?, axes.clone()))
            }
            _ => None,
        }
    }

    fn of_value(self, value: &Link<Value<'a>>) -> Option<Link<Value<'a>>> {
        match &value.source {
            Source::Equation { tree, extents, axes, names } => {
                let inside = Squares { named: self.named - 1, ..self };
                let squared = inside.of(tree, value.dtype)?;
                Some(Labels::of(extents, names).value(squared, axes.clone(), value.dtype))
            }
            Source::Factorised(call, 0) if call.call.kind == Factorisation::Norm => {
                let (a, kept) = (&call.arguments[0], value.extents.len());
                let rank = a.extents.len();
                let elements = norm_of(&Tree::Operand(Link::clone(a), labels(0..rank)), a.dtype)?;
                let squared = sum((kept..rank).collect(), cast(elements, a.dtype, value.dtype));
                Some(Labels::numbered(&a.extents).value(squared, (0..kept).collect(), value.dtype))
            }
            _ => None,
        }
    }
}

/// `conj(e)·e`, if e is not copied with a reduction in it, whose labels would then mean two things.
fn norm_of<'a>(tree: &Tree<'a>, dtype: Dtype) -> Option<Tree<'a>> {
    match dtype.is_complex() {
        true if has_reductions(tree) => None,
        true => Some(times(conjugated(tree.clone()), tree.clone())),
        false => Some(Tree::PowerInteger(Box::new(tree.clone()), 2)),
    }
}

fn has_reductions(tree: &Tree<'_>) -> bool {
    matches!(tree, Tree::Reduce(..)) || tree.parts().into_iter().any(has_reductions)
}

/// Whether an expression is real and not negative, whatever its elements are: an absolute value.
fn is_size(tree: &Tree<'_>) -> bool {
    match tree {
        Tree::Apply(Unary::Abs, _) => true,
        Tree::Operand(value, _) => matches!(&value.source, Source::Equation { tree: Tree::Apply(Unary::Abs, _), .. }),
        _ => false,
    }
}

/// The root of an even power of a real number.
fn root<'a>(tree: &Tree<'a>) -> Option<Tree<'a>> {
    match tree {
        Tree::PowerInteger(inner, exponent) => {
            let half = half(tree)?;
            let inner = if exponent % 4 == 0 { (**inner).clone() } else { apply(Unary::Abs, (**inner).clone()) };
            Some(power(inner, half))
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
