//! Functions of a matrix by the functions of a larger one, traces and norms.
//!
//! f([[A, E], [0, A]]) has the derivative of f at A along E as its upper right block (N. J. Higham, "Functions of Matrices" (2008),
//! theorem 3.6). The adjoint is the derivative at Aᴴ.

use tensorwrapper_notation::syntax::{Factorisation, Role};

use super::super::build::{apply, binary, converted, labels, map, whole, written};
use super::matrix::Call;
use super::parts::Parts;
use crate::expr::{Axis, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::error::Error;
use tensorwrapper_notation::syntax::Operator;

/// The derivative of the operation's function at a matrix along a change.
fn derivative<'a>(call: &Call<'_, 'a>, a: &Link<Value<'a>>, change: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
    let (n, batch) = (call.extent(Role::Row), call.batch.len());
    let extents: Vec<usize> = call.batch.iter().copied().chain([2 * n, 2 * n]).collect();
    let at = |row: usize, column: usize| {
        let mut axes = labels(0..batch);
        axes.extend([(batch, row), (batch + 1, column)].map(|(label, start)| Axis::Label { label, start }));
        axes
    };
    let block = written(None, &extents, at(0, 0), a);
    let block = written(Some(&block), &extents, at(n, n), a);
    let block = written(Some(&block), &extents, at(0, n), change);
    let text = match call.call.kind {
        Factorisation::Matpow => format!("[..i, j] = matpow(i, j; A[..i, j], {})", call.call.exponent),
        _ => "[..i, j] = expm(i, j; A[..i, j])".to_string(),
    };
    let all = call.value(&text, &[("A", &block)])?;
    call.value(&format!("[..i, j] = X[..i in 0..{n}, j in {n}..{}]", 2 * n), &[("X", &all)])
}

pub(super) fn reverse<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None]) };
    let adjoint = call.value("[..j, i] = conj(A[..i, j])", &[("A", &call.arguments[0])])?;
    Ok(vec![Some(derivative(call, &adjoint, g)?)])
}

pub(super) fn forward<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None]) };
    Ok(vec![Some(derivative(call, &call.arguments[0], da)?)])
}

/// A divided by its norm, and 0 for zero.
fn direction<'a>(call: &Call<'_, 'a>) -> Result<Link<Value<'a>>, Error> {
    let norm = &call.results[0];
    let is_zero = apply(Unary::IsZero, whole(norm));
    let divisor = map(norm, |tree| binary(Operator::Add, tree, is_zero));
    call.value("[..i] = A[..i] / n[..]", &[("A", &call.arguments[0]), ("n", &call.same(&divisor))])
}

/// G·A/‖A‖
pub(super) fn reverse_norm<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None]) };
    let direction = direction(call)?;
    Ok(vec![Some(call.value("[..i] = A[..i] * g[..]", &[("A", &direction), ("g", &call.same(g))])?)])
}

/// re⟨A, dA⟩/‖A‖
pub(super) fn forward_norm<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None]) };
    let change = call.value("[..] = conj(A[..i]) * D[..i]", &[("A", &direction(call)?), ("D", da)])?;
    Ok(vec![Some(converted(&change, call.results[0].dtype))])
}

/// G on the diagonal.
pub(super) fn reverse_trace<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None]) };
    let n = call.extent(Role::Row);
    let own = call.identity(n)?;
    Ok(vec![Some(call.value("[..i, j] = I[i, j] * g[..]", &[("I", &own), ("g", g)])?)])
}

pub(super) fn forward_trace<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None]) };
    Ok(vec![Some(call.value("[..] = D[..i, i]", &[("D", da)])?)])
}
