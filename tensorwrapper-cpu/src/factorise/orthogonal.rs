//! Orthogonal factors of matrices of up to 8 rows and columns: loops over columns of constant length, and nothing but those in
//! memory.
//!
//! Sources: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013): §5.2.2 Householder's QR, §8.6.3 Jacobi's singular
//! values from one side; J. Demmel, K. Veselić, "Jacobi's method is more accurate than QR", SIAM J. Matrix Anal. Appl. 13, 1204
//! (1992), for when it has converged.

use num_complex::Complex;

use super::small::{MOST, by_order, from, size};
use tensorwrapper_core::backend::linear::{Matrix, Svd, epsilon, part_size};
use tensorwrapper_core::element::{Dtype, Element};

/// Rounds over all pairs of columns after which the iteration is given up.
const ROUNDS: usize = 40;

/// The part of the longest column that is no column any more.
const NOTHING: f64 = 1e-85;

/// As many columns as there may be.
pub(super) type Columns<T, const R: usize> = [[T; R]; MOST];

pub(super) fn is_small<T>(a: &Matrix<T>) -> bool {
    (1..=MOST).contains(&a.rows) && (1..=MOST).contains(&a.columns)
}

/// See [`Algorithms::qr`](tensorwrapper_core::backend::linear::Algorithms::qr).
pub(super) fn qr<T: Element>(mut a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>) {
    let inner = if full { a.rows } else { a.rows.min(a.columns) };
    let mut q = Matrix::zeros(a.rows, inner);
    by_order!(a.rows, qr_in(&mut a.data, &mut q.data));
    (q, a)
}

fn qr_in<T: Element, const R: usize>(a: &mut [T], q: &mut [T]) {
    qr_of::<T, R>(a.as_chunks_mut().0, q.as_chunks_mut().0);
}

/// U, s and V of a matrix that is small; nothing where it is not, or where the iteration does not end.
pub(super) fn svd<T: Element>(a: &Matrix<T>) -> Option<Svd<T>> {
    if !is_small(a) {
        return None;
    }
    if a.rows < a.columns {
        let (u, s, v) = svd(&a.adjoint())?;
        return Some((v.adjoint(), s, u.adjoint()));
    }
    let (mut u, mut v) = (a.clone(), Matrix::zeros(a.columns, a.columns));
    let values = by_order!(a.rows, svd_in(&mut u.data, &mut v.data))?;
    Some((u, values[..a.columns].iter().map(|&s| T::Real::from_complex(s.into())).collect(), v))
}

fn svd_in<T: Element, const R: usize>(a: &mut [T], v: &mut [T]) -> Option<[f64; MOST]> {
    let a = a.as_chunks_mut::<R>().0;
    let mut rows = [[T::ZERO; MOST]; MOST];
    let values = svd_of(a, &mut rows)?;
    for (n, row) in rows[..a.len()].iter().enumerate() {
        for (j, &x) in row[..a.len()].iter().enumerate() {
            v[j * a.len() + n] = x;
        }
    }
    Some(values)
}

/// vᴴ·x
#[inline(always)]
fn dot<T: Element, const R: usize>(v: &[T; R], x: &[T; R]) -> T {
    let mut dot = T::ZERO;
    for i in 0..R {
        dot += v[i].conj() * x[i];
    }
    dot
}

/// The same, in double precision: what is orthogonal is told by digits that a single one has not.
#[inline(always)]
fn overlap_of<T: Element, const R: usize>(v: &[T; R], x: &[T; R]) -> Complex<f64> {
    if T::DTYPE.real() == Dtype::F64 {
        return dot(v, x).to_complex();
    }
    let mut dot = Complex::ZERO;
    for i in 0..R {
        dot += v[i].to_complex().conj() * x[i].to_complex();
    }
    dot
}

#[inline(always)]
fn square<T: Element, const R: usize>(x: &[T; R]) -> f64 {
    let mut sum = 0.0;
    for i in 0..R {
        sum += size(x[i]);
    }
    sum
}

/// x − v·(vᴴ·x)·scale
#[inline(always)]
fn reflect<T: Element, const R: usize>(v: &[T; R], scale: T, x: &mut [T; R]) {
    let dot = dot(v, x) * scale;
    for i in 0..R {
        x[i] = x[i] - v[i] * dot;
    }
}

/// Replaces the columns of a matrix by those of R, whatever stands below its diagonal, and makes the columns of Q.
pub(super) fn qr_of<T: Element, const R: usize>(a: &mut [[T; R]], q: &mut [[T; R]]) {
    let least = R.min(a.len());
    let (mut vectors, mut scales) = ([[T::ZERO; R]; MOST], [T::ZERO; MOST]);
    for k in 0..least {
        let v = &mut vectors[k];
        // In parts of the largest, and then of the length, of which neither squares nor reciprocals leave the range.
        let unit = a[k][k..].iter().map(|&x| part_size(x)).fold(0.0, f64::max);
        let part = |i: usize| a[k][i].to_complex() / unit;
        let below: f64 = (k + 1..R).map(|i| part(i).norm_sqr()).sum();
        if unit == 0.0 || below == 0.0 {
            continue;
        }
        let first = part(k);
        let length = (first.norm_sqr() + below).sqrt();
        let phase = if first.norm_sqr() == 0.0 { T::ONE } else { T::from_complex(first / first.norm()) };
        for i in k..R {
            v[i] = T::from_complex(part(i) / length);
        }
        v[k] += phase;
        // 2/|v|², |v|² = 2·(1 + |first|/length).
        scales[k] = from(1.0 / (1.0 + first.norm() / length));
        for column in &mut a[k..] {
            reflect(v, scales[k], column);
        }
    }
    for (n, column) in q.iter_mut().enumerate() {
        *column = std::array::from_fn(|i| if i == n { T::ONE } else { T::ZERO });
        for k in (0..least).rev() {
            reflect(&vectors[k], scales[k], column);
        }
    }
}

