//! LU factors, Pᵀ·A = L·U.
//!
//! With n the smaller extent, the first n rows and columns of Pᵀ·A have the rule of square matrices ([`Square`]). Further rows are
//! L₂ = A₂·U⁻¹, further columns U₂ = L⁻¹·A₂, and change by the product rule.

use tensorwrapper_notation::syntax::Role;

use super::matrix::Call;
use super::parts::Parts;
use super::triangular::{adjoint, joined, lower};
use crate::expr::Value;
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// The leading square of the matrix, and its factors.
struct Square<'c, 'v, 'a> {
    call: &'c Call<'c, 'a>,
    n: usize,
    l: &'v Link<Value<'a>>,
    u: &'v Link<Value<'a>>,
}

impl<'a> Square<'_, '_, 'a> {
    /// L⁻ᴴ·X
    fn by_adjoint_of_l(&self, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let text = "[..i, j] = triangular_solve(conj(L[..i, k]), X[..k, j]; upper, unit)";
        self.call.value(text, &[("L", self.l), ("X", x)])
    }

    /// X·U⁻ᴴ = (U⁻¹·Xᴴ)ᴴ
    fn by_adjoint_of_u(&self, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let turned = adjoint(self.call, x)?;
        let named = [("U", self.u), ("X", &turned)];
        let solved = self.call.value("[..k, i] = triangular_solve(U[..j, k], X[..j, i]; upper)", &named)?;
        adjoint(self.call, &solved)
    }

    /// L⁻¹·X
    fn by_l(&self, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        self.call.value("[..k, j] = triangular_solve(L[..q, k], X[..q, j]; unit)", &[("L", self.l), ("X", x)])
    }

    /// (X·U⁻¹)ᵀ: M·U = X is Uᵀ·Mᵀ = Xᵀ.
    fn by_u_transposed(&self, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        self.call.value("[..k, i] = triangular_solve(U[..k, j], X[..i, j])", &[("U", self.u), ("X", x)])
    }

    /// L⁻ᴴ·(strictly lower(Lᴴ·GL) + upper(GU·Uᴴ))·U⁻ᴴ
    fn reverse(&self, gl: &Link<Value<'a>>, gu: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let Square { call, n, l, u } = *self;
        let below = lower(call, n, 0.0)?;
        let text = "[..i, j] = S[i, j] * conj(L[..k, i]) * G[..k, j]";
        let first = call.value(text, &[("S", &below), ("L", l), ("G", gl)])?;
        let other = call.value("[..i, j] = H[..i, k] * conj(U[..j, k])", &[("H", gu), ("U", u)])?;
        let text = "[..i, j] = F[..i, j] + O[..i, j] - S[i, j] * O[..i, j]";
        let middle = call.value(text, &[("F", &first), ("O", &other), ("S", &below)])?;
        self.by_adjoint_of_u(&self.by_adjoint_of_l(&middle)?)
    }

    /// With M = L⁻¹·dA·U⁻¹: dL = L·strictly lower(M), dU = upper(M)·U.
    fn forward(&self, da: &Link<Value<'a>>) -> Result<[Link<Value<'a>>; 2], Error> {
        let Square { call, n, l, u } = *self;
        let m = self.by_u_transposed(&self.by_l(da)?)?;
        let below = lower(call, n, 0.0)?;
        let dl = call.value("[..i, j] = L[..i, k] * S[k, j] * M[..j, k]", &[("L", l), ("S", &below), ("M", &m)])?;
        let text = "[..i, j] = M[..k, i] * U[..k, j] - S[i, k] * M[..k, i] * U[..k, j]";
        let du = call.value(text, &[("M", &m), ("U", u), ("S", &below)])?;
        Ok([dl, du])
    }
}

