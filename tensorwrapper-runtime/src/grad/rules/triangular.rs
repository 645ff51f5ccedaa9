//! Factors with triangles: Cholesky, QR and LQ.

use tensorwrapper_notation::syntax::Role;

use super::super::build::{labels, written};
use super::matrix::Call;
use super::parts::Parts;
use crate::expr::{Axis, Value};
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// 1 below the diagonal and, of it, `diagonal`.
pub(super) fn lower<'a>(call: &Call<'_, 'a>, n: usize, diagonal: f64) -> Result<Link<Value<'a>>, Error> {
    call.mask(n, n, |i, j| {
        if i > j {
            1.0
        } else if i == j {
            diagonal
        } else {
            0.0
        }
    })
}

/// ½(X + Xᴴ)
pub(super) fn hermitian<'a>(call: &Call<'_, 'a>, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
    call.value("[..i, j] = 0.5 * X[..i, j] + 0.5 * conj(X[..j, i])", &[("X", x)])
}

/// S = ½(A + Aᴴ) = L·Lᴴ. With P the lower triangle of LᴴG, its diagonal halved: ½·L⁻ᴴ·(P + Pᴴ)·L⁻¹.
pub(super) fn reverse_cholesky<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(g) = &weights[0] else { return Ok(vec![None]) };
    let l = &call.results[0];
    let half = lower(call, call.extent(Role::Row), 0.5)?;
    let p = call.value("[..i, j] = H[i, j] * conj(L[..k, i]) * G[..k, j]", &[("H", &half), ("L", l), ("G", g)])?;
    let p = hermitian(call, &p)?;
    let solve = |right: &Link<Value<'a>>| {
        call.value("[..i, j] = triangular_solve(conj(L[..i, k]), R[..k, j]; upper)", &[("L", l), ("R", right)])
    };
    let half_done = call.value("[..i, j] = conj(X[..j, i])", &[("X", &solve(&p)?)])?;
    Ok(vec![Some(call.value("[..i, j] = conj(X[..j, i])", &[("X", &solve(&half_done)?)])?)])
}

/// dL = L·Φ(L⁻¹·dS·L⁻ᴴ), Φ the lower triangle with its diagonal halved.
pub(super) fn forward_cholesky<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None]) };
    let l = &call.results[0];
    let half = lower(call, call.extent(Role::Row), 0.5)?;
    let solve =
        |right: &Link<Value<'a>>| call.value("[..k, j] = triangular_solve(L[..i, k], R[..i, j])", &[("L", l), ("R", right)]);
    let first = solve(&hermitian(call, da)?)?;
    let both = solve(&call.value("[..i, j] = conj(X[..j, i])", &[("X", &first)])?)?;
    let text = "[..i, j] = L[..i, k] * H[k, j] * conj(M[..j, k])";
    Ok(vec![Some(call.value(text, &[("L", l), ("H", &half), ("M", &both)])?)])
}

/// The factors Q and R of a matrix, and its rule where it has at least as many rows as columns.
struct Orthogonal<'c, 'v, 'a> {
    call: &'c Call<'c, 'a>,
    q: &'v Link<Value<'a>>,
    r: &'v Link<Value<'a>>,
    columns: usize,
}

impl<'a> Orthogonal<'_, '_, 'a> {
    /// `X·R⁻ᴴ`
    fn over_adjoint(&self, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        // R·Yᴴ = Xᴴ
        let text = "[..k, i] = triangular_solve(R[..r, k], X[..r, i]; upper)";
        let adjoint = self.call.value("[..r, i] = conj(X[..i, r])", &[("X", x)])?;
        let solved = self.call.value(text, &[("R", self.r), ("X", &adjoint)])?;
        self.call.value("[..i, k] = conj(X[..k, i])", &[("X", &solved)])
    }

    /// `X·R⁻¹`
    fn over(&self, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        // Rᵀ·Yᵀ = Xᵀ
        let text = "[..r, i] = triangular_solve(R[..r, k], X[..i, k])";
        let solved = self.call.value(text, &[("R", self.r), ("X", x)])?;
        self.call.value("[..i, r] = Y[..r, i]", &[("Y", &solved)])
    }

