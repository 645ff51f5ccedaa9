//! Factors of matrices in their conventions: the triangles' diagonals real and not negative, phases set, scales undone.

use std::sync::Arc;

use super::algorithms::{Algorithms, Svd};
use super::conventions::{conjugate_phase, normalise, phase, scale, set_column_phase, times_power};
use super::decomposition::Decomposition;
use super::failure::Failure;
use super::magnitude::{is_finite, norm};
use super::matrix::Matrix;
use super::part::{Part, Triangle};
use crate::element::Element;

/// A = L·Lᴴ.
pub(crate) fn cholesky<T: Element>(on: &dyn Algorithms<T>, mut a: Matrix<T>) -> Result<Matrix<T>, Failure> {
    if a.rows == 0 {
        return Ok(a);
    }
    on.cholesky(&mut a)?;
    for column in 0..a.columns {
        let rows = a.column_mut(column);
        rows[..column].fill(T::ZERO);
        // Real, whatever rounding has left in it.
        rows[column] = T::from_real(rows[column].re());
        // Of a matrix with infinity in it the diagonal has it as well, or is no number.
        if !is_finite(rows[column]) {
            return Err(Failure::Overflow);
        }
    }
    Ok(a)
}

/// A = Q·R, the diagonal of R real and not negative. Of the second matrix the upper triangle is R.
pub(crate) fn qr<T: Element>(on: &dyn Algorithms<T>, mut a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>) {
    let (rows, columns) = (a.rows, a.columns);
    if rows == 0 || columns == 0 {
        let inner = if full { rows } else { 0 };
        return (Matrix::unit(rows, inner), Matrix::zeros(inner, columns));
    }
    let exponent = normalise(on, &mut a, 1);
    let (mut q, mut r) = on.qr(a, full);
    let phase = |n: usize| if r.at(n, n) != T::ZERO { conjugate_phase(r.at(n, n)) } else { T::ONE };
    let phases: Vec<T> = (0..rows.min(columns)).map(phase).collect();
    if phases.iter().any(|&phase| phase != T::ONE) {
        // Of R no more is read.
        for column in 0..columns {
            let above = (column + 1).min(phases.len());
            r.column_mut(column)[..above].iter_mut().zip(&phases).for_each(|(x, &phase)| *x *= phase);
        }
    }
    for (n, phase) in phases.into_iter().enumerate() {
        if phase != T::ONE {
            q.scale_column(n, phase.conj());
        }
        *r.at_mut(n, n) = T::from_real(r.at(n, n).re());
    }
    scale(&mut r, exponent);
    (q, r)
}

/// A = U·diag(s)·V, the largest component of each column of U real and positive.
pub(crate) fn svd<T: Element>(on: &dyn Algorithms<T>, mut a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure> {
    let (rows, columns) = (a.rows, a.columns);
    if rows == 0 || columns == 0 {
        let square = |n: usize| Matrix::unit(if full { n } else { 0 }, if full { n } else { 0 });
        let (u, v) = if full { (square(rows), square(columns)) } else { (Matrix::zeros(rows, 0), Matrix::zeros(0, columns)) };
        return Ok((u, Vec::new(), v));
    }
    let exponent = normalise(on, &mut a, 1);
    let (u, s, v) = on.svd(a, full)?;
    Ok(in_phase(on, u, s, v, exponent))
}

/// Sets the phases of factors, and undoes a scale.
fn in_phase<T: Element>(on: &dyn Algorithms<T>, mut u: Matrix<T>, s: Vec<T::Real>, mut v: Matrix<T>, exponent: i32) -> Svd<T> {
    let mut phases = vec![T::ONE; v.rows];
    for n in 0..u.columns {
        let factor = set_column_phase(&mut u, n, &|column| on.largest_square(column));
        if let (Some(phase), Some(own)) = (factor, phases.get_mut(n).filter(|_| n < s.len())) {
            *own = phase.conj();
        }
    }
    // A row that belongs to no singular value has a phase of its own.
    for (n, own) in phases.iter_mut().enumerate().skip(s.len()) {
        let row: Vec<T> = (0..v.columns).map(|column| v.at(n, column)).collect();
        *own = phase(&row, &|row| on.largest_square(row)).map_or(T::ONE, |(_, phase)| phase);
    }
    v.scale_rows(&phases);
    (u, s.into_iter().map(|s| times_power(s, exponent)).collect(), v)
}

/// The factors. If some singular values were not computed, the root of the sum of their squares follows.
pub(crate) fn svd_parts<T: Element>(
    on: &dyn Algorithms<T>,
    call: &Decomposition,
    mut a: Matrix<T>,
) -> Result<Vec<Part<T>>, Failure> {
    if let Some(most) = call.max.filter(|&most| 0 < most && most < a.rows.min(a.columns)) {
        let exponent = normalise(on, &mut a, 1);
        if let Some((u, s, v)) = on.leading(&a, most) {
            let left = times_power(left(on, a, (&u, &s, &v)), exponent);
            let (u, s, v) = in_phase(on, u, s, v, exponent);
            return Ok(vec![Part::Same(u), Part::Real(Matrix::column_of(s)), Part::Same(v), Part::Real(Matrix::number(left))]);
        }
        scale(&mut a, exponent);
    }
    let (u, s, v) = svd(on, a, call.full)?;
    Ok(vec![Part::Same(u), Part::Real(Matrix::column_of(s)), Part::Same(v)])
}

/// The norm of A − U·diag(s)·V. The difference of two norms would lose the digits of what is small beside both.
fn left<T: Element>(on: &dyn Algorithms<T>, mut a: Matrix<T>, (u, s, v): (&Matrix<T>, &[T::Real], &Matrix<T>)) -> T::Real {
    let mut scaled = u.clone();
    s.iter().enumerate().for_each(|(n, &s)| scaled.scale_column(n, T::from_real(s)));
    let product = on.multiply(&scaled, v);
    a.data.iter_mut().zip(&product.data).for_each(|(x, &y)| *x = *x - y);
    norm(&a.data)
}

/// A = P·L·U: a permutation, ones on the diagonal of L and zeros above, zeros below the diagonal of U.
pub(crate) fn lu<T: Element>(on: &dyn Algorithms<T>, mut a: Matrix<T>, again: &dyn Fn() -> Matrix<T>) -> Vec<Part<T>> {
    let (rows, columns) = (a.rows, a.columns);
    let inner = rows.min(columns);
    let order = if inner == 0 { (0..rows).collect() } else { on.lu(&mut a, again) };
    let a = Arc::new(a);
    let lower = Triangle { upper: false, unit: true, rows, columns: inner };
    let upper = Triangle { upper: true, unit: false, rows: inner, columns };
    vec![Part::Permutation(order), Part::Triangle(Arc::clone(&a), lower), Part::Triangle(a, upper)]
}
