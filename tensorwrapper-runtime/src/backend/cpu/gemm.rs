//! The product of two matrices: the blocked kernel of the crate `gemm`, and register tiles for small ones.

use gemm::Parallelism;

use super::sink::Sink;
use crate::element::Element;

/// Edge of the register tile of the kernel for small matrices.
const TILE: usize = 4;

/// Strides of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) row: isize,
    pub(super) column: isize,
}

/// A matrix to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix<'a, T> {
    pub(super) data: &'a [T],
    /// Position of the first element.
    pub(super) start: isize,
    pub(super) place: Place,
    pub(super) conjugate: bool,
}

/// Extents of a product of matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) inner: usize,
}

impl Sizes {
    pub(super) fn multiplications(self) -> usize {
        self.rows.saturating_mul(self.columns).saturating_mul(self.inner)
    }
}

/// `out = alpha · left · right`, by the blocked kernel on so many threads, or by the small one.
///
/// # Safety
/// All elements that the strides reach lie inside the memories, those of the result at different positions;
/// nobody else reads or writes the result.
#[expect(clippy::too_many_arguments, reason = "a matrix product has that many parts")]
pub(super) unsafe fn multiply<T: Element>(
    threads: Option<usize>,
    sizes: Sizes,
    alpha: T,
    left: Matrix<'_, T>,
    right: Matrix<'_, T>,
    out: Sink<'_, T>,
    start: isize,
    place: Place,
) {
    let Some(threads) = threads else {
        // SAFETY: the caller's promise.
        return unsafe { multiply_small(sizes, alpha, left, right, out, start, place) };
    };
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    // SAFETY: the caller's promise. The result is not read, as `read_dst` is false.
    unsafe {
        gemm::gemm(
            sizes.rows,
            sizes.columns,
            sizes.inner,
            out.address(start),
            place.column,
            place.row,
            false,
            left.data.as_ptr().offset(left.start),
            left.place.column,
            left.place.row,
            right.data.as_ptr().offset(right.start),
            right.place.column,
            right.place.row,
            T::ONE,
            alpha,
            false,
            left.conjugate,
            right.conjugate,
            parallelism,
        );
    }
}

/// Register tiles without packing; as [`multiply`].
///
/// # Safety
/// As [`multiply`].
unsafe fn multiply_small<T: Element>(
    sizes: Sizes,
    alpha: T,
    left: Matrix<'_, T>,
    right: Matrix<'_, T>,
    out: Sink<'_, T>,
    start: isize,
    place: Place,
) {
    for row in (0..sizes.rows).step_by(TILE) {
        for column in (0..sizes.columns).step_by(TILE) {
            let extents = (TILE.min(sizes.rows - row), TILE.min(sizes.columns - column));
            let (down, along) = (row as isize, column as isize);
            let left = Matrix { start: left.start + down * left.place.row, ..left };
            let right = Matrix { start: right.start + along * right.place.column, ..right };
            // Constant extents let the compiler keep the sums in registers.
            let sums = match extents {
                (TILE, TILE) => tile(left, right, TILE, TILE, sizes.inner),
                (rows, columns) => tile(left, right, rows, columns, sizes.inner),
            };
            for (r, sums) in sums.iter().enumerate().take(extents.0) {
                for (c, &sum) in sums.iter().enumerate().take(extents.1) {
                    let position = start + (down + r as isize) * place.row + (along + c as isize) * place.column;
                    // SAFETY: the caller's promise.
                    unsafe { out.write(position, alpha * sum) };
                }
            }
        }
    }
}

#[inline(always)]
fn tile<T: Element>(left: Matrix<'_, T>, right: Matrix<'_, T>, rows: usize, columns: usize, inner: usize) -> [[T; TILE]; TILE] {
    let read = |matrix: &Matrix<'_, T>, position: isize| {
        let x = matrix.data[position as usize];
        if matrix.conjugate { x.conj() } else { x }
    };
    let mut sums = [[T::ZERO; TILE]; TILE];
    for k in 0..inner as isize {
        let (mut down, mut along) = ([T::ZERO; TILE], [T::ZERO; TILE]);
        for (r, x) in down.iter_mut().enumerate().take(rows) {
            *x = read(&left, left.start + r as isize * left.place.row + k * left.place.column);
        }
        for (c, x) in along.iter_mut().enumerate().take(columns) {
            *x = read(&right, right.start + k * right.place.row + c as isize * right.place.column);
        }
        for (sums, &x) in sums.iter_mut().zip(&down).take(rows) {
            for (sum, &y) in sums.iter_mut().zip(&along).take(columns) {
                *sum += x * y;
            }
        }
    }
    sums
}
