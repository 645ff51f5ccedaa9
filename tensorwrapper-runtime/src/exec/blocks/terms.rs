//! A sum of products of factors: what structures are inferred from, and what is computed by contraction.
//!
//! Knows nothing of the structures of operands.

use std::ops::Range;

use num_complex::Complex;
use tensorwrapper_core::error::Error;
use tensorwrapper_notation::Function;
use tensorwrapper_notation::syntax::Operator;

pub(super) use super::tree::Factor;
use super::tree::{Tree, quotient, unsupported};

/// Products that a right side may expand to.
const MOST_TERMS: usize = 4096;

/// A number times a product of factors, summed over labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) scale: Complex<f64>,
    pub(super) factors: Vec<Factor>,
    pub(super) summed: Vec<usize>,
}

/// A right side and the labels of the left one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sum {
    pub(super) terms: Vec<Term>,
    pub(super) left: Vec<usize>,
    /// The names of the labels.
    pub(super) names: Vec<String>,
    /// The indices that are computed of one label, where it is not all.
    pub(super) within: Option<Within>,
}

/// A range of the indices of a label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Within {
    pub(super) label: usize,
    pub(super) indices: Range<usize>,
}

impl Sum {
    /// What an equation calls a label, with its range where not all of its indices are computed.
    pub(super) fn named(&self, label: usize) -> String {
        let range = self.within.as_ref().filter(|within| within.label == label).map(|within| &within.indices);
        match range {
            Some(range) => format!("{} in {}..{}", self.names[label], range.start, range.end),
            None => self.names[label].clone(),
        }
    }
}

impl Term {
    /// Whether one of its factors has that label.
    pub(super) fn has(&self, label: usize) -> bool {
        self.factors.iter().any(|factor| factor.labels.contains(&label))
    }

    /// The labels of its factors that it is not summed over, in ascending order.
    pub(super) fn free(&self) -> Vec<usize> {
        let mut free: Vec<usize> = self.factors.iter().flat_map(|factor| &factor.labels).copied().collect();
        free.retain(|label| !self.summed.contains(label));
        free.sort_unstable();
        free.dedup();
        free
    }
}

/// Both, term by term.
fn product(left: &Term, right: &Term) -> Term {
    Term {
        scale: left.scale * right.scale,
        factors: [&left.factors[..], &right.factors[..]].concat(),
        summed: [&left.summed[..], &right.summed[..]].concat(),
    }
}

fn negated(mut terms: Vec<Term>) -> Vec<Term> {
    terms.iter_mut().for_each(|term| term.scale = -term.scale);
    terms
}

/// Whether a factor is a sum whose terms have the same labels: it is computed before it is multiplied, because differences would
/// cancel badly, and each product of their terms would be computed by itself. A number is multiplied into the terms.
fn is_one_sum(tree: &Tree) -> bool {
    match tree {
        Tree::Negate(inner) => is_one_sum(inner),
        Tree::Binary(Operator::Add | Operator::Subtract, left, right) => {
            let sorted = |tree: &Tree| {
                let mut labels = tree.free();
                labels.sort_unstable();
                labels
            };
            let (left, right) = (sorted(left), sorted(right));
            left == right && !left.is_empty()
        }
        _ => false,
    }
}

/// The products that a tree expands to. `made` computes what is neither a sum nor a product, and says what it became.
///
/// # Errors
/// Too many products, and those of `made`.
pub(super) fn expand(tree: &Tree, made: &mut dyn FnMut(&Tree) -> Result<Factor, Error>) -> Result<Vec<Term>, Error> {
    let alone = |factors: Vec<Factor>, scale| vec![Term { scale, factors, summed: Vec::new() }];
    if let Some(value) = tree.number() {
        return Ok(alone(Vec::new(), value));
    }
    if tree.is_own_kind() {
        return Ok(alone(vec![made(tree)?], Complex::ONE));
    }
    Ok(match tree {
        Tree::Factor(factor) => alone(vec![factor.clone()], Complex::ONE),
        Tree::Number(value) => alone(Vec::new(), *value),
        Tree::Negate(inner) => negated(expand(inner, made)?),
        Tree::Sum(labels, inner) => {
            let mut terms = expand(inner, made)?;
            terms.iter_mut().for_each(|term| term.summed.extend(labels));
            terms
        }
        Tree::Binary(Operator::Multiply, left, right) => {
            let scales = left.number().is_some() || right.number().is_some();
            let mut side = |tree: &Tree| match !scales && is_one_sum(tree) {
                true => Ok(alone(vec![made(tree)?], Complex::ONE)),
                false => expand(tree, made),
            };
            let (left, right) = (side(left)?, side(right)?);
            if left.len().saturating_mul(right.len()) > MOST_TERMS {
                return Err(unsupported(&format!("products of sums with more than {MOST_TERMS} terms")));
            }
            left.iter().flat_map(|left| right.iter().map(|right| product(left, right))).collect()
        }
        Tree::Binary(operator, left, right) => {
            let (mut terms, right) = (expand(left, made)?, expand(right, made)?);
            match operator {
                Operator::Add => terms.extend(right),
                Operator::Subtract => terms.extend(negated(right)),
                Operator::Multiply => unreachable!("products are expanded above"),
                Operator::Divide => {
                    let divisor = right.first().map_or(Complex::ONE, |number| number.scale);
                    terms.iter_mut().for_each(|term| term.scale = quotient(term.scale, divisor));
                }
            }
            terms
        }
        Tree::Apply(Function::Conj, inner) => {
            let mut terms = expand(inner, made)?;
            for term in &mut terms {
                term.scale = term.scale.conj();
                term.factors.iter_mut().for_each(|factor| factor.conjugates = !factor.conjugates);
            }
            terms
        }
        Tree::Apply(..) | Tree::PowerInteger(..) | Tree::PowerReal(..) | Tree::Select(..) | Tree::Fold(..) => {
            unreachable!("these are of their own kind")
        }
    })
}
