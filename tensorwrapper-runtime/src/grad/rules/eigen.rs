//! Eigenvalues and eigenvectors.
//!
//! Eigenvectors are determined up to a phase, which a convention tells; `phases.rs` has its derivative. Between states of equal
//! eigenvalues, where eigenvectors are not determined either, the derivative is taken as that of a function which does not depend on
//! their choice.

use std::sync::Arc;

use tensorwrapper_notation::syntax::{Factorisation, Role};

use super::super::build::{added, converted};
use super::matrix::Call;
use super::parts::Parts;
use super::phases;
use super::triangular::hermitian;
use crate::expr::{Reach, Source, Value};
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// `1 / (e[j] - e[i])`, and 0 where these are equal.
pub(super) fn inverse_gaps<'a>(call: &Call<'_, 'a>, e: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
    call.inverse_gaps(&call.differences(e)?, &call.largest(e)?)
}

/// C·Z·Cᴴ with Z = diag(ge) + F∘K, F = 1/(e[j] - e[i]) and K the antihermitian part of Y = Cᴴ·GC. The weight of a metric is
/// -C·(diag(ge·e) + ½(F∘K)∘(e[i] + e[j]) + ½L)·Cᴴ, L the Hermitian part of Y.
pub(super) fn reverse_eigh<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>, varies: &[bool]) -> Result<Parts<'a>, Error> {
    let (e, c) = (&call.same(&call.results[0]), &call.results[1]);
    let ge = call.same(&call.or_zeros(&weights[0], &call.results[0]));
    let ge = if weights[0].is_some() { call.same_for_equal(&ge, e)? } else { ge };
    let n = call.extent(Role::Row);
    let has_metric = varies.get(1) == Some(&true);
    let metric = |weight: Option<Link<Value<'a>>>| call.arguments.get(1).map(|_| weight);
    let Some(gc) = &weights[1] else {
        let weight = call.value("[..i, j] = C[..i, n] * g[..n] * conj(C[..j, n])", &[("C", c), ("g", &ge)])?;
        let text = "[..i, j] = -C[..i, n] * g[..n] * e[..n] * conj(C[..j, n])";
        let of_metric = has_metric.then(|| call.value(text, &[("C", c), ("g", &ge), ("e", e)])).transpose()?;
        return Ok([Some(weight)].into_iter().chain(metric(of_metric)).collect());
    };
    let gc = &phases::reverse(call, c, gc, None)?;
    let own = call.identity(n)?;
    let around =
        |middle: &Link<Value<'a>>| call.value("[..i, j] = C[..i, m] * Z[..m, n] * conj(C[..j, n])", &[("C", c), ("Z", middle)]);
    let y = call.value("[..i, j] = conj(C[..k, i]) * G[..k, j]", &[("C", c), ("G", gc)])?;
    let antihermitian = call.antihermitian(&y, e)?;
    // Weights of the values that depend on the vectors would add a term between equal values which these do not tell.
    let gaps = if are_mixed(call, weights) { call.distinct_gaps(e, None)? } else { inverse_gaps(call, e)? };
    let turned = call.value("[..i, j] = F[..i, j] * K[..i, j]", &[("F", &gaps), ("K", &antihermitian)])?;
    let named = [("Z", &turned), ("I", &own), ("g", &ge), ("e", e), ("Y", &y)];
    let z = call.value("[..i, j] = I[i, j] * g[..i] + Z[..i, j]", &named[..3])?;
    let text = "[..i, j] = -I[i, j] * g[..i] * e[..j] - 0.5 * Z[..i, j] * (e[..i] + e[..j]) \
                - 0.25 * Y[..i, j] - 0.25 * conj(Y[..j, i])";
    let of_metric = has_metric.then(|| around(&call.value(text, &named)?)).transpose()?;
    Ok([Some(around(&z)?)].into_iter().chain(metric(of_metric)).collect())
}

