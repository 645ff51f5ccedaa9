//! Singular values.
//!
//! Phases of vectors are told by a convention; `phases.rs` has its derivative. A truncated decomposition is differentiated by all values
//! and then cut: the kept vectors turn into those that are discarded.

use super::super::build::{added, constant, converted, labels, written};
use super::eigen::{are_mixed, inverse_gaps, values_of};
use super::matrix::Call;
use super::parts::{Parts, no_derivative};
use super::phases;
use crate::expr::Value;
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// All factors of a matrix A = U·diag(s)·V, and what the rules divide by.
struct Factors<'a> {
    u: Link<Value<'a>>,
    /// In elements of the matrix's type.
    s: Link<Value<'a>>,
    v: Link<Value<'a>>,
    /// `1 / (s[j] - s[i])`, and 0 where these are equal.
    gaps: Link<Value<'a>>,
    /// `1 / (s[j] + s[i])`, and 0 where both are zero.
    sums: Link<Value<'a>>,
    /// `1 / s[i]`, and 0 for zero.
    inverse: Link<Value<'a>>,
}

impl<'a> Factors<'a> {
    fn new(call: &Call<'_, 'a>, is_strict: bool) -> Result<Factors<'a>, Error> {
        if call.call.tol.is_some() {
            return Err(no_derivative("`svd` with a tolerance, whose results depend on elements in number"));
        }
        let all = match call.call.max {
            None => call.results.clone(),
            Some(_) => call.values("([..i, r], [..r], [..r, j]) = svd(i, j; A[..i, j])", &[("A", &call.arguments[0])])?,
        };
        let [u, s, v] = [0, 1, 2].map(|n| Link::clone(&all[n]));
        let s = call.same(&s);
        // Between two values of which neither is kept nothing changes.
        let kept = call.results[1].extents[call.batch.len()];
        let gaps = if is_strict { call.distinct_gaps(&s, Some(kept))? } else { inverse_gaps(call, &s)? };
        let sums = call.value("[..i, j] = 1[i] * s[..j] + s[..i] * 1[j]", &[("s", &s)])?;
        let sums = call.inverse_gaps(&sums, &call.largest(&s)?)?;
        let inverse = inverse_values(call, &s)?;
        Ok(Factors { u, s, v, gaps, sums, inverse })
    }
}

/// `1 / s`, and 0 where s is zero up to rounding.
fn inverse_values<'a>(call: &Call<'_, 'a>, s: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
    let as_matrix = call.value("[..i, j] = s[..i] * Z[j]", &[("s", s), ("Z", &constant(1.0, &[1], s.dtype))])?;
    let inverse = call.inverse_gaps(&as_matrix, &call.largest(s)?)?;
    call.value("[..i] = F[..i, 0]", &[("F", &inverse)])
}

/// A number for each state, equal for states whose values vanish and for no others.
fn vanishing<'a>(call: &Call<'_, 'a>, factors: &Factors<'a>) -> Result<Link<Value<'a>>, Error> {
    let n = *factors.s.extents.last().expect("values are a vector");
    let numbers = call.mask(n, 1, |i, _| i as f64 + 1.0)?;
    call.value("[..n] = s[..n] * t[..n] * N[n, 0]", &[("s", &factors.s), ("t", &factors.inverse), ("N", &numbers)])
}

/// Weights of cut results as weights of all results.
fn widened<'a>(call: &Call<'_, 'a>, factors: &Factors<'a>, weights: &Parts<'a>) -> [Option<Link<Value<'a>>>; 3] {
    let into = |weight: &Option<Link<Value<'a>>>, all: &Link<Value<'a>>| {
        weight.as_ref().map(|weight| match weight.extents == all.extents {
            true => Link::clone(weight),
            false => written(None, &all.extents, labels(0..all.extents.len()), weight),
        })
    };
    let s = weights[1].as_ref().map(|weight| call.same(weight));
    [into(&weights[0], &factors.u), into(&s, &factors.s), into(&weights[2], &factors.v)]
}

