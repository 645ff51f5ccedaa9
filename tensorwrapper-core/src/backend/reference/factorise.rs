//! Textbook algorithms on one dense matrix, each the simplest that is reliable: Cholesky–Banachiewicz, Jacobi's rotations for
//! Hermitian eigenvalues and, from one side, for singular values, Householder's reflections, elimination with partial pivoting,
//! QR steps on a Hessenberg matrix, Taylor's series of the exponential.
//!
//! Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013): §3.4, §4.2, §5.2, §7.5, §8.5, §8.6.3, §9.3.
//! Knows neither batches nor layouts nor scales nor phases: `linear` has those.

mod eig;
mod jacobi;

use num_complex::Complex;

use crate::backend::linear::{self, Algorithms, Decomposition, Eigen, Failure, Matrix, Svd, elimination, real};
use crate::backend::{Operand, Output};
use crate::element::Element;
use crate::error::Error;

pub(crate) fn factorise(call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
    dispatch!(inputs[0].data().dtype(), T => linear::run::<T>(1, call, inputs, outputs, &Naive))
}

/// The algorithms.
pub struct Naive;

impl<T: Element> Algorithms<T> for Naive {
    fn cholesky(&self, a: &mut Matrix<T>) -> Result<(), Failure> {
        for i in 0..a.rows {
            for j in 0..=i {
                let sum = (0..j).fold(a.at(i, j), |sum, k| sum - a.at(i, k) * a.at(j, k).conj());
                if i > j {
                    *a.at_mut(i, j) = sum / a.at(j, j);
                } else if sum.re() > T::Real::ZERO {
                    *a.at_mut(i, i) = real(sum.to_complex().re.sqrt());
                } else {
                    return Err(Failure::NotPositiveDefinite { pivot: i });
                }
            }
        }
        Ok(())
    }

    fn eigh(&self, a: &mut Matrix<T>) -> Result<Vec<T::Real>, Failure> {
        jacobi::eigh(a)
    }

    fn eig(&self, a: &Matrix<T>) -> Result<Eigen<T>, Failure> {
        let wide = Matrix::from_fn(a.rows, a.columns, |i, j| a.at(i, j).to_complex());
        let (values, vectors) = eig::eig(wide)?;
        let narrow = |x: &Complex<f64>| T::Complex::from_complex(*x);
        let data = vectors.data.iter().map(narrow).collect();
        Ok((values.iter().map(narrow).collect(), Matrix { rows: a.rows, columns: a.columns, data }))
    }

    fn qr(&self, mut a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>) {
        let (rows, columns) = (a.rows, a.columns);
        let mut q = Matrix::unit(rows, rows);
        for k in 0..columns.min(rows.saturating_sub(1)) {
            reflect(&mut a, &mut q, k);
        }
        let inner = if full { rows } else { rows.min(columns) };
        (q.first_columns(inner), a)
    }

    fn svd(&self, a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure> {
        if a.rows >= a.columns {
            return jacobi::svd(a, full);
        }
        let (u, s, v) = jacobi::svd(a.adjoint(), full)?;
        Ok((v.adjoint(), s, u.adjoint()))
    }

    fn lu(&self, a: &mut Matrix<T>, _: &dyn Fn() -> Matrix<T>) -> Vec<usize> {
        elimination::lu(a)
    }

    fn solve_triangular(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>) {
        elimination::solve_triangular(a, upper, unit, b);
    }

    fn multiply(&self, a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
        Matrix::from_fn(a.rows, b.columns, |i, j| (0..a.columns).fold(T::ZERO, |sum, k| sum + a.at(i, k) * b.at(k, j)))
    }

    /// exp A = (exp A/2ᵏ)^2ᵏ, in double precision.
    fn expm(&self, a: Matrix<T>) -> Result<Matrix<T>, Failure> {
        let size: f64 = a.data.iter().map(|x| x.to_complex().norm_sqr()).sum::<f64>().sqrt();
        if !size.is_finite() {
            return Err(Failure::Overflow);
        }
        let halvings = (size.max(0.125) * 8.0).log2().ceil() as i32;
        let factor = 0.5f64.powi(halvings);
        let small = Matrix::from_fn(a.rows, a.columns, |i, j| a.at(i, j).to_complex() * factor);
        let wide: &dyn Algorithms<Complex<f64>> = self;
        let mut sum = Matrix::<Complex<f64>>::unit(a.rows, a.rows);
        let mut term = sum.clone();
        for n in 1..=20 {
            term = wide.multiply(&term, &small);
            term.data.iter_mut().for_each(|x| *x /= f64::from(n));
            sum.data.iter_mut().zip(&term.data).for_each(|(sum, x)| *sum += x);
        }
        for _ in 0..halvings {
            sum = wide.multiply(&sum, &sum);
        }
        Ok(Matrix::from_fn(a.rows, a.columns, |i, j| T::from_complex(sum.at(i, j))))
    }
}

/// One reflection that makes column k of A zero below the diagonal: A becomes H·A, Q becomes Q·H.
fn reflect<T: Element>(a: &mut Matrix<T>, q: &mut Matrix<T>, k: usize) {
    let rows = a.rows;
    let mut v: Vec<Complex<f64>> = (k..rows).map(|i| a.at(i, k).to_complex()).collect();
    let length = |v: &[Complex<f64>]| v.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
    let size = length(&v);
    if length(&v[1..]) == 0.0 {
        return;
    }
    let first = v[0];
    v[0] += if first.norm() == 0.0 { size.into() } else { first / first.norm() * size };
    let own = length(&v);
    let v: Vec<T> = v.iter().map(|x| T::from_complex(x / own)).collect();
    let two = real::<T>(2.0);
    for j in 0..a.columns {
        let dot = (k..rows).fold(T::ZERO, |sum, i| sum + v[i - k].conj() * a.at(i, j)) * two;
        (k..rows).for_each(|i| *a.at_mut(i, j) = a.at(i, j) - v[i - k] * dot);
    }
    for i in 0..rows {
        let dot = (k..rows).fold(T::ZERO, |sum, j| sum + q.at(i, j) * v[j - k]) * two;
        (k..rows).for_each(|j| *q.at_mut(i, j) = q.at(i, j) - dot * v[j - k].conj());
    }
}
