//! Textbook decompositions: Cholesky–Banachiewicz, and cyclic Jacobi rotations for Hermitian eigenvalues.
//!
//! Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed. (2013): §4.2 Cholesky, §8.5 Jacobi, §8.7 the
//! generalised problem. Knows neither batches nor layouts nor scales: `matrices` hands in one matrix of size about 1.

use crate::backend::matrices::{self, Failure};
use crate::backend::{Factorisation, LoopNest, Operand, Output};
use crate::element::{Element, dispatch};
use crate::error::Error;

/// Sweeps after which Jacobi's iteration is given up; ten are many.
const SWEEPS: usize = 60;

pub(super) fn factorise(
    nest: &LoopNest,
    factorisation: Factorisation,
    inputs: &[Operand<'_>],
    outputs: Vec<Output<'_>>,
) -> Result<(), Error> {
    dispatch!(inputs[0].data().dtype(), T => match factorisation {
        Factorisation::Cholesky => matrices::cholesky::<T>(nest, inputs, outputs, cholesky),
        Factorisation::Eigh => matrices::eigh::<T>(nest, inputs, outputs, eigh),
    })
}

fn root<T: Element>(x: T::Real) -> T::Real {
    T::Real::from_complex(x.to_complex().re.sqrt().into())
}

fn cholesky<T: Element>(n: usize, a: &mut [T]) -> Result<(), Failure> {
    for i in 0..n {
        for j in 0..=i {
            let sum = (0..j).fold(a[i * n + j], |sum, k| sum - a[i * n + k] * a[j * n + k].conj());
            if i > j {
                a[i * n + j] = sum / a[j * n + j];
            } else if sum.re() > T::Real::ZERO {
                a[i * n + i] = T::from_real(root::<T>(sum.re()));
            } else {
                return Err(Failure::NotPositiveDefinite { pivot: i });
            }
        }
    }
    Ok(())
}

fn eigh<T: Element>(n: usize, a: &mut [T], metric: Option<&mut [T]>) -> Result<Vec<T::Real>, Failure> {
    let Some(l) = metric else { return jacobi(n, a) };
    cholesky(n, l)?;
    // A becomes L⁻¹·A·L⁻ᴴ: solve with L from the left, take the adjoint, and again.
    solve_lower(n, l, a);
    adjoint(n, a);
    solve_lower(n, l, a);
    let values = jacobi(n, a)?;
    // The eigenvectors of A in the metric are L⁻ᴴ·y.
    for column in 0..n {
        for i in (0..n).rev() {
            let sum = (i + 1..n).fold(a[i * n + column], |sum, k| sum - l[k * n + i].conj() * a[k * n + column]);
            a[i * n + column] = sum / l[i * n + i];
        }
    }
    Ok(values)
}

/// Replaces X by L⁻¹·X.
fn solve_lower<T: Element>(n: usize, l: &[T], x: &mut [T]) {
    for column in 0..n {
        for i in 0..n {
            let sum = (0..i).fold(x[i * n + column], |sum, k| sum - l[i * n + k] * x[k * n + column]);
            x[i * n + column] = sum / l[i * n + i];
        }
    }
}

fn adjoint<T: Element>(n: usize, x: &mut [T]) {
    for i in 0..n {
        for j in 0..=i {
            (x[i * n + j], x[j * n + i]) = (x[j * n + i].conj(), x[i * n + j].conj());
        }
    }
}

/// Eigenvalues ascending; the eigenvectors replace the columns of the matrix.
fn jacobi<T: Element>(n: usize, a: &mut [T]) -> Result<Vec<T::Real>, Failure> {
    let mut v = vec![T::ZERO; n * n];
    (0..n).for_each(|i| v[i * n + i] = T::ONE);
    let norm = |x: &[T]| x.iter().map(|x| x.to_complex().norm_sqr()).sum::<f64>();
    let negligible = norm(a) * if size_of::<T::Real>() == 4 { 1e-15 } else { 1e-32 };
    for _ in 0..SWEEPS {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| i * n + j)).map(|p| a[p].to_complex().norm_sqr()).sum();
        if off <= negligible {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| a[i * n + i].to_complex().re.total_cmp(&a[j * n + j].to_complex().re));
            let values = order.iter().map(|&i| a[i * n + i].re()).collect();
            for (k, &from) in order.iter().enumerate() {
                (0..n).for_each(|i| a[i * n + k] = v[i * n + from]);
            }
            return Ok(values);
        }
        for q in 0..n {
            for p in 0..q {
                rotate(n, a, &mut v, p, q);
            }
        }
    }
    Err(Failure::NoConvergence)
}

/// One rotation in the plane of p and q that makes a[p, q] zero: A becomes Jᴴ·A·J, V becomes V·J.
fn rotate<T: Element>(n: usize, a: &mut [T], v: &mut [T], p: usize, q: usize) {
    let pivot = a[p * n + q].to_complex();
    let size = pivot.norm();
    if size == 0.0 {
        return;
    }
    let theta = (a[q * n + q].to_complex().re - a[p * n + p].to_complex().re) / (2.0 * size);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let (cosine, sine) = (T::from_complex(c.into()), T::from_complex(pivot / size * (t * c)));
    let turn = |x: T, y: T| (cosine * x - sine.conj() * y, sine * x + cosine * y);
    for k in 0..n {
        (a[k * n + p], a[k * n + q]) = turn(a[k * n + p], a[k * n + q]);
        (v[k * n + p], v[k * n + q]) = turn(v[k * n + p], v[k * n + q]);
    }
    for k in 0..n {
        let (x, y) = turn(a[p * n + k].conj(), a[q * n + k].conj());
        (a[p * n + k], a[q * n + k]) = (x.conj(), y.conj());
    }
    for (i, j) in [(p, q), (q, p)] {
        a[i * n + j] = T::ZERO;
    }
    for i in [p, q] {
        a[i * n + i] = T::from_real(a[i * n + i].re());
    }
}
