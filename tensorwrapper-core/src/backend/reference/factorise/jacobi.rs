//! Jacobi's rotations: of both sides for Hermitian eigenvalues, of columns for singular values.

use num_complex::Complex;

use crate::backend::linear::{Failure, Matrix, Svd, epsilon, real};
use crate::element::Element;

/// Sweeps after which Jacobi's iteration is given up; ten are many.
const SWEEPS: usize = 60;

/// Eigenvalues ascending; the eigenvectors replace the columns of the matrix.
pub(crate) fn eigh<T: Element>(a: &mut Matrix<T>) -> Result<Vec<T::Real>, Failure> {
    let n = a.rows;
    a.mirror();
    let mut v = Matrix::unit(n, n);
    let norm = |x: &[T]| x.iter().map(|x| x.to_complex().norm_sqr()).sum::<f64>();
    let negligible = norm(&a.data) * if size_of::<T::Real>() == 4 { 1e-15 } else { 1e-32 };
    for _ in 0..SWEEPS {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a.at(i, j).to_complex().norm_sqr()).sum();
        if off <= negligible {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| a.at(i, i).to_complex().re.total_cmp(&a.at(j, j).to_complex().re));
            let values = order.iter().map(|&i| a.at(i, i).re()).collect();
            for (k, &from) in order.iter().enumerate() {
                a.column_mut(k).copy_from_slice(v.column(from));
            }
            return Ok(values);
        }
        for q in 0..n {
            for p in 0..q {
                rotate(a, &mut v, p, q);
            }
        }
    }
    Err(Failure::NoConvergence)
}

/// Cosine and sine, with its phase, of the rotation that makes `pivot` zero between two diagonal elements.
fn rotation(first: f64, second: f64, pivot: Complex<f64>) -> (f64, Complex<f64>) {
    let size = pivot.norm();
    let theta = (second - first) / (2.0 * size);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, pivot / size * (t * c))
}

/// One rotation in the plane of p and q that makes a[p, q] zero: A becomes Jᴴ·A·J, V becomes V·J.
fn rotate<T: Element>(a: &mut Matrix<T>, v: &mut Matrix<T>, p: usize, q: usize) {
    let pivot = a.at(p, q).to_complex();
    if pivot.norm() == 0.0 {
        return;
    }
    let (c, s) = rotation(a.at(p, p).to_complex().re, a.at(q, q).to_complex().re, pivot);
    set_column_phases(a, p, q, c, s);
    set_column_phases(v, p, q, c, s);
    let (c, s) = (real::<T>(c), T::from_complex(s));
    for k in 0..a.columns {
        let (x, y) = (a.at(p, k), a.at(q, k));
        (*a.at_mut(p, k), *a.at_mut(q, k)) = (c * x - s * y, s.conj() * x + c * y);
    }
    (*a.at_mut(p, q), *a.at_mut(q, p)) = (T::ZERO, T::ZERO);
    for i in [p, q] {
        *a.at_mut(i, i) = T::from_real(a.at(i, i).re());
    }
}

fn set_column_phases<T: Element>(a: &mut Matrix<T>, p: usize, q: usize, c: f64, s: Complex<f64>) {
    let (c, s) = (real::<T>(c), T::from_complex(s));
    for k in 0..a.rows {
        let (x, y) = (a.at(k, p), a.at(k, q));
        (*a.at_mut(k, p), *a.at_mut(k, q)) = (c * x - s.conj() * y, s * x + c * y);
    }
}

/// Singular values of a matrix that is no wider than high: its columns are rotated in pairs until they are orthogonal.
pub(crate) fn svd<T: Element>(mut a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure> {
    let (rows, n) = (a.rows, a.columns);
    let mut v = Matrix::<T>::unit(n, n);
    let dot = |a: &Matrix<T>, p: usize, q: usize| -> Complex<f64> {
        a.column(p).iter().zip(a.column(q)).map(|(x, y)| x.to_complex().conj() * y.to_complex()).sum()
    };
    let tolerance = epsilon::<T>() * (rows + 4) as f64;
    // Columns whose squares are less than this are rounding: orthogonal to nothing, and their directions are nothing's.
    let negligible = tolerance * tolerance * (0..n).map(|k| dot(&a, k, k).re).sum::<f64>();
    for sweep in 0.. {
        let mut rotated = false;
        for q in 0..n {
            for p in 0..q {
                let (x, y, pivot) = (dot(&a, p, p).re, dot(&a, q, q).re, dot(&a, p, q));
                if pivot.norm() > tolerance * (x * y).sqrt() {
                    let (c, s) = rotation(x, y, pivot);
                    set_column_phases(&mut a, p, q, c, s);
                    set_column_phases(&mut v, p, q, c, s);
                    rotated |= x.min(y) > negligible;
                }
            }
        }
        if !rotated {
            break;
        }
        if sweep == SWEEPS {
            return Err(Failure::NoConvergence);
        }
    }
    let lengths: Vec<f64> = (0..n).map(|k| dot(&a, k, k).re.sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let mut basis: Vec<Vec<Complex<f64>>> = Vec::new();
    for &k in &order {
        let is_long = lengths[k] > negligible.sqrt();
        let own = a.column(k).iter().map(|x| x.to_complex() / lengths[k]).collect();
        let column = if is_long { Some(own) } else { None };
        basis.push(column.unwrap_or_default());
    }
    let wanted = if full { rows } else { n };
    basis.resize(wanted, Vec::new());
    complete(&mut basis, rows);
    let u = Matrix::from_fn(rows, wanted, |i, j| T::from_complex(basis[j][i]));
    let v = Matrix::from_fn(n, n, |i, j| v.at(j, order[i]).conj());
    Ok((u, order.iter().map(|&k| T::Real::from_complex(lengths[k].into())).collect(), v))
}

/// Replaces empty vectors by ones of length 1 that are orthogonal to all others: what is left of the unit vectors.
fn complete(basis: &mut [Vec<Complex<f64>>], rows: usize) {
    let mut unit = 0..rows;
    for k in 0..basis.len() {
        while basis[k].is_empty() {
            let mut vector = vec![Complex::new(0.0, 0.0); rows];
            vector[unit.next().expect("as many unit vectors as rows make a basis")] = Complex::new(1.0, 0.0);
            // Twice, for the digits that the first time costs.
            for _ in 0..2 {
                for other in basis.iter().filter(|other| !other.is_empty()) {
                    let dot: Complex<f64> = other.iter().zip(&vector).map(|(x, y)| x.conj() * y).sum();
                    vector.iter_mut().zip(other).for_each(|(x, y)| *x -= y * dot);
                }
            }
            let length = vector.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
            if length > 0.1 / (rows as f64).sqrt() {
                basis[k] = vector.iter().map(|x| x / length).collect();
            }
        }
    }
}
