//! The product of two matrices by the blocked kernel of the crate `gemm`.

use gemm::Parallelism;

use crate::element::Element;

/// Strides of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) row: isize,
    pub(super) column: isize,
}

impl Place {
    /// Of the transposed matrix.
    pub(super) fn transposed(self) -> Place {
        Place { row: self.column, column: self.row }
    }
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

/// `out = alpha · left · right` on so many threads; the factors' first elements, the result's, and the strides of all three.
///
/// # Safety
/// All elements that the strides reach from there are valid, those of the result at different positions; nobody else reads or
/// writes the result.
pub(super) unsafe fn multiply<T: Element>(
    threads: usize,
    sizes: Sizes,
    alpha: T,
    [left, right]: [*const T; 2],
    out: *mut T,
    [left_place, right_place, place]: [Place; 3],
    conjugate: [bool; 2],
) {
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    // SAFETY: the caller's promise. The result is not read, as `read_dst` is false.
    unsafe {
        gemm::gemm(
            sizes.rows,
            sizes.columns,
            sizes.inner,
            out,
            place.column,
            place.row,
            false,
            left,
            left_place.column,
            left_place.row,
            right,
            right_place.column,
            right_place.row,
            T::ONE,
            alpha,
            false,
            conjugate[0],
            conjugate[1],
            parallelism,
        );
    }
}