/// The first n rows or columns of a matrix, and the others.
fn split<'a>(call: &Call<'_, 'a>, x: &Link<Value<'a>>, (n, is_rows): (usize, bool)) -> Result<[Link<Value<'a>>; 2], Error> {
    let end = x.extents[call.batch.len() + usize::from(!is_rows)];
    let text = |range: String| match is_rows {
        true => format!("[..i, j] = X[..i in {range}, j]"),
        false => format!("[..i, j] = X[..i, j in {range}]"),
    };
    Ok([call.value(&text(format!("0..{n}")), &[("X", x)])?, call.value(&text(format!("{n}..{end}")), &[("X", x)])?])
}

/// The weight of A for weights of L and U.
pub(super) fn reverse_lu<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let [rows, columns] = [call.extent(Role::Row), call.extent(Role::Column)];
    let n = rows.min(columns);
    let [p, l, u] = [&call.results[0], &call.results[1], &call.results[2]];
    let (gl, gu) = (call.or_zeros(&weights[1], l), call.or_zeros(&weights[2], u));
    let of_rows = if rows > n {
        let ([l, l2], [gl, gl2]) = (split(call, l, (n, true))?, split(call, &gl, (n, true))?);
        let square = Square { call, n, l: &l, u };
        let other = square.by_adjoint_of_u(&gl2)?;
        let text = "[..r, j] = G[..r, j] - conj(L[..q, r]) * X[..q, j]";
        let gu = call.value(text, &[("G", &gu), ("L", &l2), ("X", &other)])?;
        joined(call, [&square.reverse(&gl, &gu)?, &other], true)
    } else if columns > n {
        let ([u, u2], [gu, gu2]) = (split(call, u, (n, false))?, split(call, &gu, (n, false))?);
        let square = Square { call, n, l, u: &u };
        let other = square.by_adjoint_of_l(&gu2)?;
        let text = "[..q, r] = G[..q, r] - X[..q, j] * conj(U[..r, j])";
        let gl = call.value(text, &[("G", &gl), ("X", &other), ("U", &u2)])?;
        joined(call, [&square.reverse(&gl, &gu)?, &other], false)
    } else {
        Square { call, n, l, u }.reverse(&gl, &gu)?
    };
    Ok(vec![Some(call.value("[..i, j] = P[..i, q] * X[..q, j]", &[("P", p), ("X", &of_rows)])?)])
}

/// The changes of L and U for a change of A. The order of the rows is constant.
pub(super) fn forward_lu<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None, None, None]) };
    let [rows, columns] = [call.extent(Role::Row), call.extent(Role::Column)];
    let n = rows.min(columns);
    let [p, l, u] = [&call.results[0], &call.results[1], &call.results[2]];
    let ordered = call.value("[..q, j] = P[..i, q] * D[..i, j]", &[("P", p), ("D", da)])?;
    let [dl, du] = if rows > n {
        let ([l, l2], [d, d2]) = (split(call, l, (n, true))?, split(call, &ordered, (n, true))?);
        let square = Square { call, n, l: &l, u };
        let [dl, du] = square.forward(&d)?;
        let text = "[..q, j] = D[..q, j] - L[..q, r] * E[..r, j]";
        let rest = call.value(text, &[("D", &d2), ("L", &l2), ("E", &du)])?;
        let other = call.value("[..q, r] = M[..r, q]", &[("M", &square.by_u_transposed(&rest)?)])?;
        [joined(call, [&dl, &other], true), du]
    } else if columns > n {
        let ([u, u2], [d, d2]) = (split(call, u, (n, false))?, split(call, &ordered, (n, false))?);
        let square = Square { call, n, l, u: &u };
        let [dl, du] = square.forward(&d)?;
        let text = "[..q, j] = D[..q, j] - E[..q, r] * U[..r, j]";
        let other = square.by_l(&call.value(text, &[("D", &d2), ("E", &dl), ("U", &u2)])?)?;
        [dl, joined(call, [&du, &other], false)]
    } else {
        Square { call, n, l, u }.forward(&ordered)?
    };
    Ok(vec![None, Some(dl), Some(du)])
}
