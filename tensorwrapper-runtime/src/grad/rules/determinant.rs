//! Determinants, and the adjugates that are their derivatives.
//!
//! The adjugate is a polynomial of the matrix. It is computed from singular values, which makes it right for singular matrices, too; its
//! derivative is written without the changes of the vectors, which need not exist. With A = U·S·V and M = Uᴴ·dA·Vᴴ, adj(S) changes
//! by `Σ_k W[r, k]·M[k, k]` on the diagonal and by `−W[r, q]·M[r, q]` beside it, where W[r, q] is the product of all singular values but
//! those two. Source: J. R. Magnus, H. Neudecker, "Matrix Differential Calculus", 3rd ed. (2019), §8.6.

use std::sync::Arc;

use tensorwrapper_notation::syntax::{Factorisation, Role};

use super::super::build::{converted, held};
use super::matrix::Call;
use super::parts::Parts;
use crate::expr::{Factorised, Source, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Decomposition;
use tensorwrapper_core::error::Error;

/// The singular vectors of a matrix, its singular values in elements of its type, and the product of the vectors' determinants.
struct Factors<'a> {
    u: Link<Value<'a>>,
    s: Link<Value<'a>>,
    v: Link<Value<'a>>,
    phase: Link<Value<'a>>,
}

impl<'a> Factors<'a> {
    fn of(call: &Call<'_, 'a>, a: &Link<Value<'a>>) -> Result<Factors<'a>, Error> {
        let factors = call.values("([..i, r], [..r], [..r, j]) = svd(i, j; A[..i, j])", &[("A", a)])?;
        let [u, s, v] = [Link::clone(&factors[0]), call.same(&factors[1]), Link::clone(&factors[2])];
        let left = call.value("[..] = det(i, r; U[..i, r])", &[("U", &u)])?;
        let right = call.value("[..] = det(r, j; V[..r, j])", &[("V", &v)])?;
        let phase = call.value("[..] = d[..] * e[..]", &[("d", &left), ("e", &right)])?;
        Ok(Factors { u, s, v, phase })
    }
}

/// The adjugate of the matrix, of which the determinant's change is tr(adj(A)·dA).
fn adjugate<'a>(call: &Call<'_, 'a>) -> Result<Link<Value<'a>>, Error> {
    let a = &call.arguments[0];
    let n = call.extent(Role::Row);
    let Factors { u, s, v, phase } = Factors::of(call, &held(a))?;
    let own = call.identity(n)?;
    let others = call.value("[..r, q] = S[..q] * (1 - I[r, q]) + I[r, q] * 1[..q]", &[("S", &s), ("I", &own)])?;
    let products = call.value("[..r] = prod(q; X[..r, q])", &[("X", &others)])?;
    let text = "[..j, i] = d[..] * conj(V[..r, j]) * P[..r] * conj(U[..i, r])";
    let found = call.value(text, &[("V", &v), ("d", &phase), ("P", &products), ("U", &u)])?;
    let known = Decomposition::plain(Factorisation::Adjugate, call.batch.len(), [1, 1, 1, 0, 0, 0]);
    let extents = call.batch.iter().copied().chain([n, n, n]).collect();
    let own = found.extents.clone();
    let source = Source::Factorised(Arc::new(Factorised { call: known, extents, arguments: vec![found, Link::clone(a)] }), 0);
    Ok(Link::new(Value { extents: own, dtype: a.dtype, source }))
}

/// The products of all singular values but two, and 0 where the two are the same one.
fn without_two<'a>(call: &Call<'_, 'a>, s: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
    let own = call.identity(call.extent(Role::Row))?;
    let named = [("S", s), ("I", &own)];
    let text = "[..r, q, p] = 1[..r, q, p] + (1 - I[r, p]) * (1 - I[q, p]) * (S[..p] * 1[r, q] - 1[..p, r, q])";
    let others = call.value(text, &named)?;
    let products = call.value("[..r, q] = prod(p; X[..r, q, p])", &[("X", &others)])?;
    call.value("[..r, q] = (1 - I[r, q]) * P[..r, q]", &[("I", &own), ("P", &products)])
}

