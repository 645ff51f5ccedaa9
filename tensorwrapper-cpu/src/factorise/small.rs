//! Matrices of up to 8 rows: loops over constant extents, which the compiler unrolls, and nothing but the matrix in memory. Eigenvalues of
//! matrices of up to 32 rows by the same loops over as many rows as a matrix has.
//!
//! Sources: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013): §4.2 Cholesky, §3.4 elimination with partial
//! pivoting, §8.3.1 reduction to a tridiagonal matrix; H. Bowdler, R. S. Martin, C. Reinsch, J. H. Wilkinson, "The QR and QL
//! algorithms for symmetric matrices", Numer. Math. 11, 293 (1968), for `tql2`.

use num_complex::Complex;

use crate::multiversion::{Loops, dispatch};
use crate::simd::Simd;
use tensorwrapper_core::backend::linear::{Failure, Matrix, part_size};
use tensorwrapper_core::element::Element;

/// The largest order.
pub(super) const MOST: usize = 8;

/// The largest order of matrices whose eigenvalues are computed here: beyond, what faer does in blocks is faster.
const MOST_OF_EIGH: usize = 32;

/// QL steps for one eigenvalue after which the iteration is given up.
const STEPS: usize = 50;

/// Squares that are larger have all their digits.
const SAFE: f64 = 1e-280;

/// A square matrix by columns.
pub(super) type Square<T, const N: usize> = [[T; N]; N];

/// Calls a function of a constant order.
macro_rules! by_order {
    ($order:expr, $function:ident($($argument:expr),*)) => {
        match $order {
            1 => $function::<_, 1>($($argument),*),
            2 => $function::<_, 2>($($argument),*),
            3 => $function::<_, 3>($($argument),*),
            4 => $function::<_, 4>($($argument),*),
            5 => $function::<_, 5>($($argument),*),
            6 => $function::<_, 6>($($argument),*),
            7 => $function::<_, 7>($($argument),*),
            8 => $function::<_, 8>($($argument),*),
            _ => unreachable!("only small matrices come here"),
        }
    };
}
pub(super) use by_order;

pub(super) fn is_small<T>(a: &Matrix<T>) -> bool {
    a.rows == a.columns && (1..=MOST).contains(&a.rows)
}

pub(super) fn cholesky<T: Element>(a: &mut Matrix<T>) -> Result<(), Failure> {
    by_order!(a.rows, cholesky_of(&mut a.data))
}

/// Whether eigenvalues of a matrix of so many rows are computed here.
pub(super) fn has_eigh(rows: usize) -> bool {
    (1..=MOST_OF_EIGH).contains(&rows)
}

pub(super) fn eigh<T: Element>(simd: Simd, a: &mut Matrix<T>) -> Result<Vec<T::Real>, Failure> {
    if a.rows > MOST {
        return dispatch(simd, Eigh(a));
    }
    by_order!(a.rows, values_of(&mut a.data))
}

fn values_of<T: Element, const N: usize>(data: &mut [T]) -> Result<Vec<T::Real>, Failure> {
    eigh_of::<T, N>(data).map(|values| values.to_vec())
}

pub(super) fn lu<T: Element>(a: &mut Matrix<T>) -> Vec<usize> {
    by_order!(a.rows, order_of(&mut a.data))
}

fn order_of<T: Element, const N: usize>(data: &mut [T]) -> Vec<usize> {
    lu_of::<T, N>(data).to_vec()
}

pub(super) fn solve_triangular<T: Element>(a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>) {
    by_order!(a.rows, solve_of(&a.data, upper, unit, &mut b.data))
}

fn load<T: Element, const N: usize>(data: &[T]) -> Square<T, N> {
    std::array::from_fn(|j| std::array::from_fn(|i| data[j * N + i]))
}

fn store<T: Element, const N: usize>(a: &Square<T, N>, data: &mut [T]) {
    data.copy_from_slice(a.as_flattened());
}

pub(super) fn real<T: Element>(x: T) -> f64 {
    x.to_complex().re
}

pub(super) fn from<T: Element>(x: f64) -> T {
    T::from_complex(x.into())
}

pub(super) fn size<T: Element>(x: T) -> f64 {
    x.to_complex().norm_sqr()
}

pub(super) fn cholesky_of<T: Element, const N: usize>(data: &mut [T]) -> Result<(), Failure> {
    let mut a = load::<T, N>(data);
    for k in 0..N {
        let pivot = real(a[k][k]);
        if pivot.is_nan() || pivot <= 0.0 {
            return Err(Failure::NotPositiveDefinite { pivot: k });
        }
        let root = pivot.sqrt();
        let inverse = from::<T>(1.0 / root);
        a[k][k] = from(root);
        for i in k + 1..N {
            a[k][i] *= inverse;
        }
        for j in k + 1..N {
            let factor = a[k][j].conj();
            for i in j..N {
                a[j][i] = a[j][i] - a[k][i] * factor;
            }
        }
    }
    store(&a, data);
    Ok(())
}

