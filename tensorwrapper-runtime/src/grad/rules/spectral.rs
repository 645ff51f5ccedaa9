//! Functions of a matrix that are written by its eigenvalues or singular values: `C[p, n] * g[n] * conj(C[q, n])`.
//!
//! Where two values are equal, such a function has a derivative although the vectors have none: in place of the quotient of the
//! differences of g and e stands g'. The rules of the vectors leave these pairs out, and this file adds them. It was measured that taking
//! them as zero, the usual cure, gives wrong derivatives.

use std::sync::Arc;

use tensorwrapper_notation::syntax::{Factorisation, Operator};

use super::super::build::{labels, number, reshaped, times};
use super::super::normal::{Normal, Term};
use super::eigen::equal_pairs;
use super::matrix::Call;
use super::triangular::hermitian;
use crate::expr::{Axis, Factorised, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;

/// A term that is a function of a matrix.
#[derive(Debug)]
pub(in super::super) struct Spectral<'a> {
    pub(in super::super) call: Arc<Factorised<'a>>,
    /// Which result has the values.
    pub(in super::super) values: usize,
    /// The labels of the batch, of rows and of columns.
    pub(in super::super) axes: Vec<usize>,
    /// The function of the values, with the axes of the batch and of the values.
    pub(in super::super) function: Link<Value<'a>>,
}

/// A factor that is a result of an operation, perhaps conjugated.
struct Vectors<'t, 'a> {
    call: &'t Arc<Factorised<'a>>,
    result: usize,
    axes: Vec<usize>,
    is_conjugated: bool,
}

fn vectors<'t, 'a>(tree: &'t Tree<'a>) -> Option<Vectors<'t, 'a>> {
    let (tree, is_conjugated) = match tree {
        Tree::Apply(Unary::Conj, inner) => (&**inner, true),
        other => (other, false),
    };
    let Tree::Operand(value, axes) = tree else { return None };
    let Source::Factorised(call, result) = &value.source else { return None };
    let label = |axis: &Axis| if let Axis::Label { label, start: 0 } = axis { Some(*label) } else { None };
    Some(Vectors { call, result: *result, axes: axes.iter().map(label).collect::<Option<_>>()?, is_conjugated })
}

/// The factors of a product.
fn factors<'t, 'a>(tree: &'t Tree<'a>, found: &mut Vec<&'t Tree<'a>>, is_negative: &mut bool) {
    match tree {
        Tree::Binary(Operator::Multiply, left, right) => {
            factors(left, found, is_negative);
            factors(right, found, is_negative);
        }
        Tree::Negate(inner) => {
            *is_negative = !*is_negative;
            factors(inner, found, is_negative);
        }
        other => found.push(other),
    }
}

/// Whether a term of an equation is a function of a matrix.
pub(in super::super) fn find<'a>(form: &Normal<'a>, term: &Term<'a>, dtype: Dtype) -> Option<Spectral<'a>> {
    let [inner] = term.bound[..] else { return None };
    let (mut all, mut is_negative) = (Vec::new(), false);
    factors(&term.body, &mut all, &mut is_negative);
    let found: Vec<(usize, Vectors<'_, 'a>)> = all
        .iter()
        .enumerate()
        .filter_map(|(n, tree)| Some((n, vectors(tree)?)))
        .filter(|(_, one)| one.axes.contains(&inner))
        .collect();
    let pairs = found.iter().flat_map(|a| found.iter().map(move |b| (a, b)));
    let (left, right, values) = pairs.filter(|(a, b)| a.0 != b.0).find_map(|(a, b)| Some((a, b, is_pair(&a.1, &b.1, dtype)?)))?;
    let call = left.1.call;
    let batch = call.call.batch;
    let is_flat = call.call.roles.iter().all(|&axes| axes <= 1);
    let (row, column) = (left.1.axes[batch], right.1.axes[if values == 0 { batch } else { batch + 1 }]);
    let axes: Vec<usize> = left.1.axes[..batch].iter().copied().chain([row, column]).collect();
    let is_whole = right.1.axes[..batch] == axes[..batch]
        && axes.len() == form.axes.len()
        && form.axes.iter().all(|axis| axes.contains(axis));
    let rest: Vec<&Tree<'a>> =
        all.iter().enumerate().filter(|(n, _)| *n != left.0 && *n != right.0).map(|(_, tree)| *tree).collect();
    let mut of_rest = Vec::new();
    rest.iter().for_each(|tree| tree.labels(&mut of_rest));
    let is_function = of_rest.iter().all(|label| *label == inner || axes[..batch].contains(label));
    if !is_flat || !is_whole || !is_function || row == column {
        return None;
    }
    let sign = number(if is_negative { -1.0 } else { 1.0 });
    let function = rest.into_iter().fold(sign, |product, factor| times(product, factor.clone()));
    let kept = axes[..batch].iter().copied().chain([inner]).collect();
    Some(Spectral { call: Arc::clone(call), values, axes, function: form.labels.value(function, kept, dtype) })
}

