//! The product of two matrices by the blocked kernel of the crate `gemm`.

use gemm::Parallelism;

use super::product::{Place, Sizes};
use crate::simd::{Caches, Simd};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::internal::thread_pool;

/// Elements that [`multiply`] packs factors into, for matrices at these places: as the crate decides with the widest vectors that this
/// processor has.
pub(super) fn work_space<T>(sizes: Sizes, [left, right, place]: [Place; 3]) -> usize {
    let (bytes, vectors) = if Simd::Avx512.is_available() { (64, 4) } else { (32, 3) };
    let lanes = bytes / size_of::<T>();
    // A result in rows is computed transposed.
    let (rows, columns, [along_rows, along_inner]) = match place.row.unsigned_abs() > place.column.unsigned_abs() {
        true => (sizes.columns, sizes.rows, [right.column, left.column]),
        false => (sizes.rows, sizes.columns, [left.row, right.row]),
    };
    let inner = sizes.inner.div_ceil(sizes.inner.div_ceil(512).max(1));
    let panel = vectors * lanes;
    // Rows that are multiplied at a time fill most of the second cache, and are shared out evenly.
    let most = Caches::here().second / 8 * 7 / (inner * size_of::<T>()).max(1) / panel * panel;
    let parts = rows.div_ceil(most.clamp(panel, 8 * panel)).max(1);
    let packs_left = rows <= 2 * rows.div_ceil(parts * panel) * panel && (!rows.is_multiple_of(lanes) || along_rows != 1);
    let packs_right = rows > panel * if along_inner.unsigned_abs() == 1 { 128 } else { 2 };
    let left = if packs_left { rows.next_multiple_of(panel) } else { 0 };
    let right = if packs_right { columns.next_multiple_of(8) } else { 0 };
    inner.saturating_mul(left + right)
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
    let threads = thread_pool::threads(threads);
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