pub(super) fn lu_of<T: Element, const N: usize>(data: &mut [T]) -> [usize; N] {
    let mut a = load::<T, N>(data);
    let mut order: [usize; N] = std::array::from_fn(|n| n);
    for k in 0..N {
        let (mut pivot, mut largest) = (k, size(a[k][k]));
        for i in k + 1..N {
            let other = size(a[k][i]);
            if other > largest {
                (pivot, largest) = (i, other);
            }
        }
        // Squares vanish, and are infinite, where numbers are not.
        if largest < f64::MIN_POSITIVE || largest.is_infinite() {
            let Some(other) = (k..N).find(|&i| a[k][i] != T::ZERO) else { continue };
            pivot = (k..N).fold(other, |best, i| if real(a[k][i].abs()) > real(a[k][best].abs()) { i } else { best });
        }
        order.swap(k, pivot);
        for column in &mut a {
            column.swap(k, pivot);
        }
        let divisor = a[k][k];
        for i in k + 1..N {
            a[k][i] = a[k][i].quotient(divisor);
        }
        for j in k + 1..N {
            let factor = a[j][k];
            for i in k + 1..N {
                a[j][i] = a[j][i] - a[k][i] * factor;
            }
        }
    }
    store(&a, data);
    order
}

fn solve_of<T: Element, const N: usize>(data: &[T], upper: bool, unit: bool, right: &mut [T]) {
    let a = load::<T, N>(data);
    for b in right.as_chunks_mut().0 {
        solve_column(&a, upper, unit, b);
    }
}

/// Replaces one right side by the solution of a triangle.
#[inline(always)]
pub(super) fn solve_column<T: Element, const N: usize>(a: &Square<T, N>, upper: bool, unit: bool, x: &mut [T; N]) {
    if upper {
        for k in (0..N).rev() {
            x[k] = if unit { x[k] } else { x[k].quotient(a[k][k]) };
            for i in 0..k {
                x[i] = x[i] - a[k][i] * x[k];
            }
        }
    } else {
        for k in 0..N {
            x[k] = if unit { x[k] } else { x[k].quotient(a[k][k]) };
            for i in k + 1..N {
                x[i] = x[i] - a[k][i] * x[k];
            }
        }
    }
}

pub(super) fn eigh_of<T: Element, const N: usize>(data: &mut [T]) -> Result<[T::Real; N], Failure> {
    eigh_within(data, N)
}

/// The eigenvalues of a matrix of `order` rows, at most N, are the first `order` numbers of what is returned; the eigenvectors replace the
/// matrix, which stays as it is where there are none. Where N is the order, loops have constant extents.
#[inline(always)]
fn eigh_within<T: Element, const N: usize>(data: &mut [T], order: usize) -> Result<[T::Real; N], Failure> {
    let mut a = [[T::ZERO; N]; N];
    for (column, from) in a.iter_mut().zip(data.chunks_exact(order)) {
        column[..order].copy_from_slice(from);
    }
    for j in 0..order {
        for i in j + 1..order {
            a[i][j] = a[j][i].conj();
        }
    }
    let (mut q, mut diagonal, mut beside) = tridiagonal(&mut a, order);
    ql(&mut diagonal, &mut beside, &mut q, order)?;
    let mut places: [usize; N] = std::array::from_fn(|n| n);
    // Few, and nearly in order.
    for n in 1..order {
        for m in (1..=n).rev() {
            if diagonal[places[m]] >= diagonal[places[m - 1]] {
                break;
            }
            places.swap(m, m - 1);
        }
    }
    for (to, &place) in data.chunks_exact_mut(order).zip(&places) {
        to.copy_from_slice(&q[place][..order]);
    }
    Ok(places.map(|n| T::Real::from_complex(diagonal[n].into())))
}

/// A matrix of more rows than [`MOST`], in loops over as many as it has.
struct Eigh<'m, T>(&'m mut Matrix<T>);

impl<T: Element> Loops for Eigh<'_, T> {
    type Result = Result<Vec<T::Real>, Failure>;

    #[inline(always)]
    fn run(self) -> Self::Result {
        let order = self.0.rows;
        eigh_within::<T, MOST_OF_EIGH>(&mut self.0.data, order).map(|values| values[..order].to_vec())
    }
}

