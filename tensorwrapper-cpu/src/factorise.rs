//! Decompositions of one dense matrix by `faer`.
//!
//! Batches, memory, scales, phases and messages are shared with every device; see `linear`. Of batches of small matrices eight are
//! computed at a time; see `interleaved_batch`.

mod eig;
mod expm;
mod inside;
mod interleaved_batch;
mod inverse;
mod leading;
mod number;
#[allow(clippy::needless_range_loop, reason = "indices of rows and columns, as the algorithms have them")]
mod orthogonal;
#[allow(clippy::needless_range_loop, reason = "as above")]
mod panels;
#[cfg(test)]
mod panels_tests;
mod scratch;
mod sizes;
#[allow(clippy::needless_range_loop, reason = "as above")]
mod small;
#[allow(clippy::needless_range_loop, reason = "as above")]
pub mod stack;
#[allow(clippy::needless_range_loop, reason = "as above")]
mod stripes;
mod transpose;
#[allow(clippy::needless_range_loop, reason = "as above")]
mod tridiagonal;
mod worth;

use super::multiversion::dispatch;
use super::permute;
use super::sink::Sink;
use crate::simd::Simd;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::householder as reflectors;
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::linalg::triangular_solve as triangle;
use faer::{Accum, Conj, Mat, MatMut, Par, Spec};
use number::{Number, view, view_mut};
use sizes::{AreFinite, Largest};
use tensorwrapper_core::backend::fuse::Axis;
use tensorwrapper_core::backend::linear::{
    self, Algorithms, Area, Batch, Decomposition, Eigen, Failure, Matrix, Place, Svd, elimination,
};
use tensorwrapper_core::backend::{Operand, Output};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::Error;
use transpose::{Lines, Transposable, TransposeKernels, Wanted};

