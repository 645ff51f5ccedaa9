//! The kernel: a few rows of neighbours in the result from a few of the large factor, some vectors at a time.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use crate::simd::vector::Vector;
use crate::simd::{Simd, by_vectors};
use tensorwrapper_core::element::Element;

/// Columns that are computed at once.
const TOGETHER: usize = 4;
/// Vectors of each of them.
const WIDE: usize = 2;
/// Sums of a vector, one for each column and part of a complex number, that are so few that there are registers for more vectors.
const FEW_SUMS: usize = 2;
/// Vectors of each column then: a loop over few terms begins less often.
const LONG: usize = 4;

/// Rows of the large factor, or of the result: where they begin, and the first of them.
pub(super) type Rows<'a, R> = (&'a [isize], R);

/// Computes rows of so many elements from those of the large factor, with these numbers: term by term those of all columns. It adds them to
/// what is there, if the last argument says so.
pub(super) type Kernel<T> = unsafe fn(usize, Rows<'_, *const T>, *const T, Rows<'_, *mut T>, bool);

/// The kernel for these instructions.
pub(super) fn kernel<T: Element>(simd: Simd) -> Kernel<T> {
    by_vectors!(simd, T, all(len: usize, from: Rows<'_, *const T>, numbers: *const T, to: Rows<'_, *mut T>, adds: bool))
}

/// All elements of the rows, some vectors at a time.
///
/// # Safety
/// All rows have so many elements; there is a number for each term and column; the processor has the instructions. Rows that are added to
/// were written before.
#[inline(always)]
unsafe fn all<V: Vector, T: Element, const PARTS: usize>(
    len: usize,
    from: Rows<'_, *const T>,
    numbers: *const T,
    to: Rows<'_, *mut T>,
    adds: bool,
) {
    let len = len * PARTS;
    let mut at = 0;
    while at < len {
        let is_long = to.0.len() * PARTS <= FEW_SUMS && at + LONG * V::LANES <= len;
        let whole = at + WIDE * V::LANES <= len;
        let count = match (is_long, whole) {
            (true, _) => LONG * V::LANES,
            (_, true) => WIDE * V::LANES,
            _ => V::LANES.min(len - at),
        };
        let mut column = 0;
        while column < to.0.len() {
            let columns = TOGETHER.min(to.0.len() - column);
            // SAFETY: the caller's promise.
            unsafe {
                match (columns, whole) {
                    (2, _) if is_long => some::<V, T, PARTS, 2, LONG>((at, count), from, numbers, to, (column, adds)),
                    (_, _) if is_long => some::<V, T, PARTS, 1, LONG>((at, count), from, numbers, to, (column, adds)),
                    (4, true) => some::<V, T, PARTS, 4, WIDE>((at, count), from, numbers, to, (column, adds)),
                    (3, true) => some::<V, T, PARTS, 3, WIDE>((at, count), from, numbers, to, (column, adds)),
                    (2, true) => some::<V, T, PARTS, 2, WIDE>((at, count), from, numbers, to, (column, adds)),
                    (_, true) => some::<V, T, PARTS, 1, WIDE>((at, count), from, numbers, to, (column, adds)),
                    (4, false) => some::<V, T, PARTS, 4, 1>((at, count), from, numbers, to, (column, adds)),
                    (3, false) => some::<V, T, PARTS, 3, 1>((at, count), from, numbers, to, (column, adds)),
                    (2, false) => some::<V, T, PARTS, 2, 1>((at, count), from, numbers, to, (column, adds)),
                    (_, false) => some::<V, T, PARTS, 1, 1>((at, count), from, numbers, to, (column, adds)),
                }
            }
            column += columns;
        }
        at += count;
    }
}

/// Some vectors of some columns.
#[inline(always)]
unsafe fn some<V: Vector, T: Element, const PARTS: usize, const COLUMNS: usize, const VECTORS: usize>(
    (at, count): (usize, usize),
    from: Rows<'_, *const T>,
    numbers: *const T,
    to: Rows<'_, *mut T>,
    (column, adds): (usize, bool),
) {
    // SAFETY: the caller's promise; the rest of a vector is neither read nor written.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        // Of complex numbers: products with real parts of the numbers, and with imaginary ones.
        let mut sums = [[[zero; PARTS]; VECTORS]; COLUMNS];
        let part = VECTORS == 1 && count < V::LANES;
        let mut number = numbers.add(column).cast::<V::Real>();
        for &row in from.0 {
            let row = from.1.offset(row).cast::<V::Real>().add(at);
            let mut x = [zero; VECTORS];
            for v in 0..VECTORS {
                x[v] = if part { V::load_some(row, count) } else { V::load(row.add(v * V::LANES)) };
            }
            for n in 0..COLUMNS {
                for p in 0..PARTS {
                    let y = V::splat(number.add(n * PARTS + p).read());
                    for v in 0..VECTORS {
                        sums[n][v][p] = sums[n][v][p].add_product(x[v], y);
                    }
                }
            }
            number = number.wrapping_add(to.0.len() * PARTS);
        }
        for n in 0..COLUMNS {
            let row = to.1.offset(to.0[column + n]).cast::<V::Real>().add(at);
            for v in 0..VECTORS {
                let mut sum = if PARTS == 1 { sums[n][v][0] } else { sums[n][v][0].add_times_i(sums[n][v][PARTS - 1]) };
                if adds {
                    sum = sum.add(if part { V::load_some(row, count) } else { V::load(row.add(v * V::LANES)) });
                }
                if part { sum.store_some(row, count) } else { sum.store(row.add(v * V::LANES)) }
            }
        }
    }
}
