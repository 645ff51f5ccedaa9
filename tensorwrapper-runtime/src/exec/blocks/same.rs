//! When two expressions are equal, up to a sign, for any elements that the symmetries of their operands allow.
//!
//! Addends and factors change places; functions are equal of equal values. What is not found is not known to be equal. Knows nothing of
//! elements, blocks or cuts.

use num_complex::Complex;
use tensorwrapper_core::symmetry::Sign;
use tensorwrapper_notation::syntax::Operator;
use tensorwrapper_notation::{Condition, Function};

use super::equal::ProductComparison;
use super::terms::{Factor, Term};
use super::tree::{Tree, quotient};

/// Whether two values are equal, and whether they are equal up to the sign.
type Signs = (bool, bool);

/// The sign with which one expression without sums is the other one.
pub(super) fn sign(one: &Tree, other: &Tree, comparison: &ProductComparison<'_>) -> Option<Sign> {
    match signs(one, other, comparison) {
        (true, _) => Some(Sign::Plus),
        (_, true) => Some(Sign::Minus),
        _ => None,
    }
}

fn signs(one: &Tree, other: &Tree, comparison: &ProductComparison<'_>) -> Signs {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    addends(one, false, &mut own);
    addends(other, false, &mut others);
    let signs_of = |(negated, one): &(bool, &Tree), (other_negated, other): &(bool, &Tree)| {
        turned(products(one, other, comparison), negated != other_negated)
    };
    let all =
        |wanted: fn(Signs) -> bool| matched(&own, &others, &|one, other| wanted(signs_of(one, other)).then_some(true)).is_some();
    (all(|signs| signs.0), all(|signs| signs.1))
}

fn turned((plus, minus): Signs, turns: bool) -> Signs {
    if turns { (minus, plus) } else { (plus, minus) }
}

/// What is added, each with whether it is subtracted.
fn addends<'t>(tree: &'t Tree, negated: bool, found: &mut Vec<(bool, &'t Tree)>) {
    match tree {
        Tree::Binary(Operator::Add, left, right) => {
            addends(left, negated, found);
            addends(right, negated, found);
        }
        Tree::Binary(Operator::Subtract, left, right) => {
            addends(left, negated, found);
            addends(right, !negated, found);
        }
        Tree::Negate(inner) => addends(inner, !negated, found),
        _ => found.push((negated, tree)),
    }
}

/// A product of values and quotients.
struct Product<'t> {
    scale: Complex<f64>,
    numerators: Vec<&'t Tree>,
    denominators: Vec<&'t Tree>,
}

impl<'t> Product<'t> {
    fn of(tree: &'t Tree) -> Product<'t> {
        let mut product = Product { scale: Complex::ONE, numerators: Vec::new(), denominators: Vec::new() };
        product.take(tree, false);
        product
    }

    fn take(&mut self, tree: &'t Tree, divides: bool) {
        match tree {
            Tree::Binary(Operator::Multiply, left, right) => {
                self.take(left, divides);
                self.take(right, divides);
            }
            Tree::Binary(Operator::Divide, left, right) => {
                self.take(left, divides);
                self.take(right, !divides);
            }
            Tree::Negate(inner) => {
                self.scale = -self.scale;
                self.take(inner, divides);
            }
            Tree::Number(value) if divides => self.scale = quotient(self.scale, *value),
            Tree::Number(value) => self.scale *= value,
            _ if divides => self.denominators.push(tree),
            _ => self.numerators.push(tree),
        }
    }
}

fn products(one: &Tree, other: &Tree, comparison: &ProductComparison<'_>) -> Signs {
    if one.is_zero() && other.is_zero() {
        return (true, true);
    }
    let (one, other) = (Product::of(one), Product::of(other));
    let turns = match one.scale {
        scale if scale == other.scale => false,
        scale if scale == -other.scale => true,
        _ => return (false, false),
    };
    let sign_of = |one: &&Tree, other: &&Tree| match values(one, other, comparison) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let above = matched(&one.numerators, &other.numerators, &sign_of);
    let below = matched(&one.denominators, &other.denominators, &sign_of);
    match (above, below) {
        (Some(above), Some(below)) => turned((above == below, above != below), turns),
        _ => (false, false),
    }
}

/// Whether each of these is one of those: with how the signs multiply, where `sign_of` says whether two are equal with sign +.
fn matched<X>(these: &[X], those: &[X], sign_of: &dyn Fn(&X, &X) -> Option<bool>) -> Option<bool> {
    if these.len() != those.len() {
        return None;
    }
    let (mut used, mut plus) = (vec![false; those.len()], true);
    for this in these {
        let found = (0..those.len()).filter(|&n| !used[n]).find_map(|n| sign_of(this, &those[n]).map(|sign| (n, sign)));
        let (n, sign) = found?;
        used[n] = true;
        plus = plus == sign;
    }
    Some(plus)
}

/// Whether two conditions compare the same values in the same way.
fn is_same_condition(one: &Condition<Tree>, other: &Condition<Tree>, comparison: &ProductComparison<'_>) -> bool {
    let form = |condition: &Condition<Tree>| condition.clone().map(|_| ());
    let (own, others) = (one.expressions(), other.expressions());
    form(one) == form(other) && own.into_iter().zip(others).all(|(one, other)| signs(one, other, comparison).0)
}

/// Of values that are neither products nor quotients.
fn values(one: &Tree, other: &Tree, comparison: &ProductComparison<'_>) -> Signs {
    match (one, other) {
        (Tree::Factor(one), Tree::Factor(other)) => {
            let term = |factor: &Factor| Term { scale: Complex::ONE, factors: vec![factor.clone()], summed: Vec::new() };
            comparison.signs(&term(one), &term(other))
        }
        (Tree::Apply(function, one), Tree::Apply(same, other)) if function == same => {
            let (plus, minus) = signs(one, other, comparison);
            match function {
                Function::Abs | Function::Cos => (plus || minus, false),
                Function::Sin | Function::Tan | Function::Tanh | Function::Recip => (plus, minus),
                Function::Conj | Function::Re | Function::Im => (plus, minus),
                Function::Exp | Function::Ln | Function::Sqrt => (plus, false),
            }
        }
        (Tree::PowerInteger(one, exponent), Tree::PowerInteger(other, same)) if exponent == same => {
            let (plus, minus) = signs(one, other, comparison);
            if exponent % 2 == 0 { (plus || minus, false) } else { (plus, minus) }
        }
        (Tree::PowerReal(one, exponent), Tree::PowerReal(other, same)) if exponent == same => {
            (signs(one, other, comparison).0, false)
        }
        (Tree::Select(one, values), Tree::Select(other, others)) if is_same_condition(one, other, comparison) => {
            let [chosen, rest] = [0, 1].map(|n| signs(&values[n], &others[n], comparison));
            (chosen.0 && rest.0, chosen.1 && rest.1)
        }
        (Tree::Binary(Operator::Add | Operator::Subtract, ..), Tree::Binary(Operator::Add | Operator::Subtract, ..)) => {
            signs(one, other, comparison)
        }
        _ => (false, false),
    }
}