/// The change of adj(S) for a change M of the diagonal matrix S. It is its own adjoint.
fn of_diagonal<'a>(call: &Call<'_, 'a>, w: &Link<Value<'a>>, m: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
    let own = call.identity(call.extent(Role::Row))?;
    let sums = call.value("[..r] = W[..r, k] * M[..k, k]", &[("W", w), ("M", m)])?;
    let named = [("I", &own), ("T", &sums), ("W", w), ("M", m)];
    call.value("[..r, q] = I[r, q] * T[..r] - W[..r, q] * M[..r, q]", &named)
}

/// The weight of the matrix for a weight of its adjugate.
pub(super) fn reverse_adjugate<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None, None]) };
    let Factors { u, s, v, phase } = Factors::of(call, &call.arguments[1])?;
    let named = [("d", &phase), ("V", &v), ("G", g), ("U", &u)];
    let inner = call.value("[..r, q] = conj(d[..]) * V[..r, j] * G[..j, i] * U[..i, q]", &named)?;
    let inner = of_diagonal(call, &without_two(call, &s)?, &inner)?;
    let weight = call.value("[..i, j] = U[..i, r] * K[..r, q] * V[..q, j]", &[("U", &u), ("K", &inner), ("V", &v)])?;
    Ok(vec![None, Some(weight)])
}

/// The change of the adjugate for a change of the matrix.
pub(super) fn forward_adjugate<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[1] else { return Ok(vec![None]) };
    let Factors { u, s, v, phase } = Factors::of(call, &call.arguments[1])?;
    let named = [("U", &u), ("D", da), ("V", &v)];
    let inner = call.value("[..r, q] = conj(U[..i, r]) * D[..i, j] * conj(V[..q, j])", &named)?;
    let inner = of_diagonal(call, &without_two(call, &s)?, &inner)?;
    let named = [("d", &phase), ("V", &v), ("K", &inner), ("U", &u)];
    Ok(vec![Some(call.value("[..j, i] = d[..] * conj(V[..r, j]) * K[..r, q] * conj(U[..i, q])", &named)?)])
}

/// G·conj(adj(A))ᵀ
pub(super) fn reverse_det<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None]) };
    let adjugate = adjugate(call)?;
    Ok(vec![Some(call.value("[..i, j] = g[..] * conj(C[..j, i])", &[("C", &adjugate), ("g", g)])?)])
}

/// tr(adj(A)·dA)
pub(super) fn forward_det<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None]) };
    let adjugate = adjugate(call)?;
    Ok(vec![Some(call.value("[..] = C[..j, i] * D[..i, j]", &[("C", &adjugate), ("D", da)])?)])
}

fn inverse<'a>(call: &Call<'_, 'a>) -> Result<Link<Value<'a>>, Error> {
    call.value("[..j, i] = inv(i, j; A[..i, j])", &[("A", &call.arguments[0])])
}

/// With t = tr(A⁻¹·dA), the logarithm changes by re t and the sign by sign·i·im t.
pub(super) fn reverse_slogdet<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let mut weight = weights[1].as_ref().map(|log| call.same(log));
    if let Some(sign) = weights[0].as_ref().filter(|_| call.dtype.is_complex()) {
        let turned = call.value("[..] = conj(s[..]) * g[..]", &[("s", &call.results[0]), ("g", sign)])?;
        let imaginary = call.value("[..] = t[..] - re(t[..])", &[("t", &turned)])?;
        weight = Some(match weight {
            Some(log) => call.value("[..] = p[..] + q[..]", &[("p", &log), ("q", &imaginary)])?,
            None => imaginary,
        });
    }
    let Some(weight) = weight else { return Ok(vec![None]) };
    let inverse = inverse(call)?;
    Ok(vec![Some(call.value("[..i, j] = g[..] * conj(Y[..j, i])", &[("Y", &inverse), ("g", &weight)])?)])
}

pub(super) fn forward_slogdet<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None, None]) };
    let inverse = inverse(call)?;
    let trace = call.value("[..] = Y[..j, i] * D[..i, j]", &[("Y", &inverse), ("D", da)])?;
    let log = converted(&trace, call.results[1].dtype);
    if !call.dtype.is_complex() {
        return Ok(vec![None, Some(log)]);
    }
    let sign = call.value("[..] = s[..] * (t[..] - re(t[..]))", &[("s", &call.results[0]), ("t", &trace)])?;
    Ok(vec![Some(sign), Some(log)])
}