/// Replaces the columns of a matrix, not more than its rows, by those of U, and makes the rows of V; the singular values descend.
/// Nothing where the iteration does not end.
pub(super) fn svd_of<T: Element, const R: usize>(a: &mut [[T; R]], rows: &mut Columns<T, MOST>) -> Option<[f64; MOST]> {
    let count = a.len();
    // The columns of Vᴴ's adjoint, by which A is multiplied.
    let mut v: Columns<T, MOST> = std::array::from_fn(|j| std::array::from_fn(|i| if i == j { T::ONE } else { T::ZERO }));
    rotate(a, &mut v)?;
    let mut squares = [0.0; MOST];
    for n in 0..count {
        squares[n] = square(&a[n]);
    }
    let mut order: [usize; MOST] = std::array::from_fn(|n| n);
    for n in 1..count {
        for m in (1..=n).rev() {
            if squares[order[m]] <= squares[order[m - 1]] {
                break;
            }
            order.swap(m, m - 1);
        }
    }
    let longest = squares[order[0]].sqrt();
    let (mut values, mut u) = ([0.0; MOST], [[T::ZERO; R]; MOST]);
    for n in 0..count {
        let from_column = order[n];
        let length = squares[from_column].sqrt();
        for i in 0..count {
            rows[n][i] = v[from_column][i].conj();
        }
        if length > longest * NOTHING {
            values[n] = length;
            // Not by a reciprocal in the elements' type, which may be too large for it.
            for i in 0..R {
                u[n][i] = T::from_complex(a[from_column][i].to_complex() / length);
            }
        } else {
            complete(&mut u, n);
        }
    }
    a.copy_from_slice(&u[..count]);
    Some(values)
}

/// Rotates pairs of columns until all are orthogonal, as far as their own lengths allow to tell.
fn rotate<T: Element, const R: usize>(a: &mut [[T; R]], v: &mut Columns<T, MOST>) -> Option<()> {
    let (count, tolerance) = (a.len(), 8.0 * epsilon::<T>());
    let longest = a.iter().map(square).fold(0.0, f64::max).sqrt();
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for p in 0..count {
            for q in p + 1..count {
                let (first, second) = (square(&a[p]), square(&a[q]));
                let least = longest * NOTHING;
                if first <= least * least || second <= least * least {
                    continue;
                }
                let both = overlap_of(&a[p], &a[q]);
                let overlap = both.norm();
                if overlap.is_nan() || overlap <= tolerance * first.sqrt() * second.sqrt() {
                    continue;
                }
                is_done = false;
                let zeta = (second - first) / (2.0 * overlap);
                let tangent = 1f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                let phase = both.conj() / overlap;
                let rotation = [
                    from(cosine),
                    T::from_complex(phase * (cosine * tangent)),
                    from(cosine * tangent),
                    T::from_complex(phase * cosine),
                ];
                let [one, other] = a.get_disjoint_mut([p, q]).ok()?;
                rotate_pair(one, other, rotation);
                let [one, other] = v.get_disjoint_mut([p, q]).ok()?;
                rotate_pair(one, other, rotation);
            }
        }
        if is_done {
            return Some(());
        }
    }
    None
}

/// Replaces x by c·x − s·y, and y by s'·x + c'·y.
#[inline(always)]
fn rotate_pair<T: Element, const R: usize>(x: &mut [T; R], y: &mut [T; R], [c, s, other_s, other_c]: [T; 4]) {
    for i in 0..R {
        let (one, other) = (x[i], y[i]);
        x[i] = c * one - s * other;
        y[i] = other_s * one + other_c * other;
    }
}

/// Makes column `n` orthogonal to those before it: of the unit vectors the one that they leave the most of.
fn complete<T: Element, const R: usize>(u: &mut Columns<T, R>, n: usize) {
    let mut best = [T::ZERO; R];
    for unit in 0..R {
        let mut column: [T; R] = std::array::from_fn(|i| if i == unit { T::ONE } else { T::ZERO });
        // Twice, since once leaves rounding of the parts taken out.
        for _ in 0..2 {
            for before in &u[..n] {
                reflect(before, T::ONE, &mut column);
            }
        }
        if square(&column) > square(&best) * 1.5 {
            best = column;
        }
    }
    let inverse = from::<T>(1.0 / square(&best).sqrt());
    u[n] = best.map(|x| x * inverse);
}
