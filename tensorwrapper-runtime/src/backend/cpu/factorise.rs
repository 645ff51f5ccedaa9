//! Decompositions by `faer`, matrix by matrix.
//!
//! Reading, writing, scales, phases and sentences are shared with every device; see `matrices`. The generalised problem
//! becomes a plain one by the Cholesky factor of the metric: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed.
//! (2013), §8.7.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::traits::ComplexField;
use faer::{MatMut, MatRef, Par, Spec};

use crate::backend::matrices::{self, Failure};
use crate::backend::{Factorisation, LoopNest, Operand, Output};
use crate::element::{Element, dispatch};
use crate::error::Error;

/// Order from which on a decomposition is worth several threads.
const LARGE: usize = 128;

pub(super) fn factorise(
    threads: usize,
    nest: &LoopNest,
    factorisation: Factorisation,
    inputs: &[Operand<'_>],
    outputs: Vec<Output<'_>>,
) -> Result<(), Error> {
    let order = nest.extents()[nest.rank() - 1];
    let par = if threads > 1 && order >= LARGE { Par::rayon(threads) } else { Par::Seq };
    dispatch!(inputs[0].data().dtype(), T => match factorisation {
        Factorisation::Cholesky => matrices::cholesky::<T>(nest, inputs, outputs, |n, a| {
            adjoint_to_columns(a);
            cholesky(par, n, a)?;
            transpose(n, a);
            Ok(())
        }),
        Factorisation::Eigh => matrices::eigh::<T>(nest, inputs, outputs, |n, a, metric| {
            adjoint_to_columns(a);
            let values = match metric {
                None => eigh(par, n, a)?,
                Some(metric) => {
                    adjoint_to_columns(metric);
                    generalised_eigh(par, n, a, metric)?
                }
            };
            transpose(n, a);
            Ok(values)
        }),
    })
}

/// Makes a row-major Hermitian matrix a column-major one, which `faer` prefers: its rows are its columns' conjugates.
fn adjoint_to_columns<T: Element>(matrix: &mut [T]) {
    if T::DTYPE.is_complex() {
        matrix.iter_mut().for_each(|x| *x = x.conj());
    }
}

fn transpose<T>(n: usize, matrix: &mut [T]) {
    for row in 0..n {
        for column in 0..row {
            matrix.swap(row * n + column, column * n + row);
        }
    }
}

fn columns<T>(n: usize, matrix: &mut [T]) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_mut(matrix, n, n)
}

/// Replaces the lower triangle by the factor.
fn cholesky<T: ComplexField>(par: Par, n: usize, a: &mut [T]) -> Result<(), Failure> {
    let params: Spec<_, T> = Default::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<T>(n, par, params));
    let done = cholesky_in_place(columns(n, a), Default::default(), par, MemStack::new(&mut memory), params);
    match done {
        Ok(_) => Ok(()),
        Err(LltError::NonPositivePivot { index }) => Err(Failure::NotPositiveDefinite { pivot: index }),
    }
}

/// Eigenvalues ascending; the eigenvectors replace the columns of the matrix.
fn eigh<T: ComplexField + Element<Real = <T as ComplexField>::Real>>(
    par: Par,
    n: usize,
    a: &mut [T],
) -> Result<Vec<<T as Element>::Real>, Failure> {
    if n == 0 {
        return Ok(Vec::new());
    }
    let mut values = faer::Col::<T>::zeros(n);
    let mut vectors = faer::Mat::<T>::zeros(n, n);
    let params: Spec<_, T> = Default::default();
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, par, params));
    let matrix = MatRef::from_column_major_slice(a, n, n);
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(matrix, values.as_diagonal_mut(), Some(vectors.as_mut()), par, stack, params)
        .map_err(|_| Failure::NoConvergence)?;
    columns(n, a).copy_from(&vectors);
    Ok(values.iter().map(|&value| Element::re(value)).collect())
}

/// As [`eigh`], in the metric B = L·Lᴴ: the eigenvectors of L⁻¹·A·L⁻ᴴ, from the left by L⁻ᴴ.
fn generalised_eigh<T: ComplexField + Element<Real = <T as ComplexField>::Real>>(
    par: Par,
    n: usize,
    a: &mut [T],
    metric: &mut [T],
) -> Result<Vec<<T as Element>::Real>, Failure> {
    cholesky(par, n, metric)?;
    let lower = MatRef::from_column_major_slice(metric, n, n);
    solve_lower_triangular_in_place(lower, columns(n, a), par);
    // The adjoint, so that the other side is solved from the left as well.
    transpose(n, a);
    adjoint_to_columns(a);
    solve_lower_triangular_in_place(lower, columns(n, a), par);
    let values = eigh(par, n, a)?;
    solve_upper_triangular_in_place(lower.adjoint(), columns(n, a), par);
    Ok(values)
}
