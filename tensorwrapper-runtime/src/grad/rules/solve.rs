//! Systems of equations and inverses.

use tensorwrapper_notation::syntax::{Factorisation, Role};

use super::matrix::Call;
use super::parts::Parts;
use crate::expr::Value;
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// The text of the system's operation, for a matrix whose triangle is the other one where `adjoint` says so.
fn operation(call: &Call<'_, '_>, adjoint: bool) -> (&'static str, &'static str) {
    if call.call.kind == Factorisation::Solve {
        return ("solve", "");
    }
    let options = match (call.call.upper != adjoint, call.call.unit) {
        (true, true) => "; upper, unit",
        (true, false) => "; upper",
        (false, true) => "; unit",
        (false, false) => "",
    };
    ("triangular_solve", options)
}

/// 1 where the system reads its matrix.
fn read<'a>(call: &Call<'_, 'a>) -> Result<Link<Value<'a>>, Error> {
    let (triangular, upper, unit) = (call.call.kind == Factorisation::TriangularSolve, call.call.upper, call.call.unit);
    let is_read = move |i: usize, j: usize| !triangular || (i == j && !unit) || (upper && i < j) || (!upper && i > j);
    call.mask(call.extent(Role::Row), call.extent(Role::Column), |i, j| f64::from(u8::from(is_read(i, j))))
}

/// A·X = B: Y = A⁻ᴴ·G is the weight of B, and -Y·Xᴴ that of A.
pub(super) fn reverse<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None, None]) };
    let (name, options) = operation(call, true);
    let (a, x) = (&call.arguments[0], &call.results[0]);
    let y = call.value(&format!("[..i, s] = {name}(conj(A[..i, k]), G[..k, s]{options})"), &[("A", a), ("G", g)])?;
    let gradient = match call.call.kind {
        Factorisation::Solve => call.value("[..i, k] = -Y[..i, s] * conj(X[..k, s])", &[("Y", &y), ("X", x)])?,
        _ => {
            let read = read(call)?;
            call.value("[..i, k] = -T[i, k] * Y[..i, s] * conj(X[..k, s])", &[("T", &read), ("Y", &y), ("X", x)])?
        }
    };
    Ok(vec![Some(gradient), Some(y)])
}

/// dX = A⁻¹·(dB - dA·X)
pub(super) fn forward<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let (name, options) = operation(call, false);
    let (a, x) = (&call.arguments[0], &call.results[0]);
    let of_matrix = match &changes[0] {
        None => None,
        Some(da) if call.call.kind == Factorisation::Solve => {
            Some(call.value("[..i, s] = -D[..i, k] * X[..k, s]", &[("D", da), ("X", x)])?)
        }
        Some(da) => {
            let read = read(call)?;
            Some(call.value("[..i, s] = -T[i, k] * D[..i, k] * X[..k, s]", &[("T", &read), ("D", da), ("X", x)])?)
        }
    };
    let right = match (of_matrix, &changes[1]) {
        (Some(own), Some(db)) => call.value("[..i, s] = P[..i, s] + Q[..i, s]", &[("P", &own), ("Q", db)])?,
        (Some(own), None) => own,
        (None, Some(db)) => Link::clone(db),
        (None, None) => return Ok(vec![None]),
    };
    let text = format!("[..k, s] = {name}(A[..i, k], R[..i, s]{options})");
    Ok(vec![Some(call.value(&text, &[("A", a), ("R", &right)])?)])
}

/// Y = A⁻¹: -Yᴴ·G·Yᴴ
pub(super) fn reverse_inv<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None]) };
    let text = "[..i, j] = -conj(Y[..p, i]) * G[..p, q] * conj(Y[..j, q])";
    Ok(vec![Some(call.value(text, &[("Y", &call.results[0]), ("G", g)])?)])
}

/// dY = -Y·dA·Y
pub(super) fn forward_inv<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None]) };
    let text = "[..j, i] = -Y[..j, p] * D[..p, q] * Y[..q, i]";
    Ok(vec![Some(call.value(text, &[("Y", &call.results[0]), ("D", da)])?)])
}

