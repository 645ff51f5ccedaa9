//! The normal form of an equation: a sum of terms, each a sum over labels of element-wise work without further reductions.
//!
//! Reductions inside of element-wise work become values of their own, so that derivatives never copy a reduction, whose labels
//! would then mean two things. A maximum or minimum is a value of its own, too, and a product over labels becomes products of
//! halves: these are exact where factors are zero, at every order.

use tensorwrapper_notation::syntax::{Operator, Reduction};
use tensorwrapper_notation::{Comparison, Condition};

use super::build::{Labels, binary, constant, labels, negated, number, reshaped, sum, written};
use super::linear::{Occurrence, occurrences};
use super::product::cut;
use super::spectral::{self, Spectral};
use super::squares::smooth;
use crate::expr::{Axis, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;

/// An equation whose derivative is simple.
#[derive(Clone, Debug)]
pub(super) struct Normal<'a> {
    pub(super) labels: Labels,
    /// The labels of the result's axes.
    pub(super) axes: Vec<usize>,
    pub(super) terms: Vec<Term<'a>>,
    /// Values that do not change, although they are made of what does: what they stand for changes by another rule.
    pub(super) constant: Vec<Link<Value<'a>>>,
}

/// `sum(bound; body)`. The body has no reductions.
#[derive(Clone, Debug)]
pub(super) struct Term<'a> {
    pub(super) bound: Vec<usize>,
    /// By what the derivative of the body is multiplied: which elements are the largest, for a maximum.
    pub(super) weight: Option<Tree<'a>>,
    pub(super) body: Tree<'a>,
    /// Functions of matrices among its factors. Their vectors do not change as operands of the body.
    pub(super) spectral: Vec<Spectral<'a>>,
}

impl<'a> Term<'a> {
    /// The operands that vary, without the vectors of functions of matrices.
    ///
    /// # Errors
    /// Work whose derivative is not known.
    pub(super) fn occurrences(
        &self,
        dtype: Dtype,
        varies: &dyn Fn(&Link<Value<'a>>) -> bool,
    ) -> Result<Vec<Occurrence<'_, 'a>>, Error> {
        let mut found = Vec::new();
        occurrences(&self.body, dtype, varies, &mut |occurrence| {
            if !self.spectral.iter().any(|spectral| spectral.reads(occurrence.value, occurrence.axes)) {
                found.push(occurrence);
            }
        })?;
        Ok(found)
    }
}

/// The normal form of the equation of a value.
pub(super) fn normal<'a>(
    value: &Link<Value<'a>>,
    tree: &Tree<'a>,
    labels: Labels,
    axes: &[usize],
    is_variable: &dyn Fn(&Link<Value<'a>>) -> bool,
) -> Normal<'a> {
    let mut form = Form { labels, terms: Vec::new(), is_variable };
    if let Some(inner) = extremum(tree) {
        form.extremum(value, inner, axes);
    } else {
        form.sum(tree, value.dtype, Vec::new(), false);
    }
    let Form { mut labels, terms, .. } = form;
    let mut constant = Vec::new();
    let known = |term: Term<'a>| {
        if term.weight.is_some() {
            return term;
        }
        if let Some(found) = spectral::find((&labels, &term.bound), &term.body, value.dtype, is_variable) {
            constant.extend(found.constant);
            return Term { body: found.body, spectral: found.found, ..term };
        }
        let (bound, body) = cut((term.bound, term.body), &mut labels, axes, value.dtype);
        Term { bound, body, ..term }
    };
    let terms = terms.into_iter().map(known).collect();
    Normal { labels, axes: axes.to_vec(), terms, constant }
}

/// The labels and the body of a maximum or minimum.
fn extremum<'t, 'a>(tree: &'t Tree<'a>) -> Option<(&'t [usize], &'t Tree<'a>)> {
    match tree {
        Tree::Reduce(Reduction::Max | Reduction::Min, over, body) => Some((over, body)),
        _ => None,
    }
}

struct Form<'f, 'a> {
    labels: Labels,
    terms: Vec<Term<'a>>,
    is_variable: &'f dyn Fn(&Link<Value<'a>>) -> bool,
}