pub(super) fn factorise(
    simd: Simd,
    threads: usize,
    call: &Decomposition,
    inputs: &[Operand<'_>],
    outputs: Vec<Output<'_>>,
) -> Result<(), Error> {
    dispatch!(inputs[0].data().dtype(), T => {
        let mut batch = Batch::<T>::new(threads, call, inputs, outputs);
        if inside::compute(simd, threads, &mut batch) {
            return Ok(());
        }
        let algorithms = Faer { threads: if batch.items() == 1 { threads } else { 1 }, simd };
        for items in interleaved_batch::compute(simd, threads, &mut batch) {
            batch.run(items, &algorithms)?;
        }
        batch.finish();
        Ok(())
    })
}

/// See [`Device::factor_space`](tensorwrapper_core::backend::Device::factor_space).
pub(super) fn space(threads: usize, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
    let (items, sizes) = linear::sizes(call, extents, operands);
    let inside = if items == 1 { threads } else { 1 };
    dispatch!(dtype, T => scratch::one::<T>(inside, call, sizes).of_batch(items, threads))
}

/// The algorithms, with so many threads for one matrix.
struct Faer {
    threads: usize,
    /// The instructions of plain loops.
    simd: Simd,
}

impl Faer {
    /// How an algorithm goes that is worth several threads from this extent on.
    fn par<T>(&self, a: &Matrix<T>, least: usize) -> Par {
        worth::here(worth::par(self.threads, [a.rows, a.columns], least))
    }
}

impl Faer {
    /// The kernels that transpose so many elements, where these are better than a plan.
    fn transposes<T: Transposable>(&self, elements: usize) -> Option<TransposeKernels<T>> {
        T::transpose_kernels(self.simd).filter(|_| elements <= transpose::MOST)
    }

    /// Reads a matrix whose rows are contiguous, in some order, where there is a kernel for it.
    fn load_transposed<T: Transposable>(
        &self,
        (rows, columns): (usize, usize),
        from: &[T],
        at: Place,
        order: Option<&[usize]>,
    ) -> Option<Matrix<T>> {
        let transpose = self.transposes(rows * columns).filter(|_| at.column == 1)?;
        let mut data = Vec::with_capacity(rows * columns);
        let (from, to) = (from.as_ptr().wrapping_offset(at.start), data.as_mut_ptr());
        let (step, stride, wanted) = (at.row, rows as isize, Wanted::All);
        assert!(order.is_none_or(|order| order.len() == rows && order.iter().all(|&row| row < rows)), "an order of the rows");
        // SAFETY: kernels are those of instructions that are there. Operands reach no further than their memory, so many
        // elements were reserved, and all of them are written.
        unsafe {
            (transpose.lines)(&Lines { from, step, order, to, stride, lines: rows, length: columns, wanted });
            data.set_len(rows * columns);
        }
        Some(Matrix { rows, columns, data })
    }

    /// Replaces a right side by the solution of a triangle whose pivots have reciprocals.
    fn substitute<T: Number>(&self, a: &Matrix<T>, upper: bool, unit: bool, b: MatMut<'_, T>) {
        let (par, a) = (worth::here(worth::par(self.threads, [a.rows, a.rows, b.ncols()], worth::TRIANGLE)), view(a));
        match (upper, unit) {
            (false, false) => triangle::solve_lower_triangular_in_place(a, b, par),
            (false, true) => triangle::solve_unit_lower_triangular_in_place(a, b, par),
            (true, false) => triangle::solve_upper_triangular_in_place(a, b, par),
            (true, true) => triangle::solve_unit_upper_triangular_in_place(a, b, par),
        }
    }
}

/// Whether the pivots that are read can be multiplied by their reciprocals.
fn has_reciprocals<T: Element>(a: &Matrix<T>, unit: bool) -> bool {
    unit || (0..a.rows).all(|n| linear::is_finite(T::ONE / a.at(n, n)))
}

impl<T: Number> Algorithms<T> for Faer {
    fn cholesky(&self, a: &mut Matrix<T>) -> Result<(), Failure> {
        if small::is_small(a) {
            return small::cholesky(a);
        }
        let (par, params): (_, Spec<_, T>) = (self.par(a, worth::CHOLESKY), Default::default());
        if let Some(stripes) = T::stripes(self.simd).filter(|_| par == Par::Seq && a.rows <= stripes::MOST) {
            return stripes.cholesky(a);
        }
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<T>(a.rows, par, params));
        match cholesky_in_place(view_mut(a), Default::default(), par, MemStack::new(&mut memory), params) {
            Ok(_) => Ok(()),
            Err(LltError::NonPositivePivot { index }) => Err(Failure::NotPositiveDefinite { pivot: index }),
        }
    }

    fn eigh(&self, a: &mut Matrix<T>) -> Result<Vec<<T as Element>::Real>, Failure> {
        // What its steps do not come to an end with, as elements of very different sizes, is left to faer, which clears the smallest ones.
        if small::has_eigh(a.rows)
            && let Ok(values) = small::eigh(self.simd, a)
        {
            return Ok(values);
        }
        let (n, par, params): (_, _, Spec<_, T>) = (a.rows, self.par(a, worth::EIGH), Default::default());
        let (mut values, mut vectors) = (vec![T::ZERO; n], Matrix::<T>::zeros(n, n));
        let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, par, params));
        let diagonal = faer::ColMut::from_slice_mut(&mut values).as_diagonal_mut();
        self_adjoint_evd(view(a), diagonal, Some(view_mut(&mut vectors)), par, MemStack::new(&mut memory), params)
            .map_err(|_| Failure::NoConvergence)?;
        *a = vectors;
        Ok(values.iter().map(|&value| Element::re(value)).collect())
    }

    fn eig(&self, a: &Matrix<T>) -> Result<Eigen<T>, Failure> {
        eig::eig(self, a)
    }

    fn qr(&self, mut a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>) {
        if orthogonal::is_small(&a) {
            return orthogonal::qr(a, full);
        }
        let (rows, columns, par, params): (_, _, _, Spec<_, T>) =
            (a.rows, a.columns, self.par(&a, worth::QR), Default::default());
        let (least, block) = (rows.min(columns), recommended_block_size::<T>(rows, columns));
        let inner = if full { rows } else { least };
        let mut coefficients = Mat::<T>::zeros(block, least);
        let mut memory = MemBuffer::new(qr_in_place_scratch::<T>(rows, columns, block, par, params));
        qr_in_place(view_mut(&mut a), coefficients.as_mut(), par, MemStack::new(&mut memory), params);
        let mut q = Matrix::unit(rows, inner);
        let scratch = reflectors::apply_block_householder_on_the_left_in_place_scratch::<T>(rows, block, inner);
        let mut memory = MemBuffer::new(scratch);
        // The last first: what is left of its first row and above its first column, each leaves as it is.
        for first in (0..least).step_by(block).rev() {
            let end = least.min(first + block);
            reflectors::apply_block_householder_on_the_left_in_place_with_conj(
                view(&a).get(first.., first..end),
                coefficients.as_ref().get(..end - first, first..end),
                Conj::No,
                view_mut(&mut q).get_mut(first.., first..),
                par,
                MemStack::new(&mut memory),
            );
        }
        (q, a)
    }

    fn svd(&self, a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure> {
        if !full && let Some(factors) = orthogonal::svd(&a) {
            return Ok(factors);
        }
        let (rows, columns, par, params): (_, _, _, Spec<_, T>) =
            (a.rows, a.columns, self.par(&a, worth::SVD), Default::default());
        let least = rows.min(columns);
        let (how, left, right) = match full {
            true => (ComputeSvdVectors::Full, rows, columns),
            false => (ComputeSvdVectors::Thin, least, least),
        };
        let mut values = vec![T::ZERO; least];
        let (mut u, mut v) = (Matrix::<T>::zeros(rows, left), Matrix::<T>::zeros(columns, right));
        let mut memory = MemBuffer::new(svd_scratch::<T>(rows, columns, how, how, par, params));
        let diagonal = faer::ColMut::from_slice_mut(&mut values).as_diagonal_mut();
        let stack = MemStack::new(&mut memory);
        svd(view(&a), diagonal, Some(view_mut(&mut u)), Some(view_mut(&mut v)), par, stack, params)
            .map_err(|_| Failure::NoConvergence)?;
        Ok((u, values.iter().map(|&value| Element::re(value)).collect(), v.adjoint()))
    }

    fn leading(&self, a: &Matrix<T>, count: usize) -> Option<Svd<T>> {
        leading::leading(self, &|a, count| leading::by_squares(self, self.threads, a, count), a, count)
    }

    fn lu(&self, a: &mut Matrix<T>, again: &dyn Fn() -> Matrix<T>) -> Vec<usize> {
        if small::is_small(a) {
            return small::lu(a);
        }
        let (rows, columns, par, params): (_, _, _, Spec<_, T>) = (a.rows, a.columns, self.par(a, worth::LU), Default::default());
        let (mut order, mut inverse) = (vec![0usize; rows], vec![0usize; rows]);
        let mut memory = MemBuffer::new(lu_in_place_scratch::<usize, T>(rows, columns, par, params));
        lu_in_place(view_mut(a), &mut order, &mut inverse, par, MemStack::new(&mut memory), params);
        // It multiplies by reciprocals of pivots, which zero and the smallest numbers have not.
        if !self.are_finite(&a.data) {
            *a = again();
            return elimination::lu(a);
        }
        order
    }

    fn solve_triangular(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>) {
        if small::is_small(a) {
            return small::solve_triangular(a, upper, unit, b);
        }
        match has_reciprocals(a, unit) {
            true => self.substitute(a, upper, unit, view_mut(b)),
            false => elimination::solve_triangular(a, upper, unit, b),
        }
    }

    fn solve_transposed(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>) {
        if has_reciprocals(a, unit) {
            // Its innermost loops go along rows, which are contiguous here.
            return self.substitute(a, upper, unit, view_mut(b).transpose_mut());
        }
        let mut plain = b.transposed();
        elimination::solve_triangular(a, upper, unit, &mut plain);
        *b = plain.transposed();
    }

    fn multiply(&self, a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
        let mut product = Matrix::zeros(a.rows, b.columns);
        let par = worth::here(worth::product(self.threads, [a.rows, a.columns, b.columns]));
        matmul(view_mut(&mut product), Accum::Replace, view(a), view(b), <T as Element>::ONE, par);
        product
    }

    fn expm(&self, a: Matrix<T>) -> Result<Matrix<T>, Failure> {
        expm::expm(self, a)
    }

    fn are_finite(&self, elements: &[T]) -> bool {
        dispatch(self.simd, AreFinite(elements))
    }

    fn largest_part(&self, elements: &[T]) -> f64 {
        dispatch(self.simd, Largest::<_, false>(elements))
    }

    fn largest_square(&self, elements: &[T]) -> f64 {
        dispatch(self.simd, Largest::<_, true>(elements))
    }

    fn load(&self, size: (usize, usize), from: &[T], at: Place, conjugate: bool) -> Matrix<T> {
        if let Some(transposed) = self.load_transposed(size, from, at, None) {
            return transposed;
        }
        let (rows, columns) = size;
        let mut data = Vec::with_capacity(rows * columns);
        let to = Sink::over(&mut data.spare_capacity_mut()[..rows * columns]);
        let axes =
            vec![Axis { extent: rows, strides: [at.row, 1] }, Axis { extent: columns, strides: [at.column, rows as isize] }];
        permute::copy(self.threads, axes, [at.start, 0], from, to, conjugate);
        // SAFETY: so many elements were reserved, and all rows of all columns were written.
        unsafe { data.set_len(rows * columns) };
        Matrix { rows, columns, data }
    }

    fn load_in(&self, order: &[usize], size: (usize, usize), from: &[T], at: Place, conjugate: bool) -> Matrix<T> {
        if let Some(transposed) = self.load_transposed(size, from, at, Some(order)) {
            return transposed;
        }
        if size.0 * size.1 > transpose::MOST {
            return self.load(size, from, at, conjugate).rows_in(order);
        }
        let element = |x: T| if conjugate { x.conj() } else { x };
        Matrix::from_fn(size.0, size.1, |row, column| element(from[at.position(order[row], column)]))
    }

    fn copy(&self, size: (usize, usize), area: Area, (from, at): (&[T], Place), (to, there): (&mut [T], Place)) {
        if let Some(transpose) = self.transposes(size.0 * size.1).filter(|_| at.row == 1 && there.column == 1) {
            let (from, to) = (from.as_ptr().wrapping_offset(at.start), to.as_mut_ptr().wrapping_offset(there.start));
            let (step, stride, lines, length) = (at.column, there.row, size.1, size.0);
            let wanted = match area {
                Area::All => Wanted::All,
                Area::Lower => Wanted::From,
                Area::Upper => Wanted::UpTo,
            };
            // SAFETY: as in `load_transposed`; outputs as well reach no further than their memory.
            return unsafe { (transpose.lines)(&Lines { from, step, order: None, to, stride, lines, length, wanted }) };
        }
        let axis = |extent, strides| Axis { extent, strides };
        let axes = vec![axis(size.0, [at.row, there.row]), axis(size.1, [at.column, there.column])];
        permute::copy(self.threads, axes, [at.start, there.start], from, Sink::new(to), false);
    }
}