/// With Y = UᴴGU and X = V·GVᴴ, antihermitian parts marked by ': U·(diag(gs) + F₋∘(Y + X)' + F₊∘(Y - X)')·V, where F₋ = 1/(s[j] - s[i])
/// and F₊ = 1/(s[j] + s[i]), and (1 - U·Uᴴ)·GU·S⁻¹·V + U·S⁻¹·GV·(1 - Vᴴ·V) besides.
pub(super) fn reverse<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    // Weights of the values that depend on the vectors would add a term between equal values which these do not tell.
    let all = Factors::new(call, are_mixed(call, weights))?;
    let [gu, gs, gv] = widened(call, &all, weights);
    let (u, v, t) = (&all.u, &all.v, &all.inverse);
    let mut parts: Vec<Link<Value<'a>>> = Vec::new();
    if let Some(gs) = &gs {
        let gs = &call.same_for_equal(gs, &all.s)?;
        parts.push(call.value("[..i, j] = U[..i, n] * g[..n] * V[..n, j]", &[("U", u), ("g", gs), ("V", v)])?);
    }
    if gu.is_some() || gv.is_some() {
        let gv = call.or_zeros(&gv, v);
        let gu = phases::reverse(call, u, &call.or_zeros(&gu, u), Some((v, &gv)))?;
        let y = call.value("[..m, n] = conj(U[..i, m]) * G[..i, n]", &[("U", u), ("G", &gu)])?;
        let x = call.value("[..m, n] = V[..m, j] * conj(G[..n, j])", &[("V", v), ("G", &gv)])?;
        let both = call.value("[..m, n] = Y[..m, n] + X[..m, n]", &[("Y", &y), ("X", &x)])?;
        let both = call.antihermitian(&both, &all.s)?;
        let apart = call.value("[..m, n] = Y[..m, n] - X[..m, n]", &[("Y", &y), ("X", &x)])?;
        let apart = call.hermitian_between_equal(&apart, &vanishing(call, &all)?);
        let text = "[..m, n] = F[..m, n] * B[..m, n] \
                    + 0.5 * P[..m, n] * (A[..m, n] - conj(A[..n, m]))";
        let middle = call.value(text, &[("F", &all.gaps), ("B", &both), ("P", &all.sums), ("A", &apart)])?;
        let text = "[..i, j] = U[..i, m] * Z[..m, n] * V[..n, j]";
        parts.push(call.value(text, &[("U", u), ("Z", &middle), ("V", v)])?);
        let text = "[..i, j] = G[..i, n] * t[..n] * V[..n, j] - U[..i, m] * Y[..m, n] * t[..n] * V[..n, j]";
        parts.push(call.value(text, &[("G", &gu), ("t", t), ("V", v), ("U", u), ("Y", &y)])?);
        let text = "[..i, j] = U[..i, n] * t[..n] * G[..n, j] - U[..i, n] * t[..n] * conj(X[..m, n]) * V[..m, j]";
        parts.push(call.value(text, &[("U", u), ("t", t), ("G", &gv), ("X", &x), ("V", v)])?);
    }
    Ok(vec![added(parts)])
}

/// With H and K the Hermitian and antihermitian parts of P = Uᴴ·dA·Vᴴ: ds = diag(H), dU = U·(F₋∘H + F₊∘K) + (1 - U·Uᴴ)·dA·Vᴴ·S⁻¹, and the
/// same for Vᴴ with -K.
pub(super) fn forward<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>, is_symmetric: bool) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None; call.results.len()]) };
    let all = Factors::new(call, true)?;
    let (u, v, t) = (&all.u, &all.v, &all.inverse);
    let p = call.value("[..m, n] = conj(U[..i, m]) * D[..i, j] * conj(V[..n, j])", &[("U", u), ("D", da), ("V", v)])?;
    let h = call.value("[..m, n] = 0.5 * P[..m, n] + 0.5 * conj(P[..n, m])", &[("P", &p)])?;
    let ds = values_of(call, &h, &all.s, is_symmetric)?;
    let named = [("F", &all.gaps), ("P", &p), ("Q", &all.sums)];
    let text = "[..m, n] = 0.5 * F[..m, n] * (P[..m, n] + conj(P[..n, m])) + 0.5 * Q[..m, n] * (P[..m, n] - conj(P[..n, m]))";
    let of_u = call.value(text, &named)?;
    let text = "[..m, n] = 0.5 * F[..m, n] * (P[..m, n] + conj(P[..n, m])) - 0.5 * Q[..m, n] * (P[..m, n] - conj(P[..n, m]))";
    let of_v = call.value(text, &named)?;
    let text = "[..i, n] = U[..i, m] * W[..m, n] + D[..i, j] * conj(V[..n, j]) * t[..n] - U[..i, m] * P[..m, n] * t[..n]";
    let mut du = call.value(text, &[("U", u), ("W", &of_u), ("D", da), ("V", v), ("t", t), ("P", &p)])?;
    let text = "[..n, j] = conj(W[..m, n]) * V[..m, j] + t[..n] * conj(U[..i, n]) * D[..i, j] - t[..n] * P[..n, m] * V[..m, j]";
    let mut dv = call.value(text, &[("W", &of_v), ("V", v), ("t", t), ("U", u), ("D", da), ("P", &p)])?;
    phases::forward(call, u, &mut du, Some((v, &mut dv)))?;
    let kept = call.results[1].extents[call.batch.len()];
    let ds = converted(&ds, call.results[1].dtype);
    let mut found = [du, ds, dv];
    if kept < all.s.extents[call.batch.len()] {
        let texts = ["[..i, r] = X[..i, r in 0..K]", "[..r] = X[..r in 0..K]", "[..r, j] = X[..r in 0..K, j]"];
        for (part, text) in found.iter_mut().zip(texts) {
            *part = call.value(&text.replace('K', &kept.to_string()), &[("X", &*part)])?;
        }
    }
    Ok(found.map(Some).into_iter().chain(call.results.iter().skip(3).map(|_| None)).collect())
}