/// With M = Cᴴ·dA·C and N that of the metric: de = diag(M) - diag(N)·e, dC = C·W with W = F∘(M - N·diag(e)) - ½·diag(N).
/// Vectors of equal values have no change.
pub(super) fn forward_eigh<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>, is_symmetric: bool) -> Result<Parts<'a>, Error> {
    let (e, c) = (&call.same(&call.results[0]), &call.results[1]);
    let inner = |change: &Option<Link<Value<'a>>>| match change {
        None => Ok(call.or_zeros(&None, &call.arguments[0])),
        Some(change) => {
            let text = "[..m, n] = conj(C[..i, m]) * D[..i, j] * C[..j, n]";
            call.value(text, &[("C", c), ("D", &hermitian(call, change)?)])
        }
    };
    let (mut m, mut metric) = (inner(&changes[0])?, None);
    if let Some(change @ Some(_)) = changes.get(1) {
        let n = inner(change)?;
        m = call.value("[..i, j] = M[..i, j] - N[..i, j] * e[..j]", &[("M", &m), ("N", &n), ("e", e)])?;
        metric = Some(n);
    }
    let de = values_of(call, &m, e, is_symmetric)?;
    let gaps = call.distinct_gaps(e, None)?;
    let w = match &metric {
        None => call.value("[..i, j] = F[..i, j] * M[..i, j]", &[("F", &gaps), ("M", &m)])?,
        Some(metric) => {
            // Vectors stay normalised in the metric.
            let named = [("F", &gaps), ("M", &m), ("I", &call.identity(call.extent(Role::Row))?), ("N", metric)];
            call.value("[..i, j] = F[..i, j] * M[..i, j] - 0.5 * I[i, j] * N[..i, j]", &named)?
        }
    };
    let mut dc = call.value("[..i, n] = C[..i, m] * W[..m, n]", &[("C", c), ("W", &w)])?;
    phases::forward(call, c, &mut dc, None)?;
    Ok(vec![Some(converted(&de, call.results[0].dtype)), Some(dc)])
}

/// The change diag(M) of the values. Equal ones change by the eigenvalues of M between them, in no order: that is a derivative where M is a
/// multiple of the identity there, or where what reads them does not depend on their order.
pub(super) fn values_of<'a>(
    call: &Call<'_, 'a>,
    m: &Link<Value<'a>>,
    e: &Link<Value<'a>>,
    is_symmetric: bool,
) -> Result<Link<Value<'a>>, Error> {
    let de = call.value("[..n] = M[..n, n]", &[("M", m)])?;
    if is_symmetric {
        return Ok(de);
    }
    let n = *e.extents.last().expect("values are a vector");
    let signs = call.mask(n, n, |i, j| if i < j { 1.0 } else { f64::from(u8::from(i == j)) - f64::from(u8::from(i > j)) })?;
    // Antihermitian but for its diagonal, so that nothing but the diagonal may be left between equal values.
    let turned = call.value("[..i, j] = S[i, j] * M[..i, j]", &[("S", &signs), ("M", m)])?;
    let checked = call.value("[..n] = M[..n, n]", &[("M", &call.hermitian_between_equal(&turned, e))])?;
    call.same_for_equal(&checked, e)
}

/// Whether the weights of values depend on the vectors.
pub(super) fn are_mixed<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> bool {
    let values = usize::from(call.call.kind == Factorisation::Svd);
    let Some(of_values) = &weights[values] else { return false };
    let vectors: Vec<usize> = (0..call.recorded_results.len().min(3)).filter(|n| *n != values).collect();
    let reach = Reach::new(std::slice::from_ref(of_values));
    let is_read =
        |n: usize| call.recorded_results.get(n).is_some_and(|result| reach.values.iter().any(|value| is_same(value, result)));
    vectors.into_iter().any(is_read)
}

/// Whether two values are one result of an operation.
fn is_same(one: &Link<Value<'_>>, other: &Link<Value<'_>>) -> bool {
    match (&one.source, &other.source) {
        (Source::Factorised(one, n), Source::Factorised(other, m)) => n == m && Arc::ptr_eq(one, other),
        _ => false,
    }
}