/// A = Q·T·Qᴴ with a real, tridiagonal T: Q, the diagonal of T, and what stands beside it; of the first so many rows and columns.
#[inline(always)]
fn tridiagonal<T: Element, const N: usize>(a: &mut Square<T, N>, order: usize) -> (Square<T, N>, [f64; N], [f64; N]) {
    let mut q: Square<T, N> = std::array::from_fn(|j| std::array::from_fn(|i| if i == j { T::ONE } else { T::ZERO }));
    let mut beside = [0.0; N];
    let mut phase = T::ONE;
    for k in 0..order.saturating_sub(1) {
        let mut v = [T::ZERO; N];
        // In parts of the largest, and then of the length: squares of what is small beside the matrix would vanish, and its reciprocal
        // may be no number of the type.
        let unit = a[k][k + 1..order].iter().map(|&x| part_size(x)).fold(0.0, f64::max);
        let part = |x: T| if unit == 0.0 { Complex::ZERO } else { x.to_complex() / unit };
        let first = part(a[k][k + 1]);
        let below: f64 = a[k][k + 2..order].iter().map(|&x| part(x).norm_sqr()).sum();
        let length = (first.norm_sqr() + below).sqrt();
        let direction = if first.norm_sqr() == 0.0 { T::ONE } else { T::from_complex(first / first.norm()) };
        if below > 0.0 {
            for i in k + 1..order {
                v[i] = T::from_complex(part(a[k][i]) / length);
            }
            v[k + 1] += direction;
            // 2/|v|², |v|² = 2·(1 + |first|/length).
            let scale = from::<T>(1.0 / (1.0 + first.norm() / length));
            let mut p = [T::ZERO; N];
            for j in k + 1..order {
                for i in k + 1..order {
                    p[i] += a[j][i] * v[j];
                }
            }
            let mut dot = T::ZERO;
            for i in k + 1..order {
                p[i] *= scale;
                dot += v[i].conj() * p[i];
            }
            let half = dot * scale * from::<T>(0.5);
            for i in k + 1..order {
                p[i] = p[i] - v[i] * half;
            }
            for j in k + 1..order {
                for i in k + 1..order {
                    a[j][i] = a[j][i] - v[i] * p[j].conj() - p[i] * v[j].conj();
                }
            }
            // Column after column, so that elements are neighbours.
            let mut dots = [T::ZERO; N];
            for j in k + 1..order {
                for i in 0..order {
                    dots[i] += q[j][i] * v[j];
                }
            }
            dots[..order].iter_mut().for_each(|dot| *dot *= scale);
            for j in k + 1..order {
                let by = v[j].conj();
                for i in 0..order {
                    q[j][i] = q[j][i] - dots[i] * by;
                }
            }
        }
        // What stands beside the diagonal is −direction·length after a reflection, and direction·length without one.
        beside[k] = unit * length;
        let own = if below > 0.0 { -direction } else { direction };
        phase *= own;
        for i in 0..order {
            q[k + 1][i] *= phase;
        }
    }
    (q, std::array::from_fn(|n| real(a[n][n])), beside)
}

/// QL steps with implicit shifts: the diagonal becomes the eigenvalues, and Q is rotated with it.
#[inline(always)]
fn ql<T: Element, const N: usize>(d: &mut [f64; N], e: &mut [f64; N], q: &mut Square<T, N>, order: usize) -> Result<(), Failure> {
    for l in 0..order {
        for step in 0.. {
            let end = (l..order - 1).find(|&m| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs())).unwrap_or(order - 1);
            if end == l {
                break;
            }
            if step == STEPS {
                return Err(Failure::NoConvergence);
            }
            let g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let r = (g * g + 1.0).sqrt();
            let mut g = d[end] - d[l] + e[l] / (g + r.copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut stopped = false;
            for i in (l..end).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let square = f * f + g * g;
                let r = if square > SAFE { square.sqrt() } else { f.hypot(g) };
                e[i + 1] = r;
                // Nor has what is smaller a reciprocal.
                if r < f64::MIN_POSITIVE {
                    d[i + 1] -= p;
                    e[end] = 0.0;
                    stopped = true;
                    break;
                }
                let inverse = 1.0 / r;
                s = f * inverse;
                c = g * inverse;
                g = d[i + 1] - p;
                let r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                let (sine, cosine) = (from::<T>(s), from::<T>(c));
                let (before, after) = q.split_at_mut(i + 1);
                for (low, high) in before[i][..order].iter_mut().zip(&mut after[0][..order]) {
                    (*low, *high) = (cosine * *low - sine * *high, sine * *low + cosine * *high);
                }
            }
            if !stopped {
                d[l] -= p;
                e[l] = g;
                e[end] = 0.0;
            }
        }
    }
    Ok(())
}