impl<'a> Form<'_, 'a> {
    /// The terms of a sum. Long sums group from the left and are taken apart in a loop.
    fn sum(&mut self, tree: &Tree<'a>, dtype: Dtype, bound: Vec<usize>, is_negative: bool) {
        match tree {
            Tree::Negate(inner) => self.sum(inner, dtype, bound, !is_negative),
            Tree::Binary(Operator::Add | Operator::Subtract, ..) => {
                let (mut first, mut rest) = (tree, Vec::new());
                while let Tree::Binary(operator @ (Operator::Add | Operator::Subtract), left, right) = first {
                    rest.push((is_negative != (*operator == Operator::Subtract), right));
                    first = left;
                }
                self.sum(first, dtype, bound.clone(), is_negative);
                for (is_negative, term) in rest.into_iter().rev() {
                    self.sum(term, dtype, bound.clone(), is_negative);
                }
            }
            Tree::Reduce(Reduction::Sum, over, inner) => self.sum(inner, dtype, [bound, over.clone()].concat(), is_negative),
            body => {
                let mut bound = bound;
                let body = self.body(&smooth(body, dtype, self.is_variable), dtype, Some(&mut bound));
                let body = if is_negative { negated(body) } else { body };
                self.terms.push(Term { bound, weight: None, body, spectral: Vec::new() });
            }
        }
    }

    /// Element-wise work without reductions. A sum that is a factor of the whole term, which `bound` tells, sums the term.
    fn body(&mut self, tree: &Tree<'a>, dtype: Dtype, mut bound: Option<&mut Vec<usize>>) -> Tree<'a> {
        match tree {
            Tree::Operand(..) | Tree::Constant(_) => tree.clone(),
            Tree::Negate(inner) => negated(self.body(inner, dtype, bound)),
            Tree::Binary(Operator::Multiply, left, right) => {
                let left = self.body(left, dtype, bound.as_deref_mut());
                binary(Operator::Multiply, left, self.body(right, dtype, bound))
            }
            Tree::Binary(Operator::Divide, left, right) => {
                let left = self.body(left, dtype, bound);
                binary(Operator::Divide, left, self.body(right, dtype, None))
            }
            Tree::Binary(operator @ (Operator::Add | Operator::Subtract), left, right) => {
                let left = self.body(left, dtype, None);
                binary(*operator, left, self.body(right, dtype, None))
            }
            Tree::Reduce(Reduction::Sum, over, inner) if bound.is_some() => {
                let own = bound.as_deref_mut().expect("it was looked at");
                if over.iter().any(|label| own.contains(label)) {
                    return self.apart(tree, dtype);
                }
                own.extend(over);
                self.body(inner, dtype, bound)
            }
            Tree::Reduce(..) => self.apart(tree, dtype),
            Tree::Cast(inner_dtype, inner) => Tree::Cast(*inner_dtype, Box::new(self.body(inner, *inner_dtype, None))),
            other => other.with_parts(|part| self.body(part, dtype, None)),
        }
    }

    /// A reduction as a value of its own, over the labels that it keeps.
    fn apart(&mut self, tree: &Tree<'a>, dtype: Dtype) -> Tree<'a> {
        let mut kept = Vec::new();
        tree.free_labels(&mut kept);
        kept.sort_unstable();
        kept.dedup();
        let value = match tree {
            Tree::Reduce(Reduction::Product, over, body) => self.product(over, body, &kept, dtype),
            _ => self.labels.value(tree.clone(), kept.clone(), dtype),
        };
        Tree::Operand(value, labels(kept))
    }

    /// A product over labels as products of two halves, until one element is left.
    fn product(&mut self, over: &[usize], body: &Tree<'a>, kept: &[usize], dtype: Dtype) -> Link<Value<'a>> {
        let all = [kept, over].concat();
        let factors = self.labels.value(body.clone(), all, dtype);
        let own: Vec<usize> = kept.iter().map(|&label| self.labels.extents[label]).collect();
        let count: usize = over.iter().map(|&label| self.labels.extents[label]).product();
        let with = |extent: usize| [&own[..], &[extent]].concat();
        if count == 0 {
            return constant(1.0, &own, dtype);
        }
        let padded = count.next_power_of_two();
        let mut factors = reshaped(&factors, &with(count));
        if padded > count {
            let ones = constant(1.0, &with(padded), dtype);
            factors = written(Some(&ones), &with(padded), labels(0..own.len() + 1), &factors);
        }
        let mut extent = padded;
        while extent > 1 {
            extent /= 2;
            let half = |start| {
                let mut axes = labels(0..own.len());
                axes.push(Axis::Label { label: own.len(), start });
                Tree::Operand(Link::clone(&factors), axes)
            };
            let tree = binary(Operator::Multiply, half(0), half(extent));
            factors = Labels::numbered(&with(extent)).value(tree, (0..own.len() + 1).collect(), dtype);
        }
        reshaped(&factors, &own)
    }

    /// A maximum or minimum: the elements that reach it share its derivative.
    ///
    /// Which ones do is a comparison and a value of its own. A difference would be no number where the maximum is infinite, and may be
    /// computed without the rounding of the product in it; a sum that is computed in double precision would compare the body in double
    /// precision with a maximum in single precision.
    fn extremum(&mut self, value: &Link<Value<'a>>, (over, body): (&[usize], &Tree<'a>), axes: &[usize]) {
        let (compared, body) = (self.body(body, value.dtype, None), smooth(body, value.dtype, self.is_variable));
        let body = self.body(&body, value.dtype, None);
        let reached = Tree::Operand(Link::clone(value), labels(axes.iter().copied()));
        let reaches = Condition::Compare(Comparison::Equal, Box::new([compared, reached]));
        let reaches = Tree::Select(reaches, Box::new([number(1.0), number(0.0)]));
        let all = [axes, over].concat();
        let reaches = Tree::Operand(self.labels.value(reaches, all.clone(), value.dtype), labels(all));
        let count = self.labels.value(sum(over.to_vec(), reaches.clone()), axes.to_vec(), value.dtype);
        let share = binary(Operator::Divide, number(1.0), Tree::Operand(count, labels(axes.iter().copied())));
        let weight = binary(Operator::Multiply, reaches, share);
        self.terms.push(Term { bound: over.to_vec(), weight: Some(weight), body, spectral: Vec::new() });
    }
}