    /// (GQ + Q·M)·R⁻ᴴ, M the lower triangle of R·GRᴴ - GQᴴ·Q, mirrored.
    fn reverse(&self, gq: &Link<Value<'a>>, gr: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
        let (call, q, r) = (self.call, self.q, self.r);
        let text = "[..i, j] = R[..i, k] * conj(H[..j, k]) - conj(G[..k, i]) * Q[..k, j]";
        let m = call.value(text, &[("R", r), ("H", gr), ("G", gq), ("Q", q)])?;
        let half = lower(call, self.columns, 0.5)?;
        let below = call.value("[..i, j] = H[i, j] * M[..i, j]", &[("H", &half), ("M", &m)])?;
        let text = "[..i, j] = G[..i, j] + Q[..i, k] * M[..k, j] + Q[..i, k] * conj(M[..j, k])";
        self.over_adjoint(&call.value(text, &[("G", gq), ("Q", q), ("M", &below)])?)
    }

    /// With C = Qᴴ·dA·R⁻¹ and Ω its antihermitian part below the diagonal, mirrored: dQ = dA·R⁻¹ - Q·(C - Ω), dR = (C - Ω)·R.
    fn forward(&self, da: &Link<Value<'a>>) -> Result<[Link<Value<'a>>; 2], Error> {
        let (call, q, r) = (self.call, self.q, self.r);
        let ratio = self.over(da)?;
        let c = call.value("[..i, j] = conj(Q[..k, i]) * X[..k, j]", &[("Q", q), ("X", &ratio)])?;
        let half = lower(call, self.columns, 0.5)?;
        // C - Ω: the upper triangle of C plus that of the mirrored lower one; of the diagonal the real part.
        let upper = "[..i, j] = C[..i, j] - H[i, j] * C[..i, j] + H[j, i] * conj(C[..j, i])";
        let upper = call.value(upper, &[("C", &c), ("H", &half)])?;
        let dq = call.value("[..i, j] = X[..i, j] - Q[..i, k] * U[..k, j]", &[("X", &ratio), ("Q", q), ("U", &upper)])?;
        let dr = call.value("[..i, j] = U[..i, k] * R[..k, j]", &[("U", &upper), ("R", r)])?;
        Ok([dq, dr])
    }
}

/// The weight of A for those of its factors, and the changes of the factors, in terms of rows and columns. A wide A = [X, Y] has the
/// factors Q and [U, V], with X = Q·U and V = Qᴴ·Y.
fn reverse_factors<'a>(
    call: &Call<'_, 'a>,
    [a, q, r]: [&Link<Value<'a>>; 3],
    [gq, gr]: [&Link<Value<'a>>; 2],
) -> Result<Link<Value<'a>>, Error> {
    let (rows, columns) = extents(a);
    if rows >= columns {
        return Orthogonal { call, q, r, columns }.reverse(gq, gr);
    }
    let square = call.value(&format!("[..i, j] = R[..i, j in 0..{rows}]"), &[("R", r)])?;
    let of_square = call.value(&format!("[..i, j] = G[..i, j in 0..{rows}]"), &[("G", gr)])?;
    let rest = format!("[..i, j] = Q[..i, k] * G[..k, j in {rows}..{columns}]");
    let rest = call.value(&rest, &[("Q", q), ("G", gr)])?;
    let text = format!("[..i, k] = G[..i, k] + A[..i, j in {rows}..{columns}] * conj(H[..k, j in {rows}..{columns}])");
    let gq = call.value(&text, &[("G", gq), ("A", a), ("H", gr)])?;
    let first = Orthogonal { call, q, r: &square, columns: rows }.reverse(&gq, &of_square)?;
    Ok(joined(call, [&first, &rest], false))
}