/// The result that has the values, where two factors are the vectors of rows and columns.
fn is_pair(left: &Vectors<'_, '_>, right: &Vectors<'_, '_>, dtype: Dtype) -> Option<usize> {
    if !Arc::ptr_eq(left.call, right.call) || left.call.call.full {
        return None;
    }
    let batch = left.call.call.batch;
    let conjugates = !dtype.is_complex() || (!left.is_conjugated && right.is_conjugated);
    match (left.call.call.kind, left.result, right.result) {
        (Factorisation::Eigh, 1, 1) if left.call.arguments.len() == 1 && conjugates => {
            (left.axes[batch + 1] == right.axes[batch + 1]).then_some(0)
        }
        (Factorisation::Svd, 0, 2) if left.call.call.max.is_none() && left.call.call.tol.is_none() => {
            let is_plain = !dtype.is_complex() || !(left.is_conjugated || right.is_conjugated);
            (is_plain && left.axes[batch + 1] == right.axes[batch]).then_some(1)
        }
        _ => None,
    }
}

impl<'a> Spectral<'a> {
    /// The mean slope of the function for each pair of equal values, and 0 for all others.
    fn slopes(&self, flat: &Call<'_, 'a>, slope: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let equal = equal_pairs(flat, &flat.same(&flat.results[self.values]))?;
        flat.value("[..i, j] = 0.5 * z[..i, j] * (g[..i] + g[..j])", &[("z", &equal), ("g", slope)])
    }

    /// The vectors of rows as columns, and those of columns as rows.
    fn both(&self, flat: &Call<'_, 'a>) -> Result<[Link<Value<'a>>; 2], Error> {
        if self.values == 1 {
            return Ok([Link::clone(&flat.results[0]), Link::clone(&flat.results[2])]);
        }
        let c = &flat.results[1];
        Ok([Link::clone(c), flat.value("[..n, j] = conj(C[..j, n])", &[("C", c)])?])
    }

    /// What equal values add to the change of the term, as a matrix.
    pub(in super::super) fn forward(&self, slope: &Link<Value<'a>>, change: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let flat = Call::new(&self.call)?;
        let ([u, v], slopes) = (self.both(&flat)?, self.slopes(&flat, slope)?);
        let change = reshaped(change, &flat.arguments[0].extents);
        let change = if self.values == 0 { hermitian(&flat, &change)? } else { change };
        let text = "[..m, n] = conj(U[..i, m]) * D[..i, j] * conj(V[..n, j])";
        let inner = hermitian(&flat, &flat.value(text, &[("U", &u), ("D", &change), ("V", &v)])?)?;
        let text = "[..i, j] = U[..i, m] * z[..m, n] * P[..m, n] * V[..n, j]";
        flat.value(text, &[("U", &u), ("z", &slopes), ("P", &inner), ("V", &v)])
    }

    /// What equal values add to the weight of the operation's argument, for a weight of the term as a matrix.
    pub(in super::super) fn reverse(&self, slope: &Link<Value<'a>>, weight: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let flat = Call::new(&self.call)?;
        let ([u, v], slopes) = (self.both(&flat)?, self.slopes(&flat, slope)?);
        let text = "[..m, n] = conj(z[..m, n]) * conj(U[..i, m]) * G[..i, j] * conj(V[..n, j])";
        let inner = flat.value(text, &[("z", &slopes), ("U", &u), ("G", weight), ("V", &v)])?;
        let inner = hermitian(&flat, &inner)?;
        let found = flat.value("[..i, j] = U[..i, m] * P[..m, n] * V[..n, j]", &[("U", &u), ("P", &inner), ("V", &v)])?;
        Ok(reshaped(&found, &self.call.arguments[0].extents))
    }

    /// A value with the equation's axes as a matrix behind the batch.
    pub(in super::super) fn as_matrix(&self, form: &Normal<'a>, value: &Link<Value<'a>>) -> Link<Value<'a>> {
        let tree = Tree::Operand(Link::clone(value), labels(form.axes.iter().copied()));
        form.labels.value(tree, self.axes.clone(), value.dtype)
    }
}