/// The pseudo-inverse P of the argument, and the right side if there is one.
fn pseudo_inverse<'a>(call: &Call<'_, 'a>) -> Result<Link<Value<'a>>, Error> {
    if call.call.kind == Factorisation::Pinv {
        return Ok(Link::clone(&call.results[0]));
    }
    let text = match call.call.tol {
        Some(tol) => format!("[..j, i] = pinv(i, j; A[..i, j]; tol = {tol:e})"),
        None => "[..j, i] = pinv(i, j; A[..i, j])".to_string(),
    };
    call.value(&text, &[("A", &call.arguments[0])])
}

/// P = A⁺, at constant rank: -Pᴴ·G·Pᴴ + (1 - A·P)·Gᴴ·P·Pᴴ + Pᴴ·P·Gᴴ·(1 - P·A). The least squares solution is P·B.
pub(super) fn reverse_pinv<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let a = &call.arguments[0];
    let Some(g) = &weights[0] else { return Ok(call.arguments.iter().map(|_| None).collect()) };
    let p = &pseudo_inverse(call)?;
    let (g, of_right) = match call.arguments.get(1) {
        None => (Link::clone(g), None),
        Some(b) => (
            call.value("[..j, i] = G[..j, s] * conj(B[..i, s])", &[("G", g), ("B", b)])?,
            Some(call.value("[..i, s] = conj(P[..j, i]) * G[..j, s]", &[("P", p), ("G", g)])?),
        ),
    };
    let named = [("P", p), ("G", &g), ("A", a)];
    let first = call.value("[..i, j] = -conj(P[..m, i]) * G[..m, n] * conj(P[..j, n])", &named[..2])?;
    let rows = call.value("[..i, j] = conj(G[..k, i]) * P[..k, n] * conj(P[..j, n])", &[("G", &g), ("P", p)])?;
    let columns = call.value("[..i, j] = conj(P[..k, i]) * P[..k, n] * conj(G[..j, n])", &[("P", p), ("G", &g)])?;
    let text = "[..i, j] = F[..i, j] + R[..i, j] - A[..i, k] * P[..k, n] * R[..n, j] \
                + C[..i, j] - C[..i, m] * P[..m, n] * A[..n, j]";
    let all = call.value(text, &[("F", &first), ("R", &rows), ("C", &columns), ("A", a), ("P", p)])?;
    Ok([Some(all)].into_iter().chain(call.arguments.get(1).map(|_| of_right)).collect())
}

/// dP = -P·dA·P + P·Pᴴ·dAᴴ·(1 - A·P) + (1 - P·A)·dAᴴ·Pᴴ·P
pub(super) fn forward_pinv<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let (a, p) = (&call.arguments[0], &pseudo_inverse(call)?);
    let of_inverse = match &changes[0] {
        None => None,
        Some(d) => {
            let rows = call.value("[..j, i] = P[..j, n] * conj(P[..k, n]) * conj(D[..i, k])", &[("P", p), ("D", d)])?;
            let columns = call.value("[..j, i] = conj(D[..n, j]) * conj(P[..k, n]) * P[..k, i]", &[("D", d), ("P", p)])?;
            let text = "[..j, i] = -P[..j, m] * D[..m, n] * P[..n, i] + R[..j, i] - R[..j, m] * A[..m, n] * P[..n, i] \
                        + C[..j, i] - P[..j, m] * A[..m, n] * C[..n, i]";
            Some(call.value(text, &[("P", p), ("D", d), ("R", &rows), ("C", &columns), ("A", a)])?)
        }
    };
    let Some(b) = call.arguments.get(1) else { return Ok(vec![of_inverse]) };
    let change = match (of_inverse, &changes[1]) {
        (Some(dp), Some(db)) => {
            let named = [("Q", &dp), ("B", b), ("P", p), ("D", db)];
            Some(call.value("[..j, s] = Q[..j, i] * B[..i, s] + P[..j, i] * D[..i, s]", &named)?)
        }
        (Some(dp), None) => Some(call.value("[..j, s] = Q[..j, i] * B[..i, s]", &[("Q", &dp), ("B", b)])?),
        (None, Some(db)) => Some(call.value("[..j, s] = P[..j, i] * D[..i, s]", &[("P", p), ("D", db)])?),
        (None, None) => None,
    };
    Ok(vec![change])
}