fn forward_factors<'a>(
    call: &Call<'_, 'a>,
    [a, q, r]: [&Link<Value<'a>>; 3],
    da: &Link<Value<'a>>,
) -> Result<[Link<Value<'a>>; 2], Error> {
    let (rows, columns) = extents(a);
    if rows >= columns {
        return Orthogonal { call, q, r, columns }.forward(da);
    }
    let square = call.value(&format!("[..i, j] = R[..i, j in 0..{rows}]"), &[("R", r)])?;
    let of_square = call.value(&format!("[..i, j] = D[..i, j in 0..{rows}]"), &[("D", da)])?;
    let [dq, du] = Orthogonal { call, q, r: &square, columns: rows }.forward(&of_square)?;
    let text =
        format!("[..i, j] = conj(P[..k, i]) * A[..k, j in {rows}..{columns}] + conj(Q[..k, i]) * D[..k, j in {rows}..{columns}]");
    let dv = call.value(&text, &[("P", &dq), ("A", a), ("Q", q), ("D", da)])?;
    let dr = joined(call, [&du, &dv], false);
    Ok([dq, dr])
}

fn extents(matrix: &Link<Value<'_>>) -> (usize, usize) {
    match matrix.extents[..] {
        [.., rows, columns] => (rows, columns),
        _ => unreachable!("rules see matrices"),
    }
}

/// Two matrices, one below or beside the other.
pub(super) fn joined<'a>(call: &Call<'_, 'a>, [first, other]: [&Link<Value<'a>>; 2], is_rows: bool) -> Link<Value<'a>> {
    let batch = call.batch.len();
    let axis = batch + usize::from(!is_rows);
    let own = first.extents[axis];
    let mut extents = first.extents.clone();
    extents[axis] += other.extents[axis];
    let before = written(None, &extents, labels(0..batch + 2), first);
    let mut axes = labels(0..batch + 2);
    axes[axis] = Axis::Label { label: axis, start: own };
    written(Some(&before), &extents, axes, other)
}

pub(super) fn reverse_qr<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let [q, r] = [&call.results[0], &call.results[1]];
    let (gq, gr) = (call.or_zeros(&weights[0], q), call.or_zeros(&weights[1], r));
    Ok(vec![Some(reverse_factors(call, [&call.arguments[0], q, r], [&gq, &gr])?)])
}

pub(super) fn forward_qr<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None, None]) };
    let [dq, dr] = forward_factors(call, [&call.arguments[0], &call.results[0], &call.results[1]], da)?;
    Ok(vec![Some(dq), Some(dr)])
}

pub(super) fn adjoint<'a>(call: &Call<'_, 'a>, x: &Link<Value<'a>>) -> Result<Link<Value<'a>>, Error> {
    call.value("[..j, i] = conj(X[..i, j])", &[("X", x)])
}

/// A = L·Q, so that Aᴴ has the factors Qᴴ and Lᴴ of QR.
pub(super) fn reverse_lq<'a>(call: &Call<'_, 'a>, weights: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let [l, q] = [&call.results[0], &call.results[1]];
    let turned = |x: &Link<Value<'a>>| adjoint(call, x);
    let (gl, gq) = (call.or_zeros(&weights[0], l), call.or_zeros(&weights[1], q));
    let (a, l, q, gl, gq) = (turned(&call.arguments[0])?, turned(l)?, turned(q)?, turned(&gl)?, turned(&gq)?);
    let weight = reverse_factors(call, [&a, &q, &l], [&gq, &gl])?;
    Ok(vec![Some(turned(&weight)?)])
}

pub(super) fn forward_lq<'a>(call: &Call<'_, 'a>, changes: &Parts<'a>) -> Result<Parts<'a>, Error> {
    let Some(da) = &changes[0] else { return Ok(vec![None, None]) };
    let turned = |x: &Link<Value<'a>>| adjoint(call, x);
    let (a, l, q) = (turned(&call.arguments[0])?, turned(&call.results[0])?, turned(&call.results[1])?);
    let [dq, dl] = forward_factors(call, [&a, &q, &l], &turned(da)?)?;
    Ok(vec![Some(turned(&dl)?), Some(turned(&dq)?)])
}