/// The inverse of the eigenvectors.
fn inverse_vectors<'a>(call: &Call<'_, 'a>) -> Result<Link<Value<'a>>, Error> {
    call.value("[..n, i] = inv(i, n; V[..i, n])", &[("V", &call.results[1])])
}

/// V⁻ᴴ·(diag(ge) + conj(F)∘(VᴴGV - VᴴV·re diag(VᴴGV)))·Vᴴ: eigenvectors have norm 1. F = 1/(e[j] - e[i]), both different.
pub(super) fn reverse_eig<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let (e, v) = (&call.results[0], &call.results[1]);
    let inverse = inverse_vectors(call)?;
    let own = super::matrix::identity(v.dtype, call.extent(Role::Row))?;
    let mut z = None;
    if let Some(ge) = &weights[0] {
        let ge = call.same_for_equal(ge, e)?;
        z = Some(call.value("[..m, n] = I[m, n] * g[..m]", &[("I", &own), ("g", &ge)])?);
    }
    if let Some(gv) = &weights[1] {
        let gv = &phases::reverse(call, v, gv, None)?;
        let y = call.value("[..m, n] = conj(V[..k, m]) * G[..k, n]", &[("V", v), ("G", gv)])?;
        let norms = call.value("[..n] = re(Y[..n, n])", &[("Y", &y)])?;
        let text = "[..m, n] = Y[..m, n] - conj(V[..k, m]) * V[..k, n] * r[..n]";
        let y = call.value(text, &[("Y", &y), ("V", v), ("r", &norms)])?;
        let gaps = call.distinct_gaps(e, None)?;
        z = added(z.into_iter().chain([call.value("[..m, n] = conj(F[..m, n]) * Y[..m, n]", &[("F", &gaps), ("Y", &y)])?]));
    }
    let Some(z) = z else { return Ok(vec![None]) };
    let text = "[..i, j] = conj(W[..m, i]) * Z[..m, n] * conj(V[..j, n])";
    Ok(vec![Some(call.same(&call.value(text, &[("W", &inverse), ("Z", &z), ("V", v)])?))])
}

/// With M = V⁻¹·dA·V: de = diag(M), dV = V·(F∘M) without its part along V.
pub(super) fn forward_eig<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>, is_symmetric: bool) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None, None]) };
    let (e, v) = (&call.results[0], &call.results[1]);
    let (inverse, gaps) = (inverse_vectors(call)?, call.distinct_gaps(e, None)?);
    let da = converted(da, v.dtype);
    let text = "[..m, n] = W[..m, i] * D[..i, j] * V[..j, n]";
    let m = call.value(text, &[("W", &inverse), ("D", &da), ("V", v)])?;
    let of_values = if is_symmetric { Link::clone(&m) } else { call.between_distinct(&m, e) };
    let de = call.value("[..n] = M[..n, n]", &[("M", &of_values)])?;
    let free = call.value("[..i, n] = V[..i, m] * F[..m, n] * M[..m, n]", &[("V", v), ("F", &gaps), ("M", &m)])?;
    let along = call.value("[..n] = conj(V[..i, n]) * X[..i, n]", &[("V", v), ("X", &free)])?;
    let mut dv = call.value("[..i, n] = X[..i, n] - V[..i, n] * re(r[..n])", &[("X", &free), ("V", v), ("r", &along)])?;
    phases::forward(call, v, &mut dv, None)?;
    Ok(vec![Some(de), Some(dv)])
}

/// The adjoint of Y ↦ ½(Y - Yᴴ). Between equal values what this weighs is zero.
pub(super) fn reverse_gaps<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None, None]) };
    let text = "[..i, j] = 0.5 * G[..i, j] - 0.5 * conj(G[..j, i])";
    Ok(vec![Some(call.value(text, &[("G", g)])?), None])
}

/// The same of the change, which has to be zero between equal values, too.
pub(super) fn forward_gaps<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    Ok(vec![changes[0].as_ref().map(|change| call.antihermitian(change, &call.arguments[1])).transpose()?])
}
