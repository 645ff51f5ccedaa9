//! Phases of complex vectors: the largest component of each is real and positive, also when the vector changes.
//!
//! Rules of decompositions give the change dC of vectors at some phase. The vector's own phase changes by −φ, with φ = im(dC[k])/C[k] at
//! the largest component k, and what belongs to a row of V turns the other way. Functions that do not depend on phases do not notice.

use num_complex::Complex;

use super::super::build::{apply, converted, held, map, times};
use super::matrix::Call;
use crate::expr::{Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::backend::linear::phase_tolerance;
use tensorwrapper_core::element::dispatch;
use tensorwrapper_core::error::Error;

/// By which component the phases of complex vectors, the columns of a matrix, are told.
struct Phases<'a> {
    /// 1 at that component.
    pivots: Link<Value<'a>>,
    /// Its value, which is real.
    size: Link<Value<'a>>,
}

impl<'a> Phases<'a> {
    /// Nothing for real vectors, whose signs do not change, and where there are no vectors.
    fn of(call: &Call<'_, 'a>, vectors: &Link<Value<'a>>) -> Result<Option<Phases<'a>>, Error> {
        if !vectors.dtype.is_complex() || vectors.extents.contains(&0) {
            return Ok(None);
        }
        let rows = vectors.extents[call.batch.len()];
        let tolerance = dispatch!(vectors.dtype, T => phase_tolerance::<T>());
        let sizes = converted(&map(&held(vectors), |tree| apply(Unary::Abs, tree)), vectors.dtype.real());
        let most = call.value("[..n] = max(i; x[..i, n])", &[("x", &sizes)])?;
        // Of components that are equally large it is the first one.
        let text = format!("[..i, n] = select(x[..i, n] >= {:?} * m[..n]; iota[i], {rows})", 1.0 - tolerance);
        let places = call.value(&text, &[("x", &sizes), ("m", &most)])?;
        let first = call.value("[..n] = min(i; p[..i, n])", &[("p", &places)])?;
        let text = "[..i, n] = select(p[..i, n] == f[..n]; 1.0, 0.0)";
        let pivots = converted(&held(&call.value(text, &[("p", &places), ("f", &first)])?), vectors.dtype);
        let size = call.value("[..n] = E[..i, n] * re(C[..i, n])", &[("E", &pivots), ("C", vectors)])?;
        Ok(Some(Phases { pivots, size }))
    }
}

/// Takes the changes of vectors, and of rows that turn the other way, to the phases that these have.
pub(super) fn forward<'a>(
    call: &Call<'_, 'a>,
    vectors: &Link<Value<'a>>,
    change: &mut Link<Value<'a>>,
    rows: Option<(&Link<Value<'a>>, &mut Link<Value<'a>>)>,
) -> Result<(), Error> {
    let Some(Phases { pivots, size }) = Phases::of(call, vectors)? else { return Ok(()) };
    let named = [("E", &pivots), ("D", &*change), ("k", &size)];
    let phase = call.value("[..n] = E[..i, n] * im(D[..i, n]) / k[..n]", &named)?;
    let turn = imaginary(&phase);
    let named = [("D", &*change), ("C", vectors), ("f", &turn)];
    *change = call.value("[..i, n] = D[..i, n] - C[..i, n] * f[..n]", &named)?;
    if let Some((v, change)) = rows {
        let named = [("D", &*change), ("V", v), ("f", &turn)];
        *change = call.value("[..n, j] = D[..n, j] + V[..n, j] * f[..n]", &named)?;
    }
    Ok(())
}

/// The weight of vectors at whatever phase, for weights of these and of rows that turn the other way.
pub(super) fn reverse<'a>(
    call: &Call<'_, 'a>,
    vectors: &Link<Value<'a>>,
    weight: &Link<Value<'a>>,
    rows: Option<(&Link<Value<'a>>, &Link<Value<'a>>)>,
) -> Result<Link<Value<'a>>, Error> {
    let Some(Phases { pivots, size }) = Phases::of(call, vectors)? else { return Ok(Link::clone(weight)) };
    let mut total = call.value("[..n] = sum(i; im(conj(G[..i, n]) * C[..i, n]))", &[("G", weight), ("C", vectors)])?;
    if let Some((v, weight)) = rows {
        let own = call.value("[..n] = sum(j; im(conj(G[..n, j]) * V[..n, j]))", &[("G", weight), ("V", v)])?;
        total = call.value("[..n] = t[..n] - o[..n]", &[("t", &total), ("o", &own)])?;
    }
    let named = [("G", weight), ("E", &pivots), ("t", &imaginary(&total)), ("k", &size)];
    call.value("[..i, n] = G[..i, n] + E[..i, n] * t[..n] / k[..n]", &named)
}

/// A value times i.
fn imaginary<'a>(value: &Link<Value<'a>>) -> Link<Value<'a>> {
    map(value, |tree| times(Tree::Constant(Complex::I), tree))
}
