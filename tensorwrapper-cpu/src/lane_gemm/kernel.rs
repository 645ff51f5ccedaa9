//! The kernels of products within vectors: terms are brought to the lanes of all columns, and multiplied by a number for each lane.
//!
//! Knows nothing of axes.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use crate::simd::vector::{MOST_LANES, Vector};
use crate::simd::{Simd, by_vectors};
use tensorwrapper_core::element::Element;

/// Terms in a vector at most: there is a form of the kernels for each number.
pub(super) const MOST_TERMS: usize = 8;
/// Columns that are computed at once.
const TOGETHER: usize = 4;

/// What the kernels know.
#[derive(Debug)]
pub(super) struct Task {
    /// Where the vectors begin that have different terms, and those that have different columns.
    pub(super) terms: Vec<isize>,
    pub(super) columns: Vec<isize>,
    /// For each term in a vector, the lane that each lane gets its term from; of reals.
    pub(super) moves: Vec<[u32; MOST_LANES]>,
}

/// Vectors of which so many reals are computed: where they begin.
pub(super) type Vectors<'a> = (usize, &'a [[isize; 2]]);

/// Computes vectors, from the large factor and the numbers to the result.
pub(super) type Kernel<T> = unsafe fn(&Task, Vectors<'_>, *const T, *const u8, *mut T);

/// The kernel for these instructions, and the bytes of its vectors.
pub(super) fn kernel<T: Element>(simd: Simd) -> (Kernel<T>, usize) {
    let kernel = by_vectors!(simd, T, all(task: &Task, vectors: Vectors<'_>, from: *const T, numbers: *const u8, to: *mut T));
    let bytes = match simd {
        Simd::Avx512 => 64,
        Simd::Avx2 | Simd::Neon => 32,
        Simd::Portable => 4 * size_of::<T::Real>(),
    };
    (kernel, bytes)
}

/// All vectors.
///
/// # Safety
/// So many reals follow where vectors begin; there is a number for each column, term and lane; the processor has the instructions.
#[inline(always)]
unsafe fn all<V: Vector, T: Element, const PARTS: usize>(
    task: &Task,
    vectors: Vectors<'_>,
    from: *const T,
    numbers: *const u8,
    to: *mut T,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match task.moves.len() {
            1 => with::<V, T, PARTS, 1>(task, vectors, from, numbers, to),
            2 => with::<V, T, PARTS, 2>(task, vectors, from, numbers, to),
            4 => with::<V, T, PARTS, 4>(task, vectors, from, numbers, to),
            8 => with::<V, T, PARTS, 8>(task, vectors, from, numbers, to),
            _ => unreachable!("extents divide the lanes of a vector"),
        }
    }
}

/// All vectors, of so many terms in each.
#[inline(always)]
unsafe fn with<V: Vector, T: Element, const PARTS: usize, const TERMS: usize>(
    task: &Task,
    (count, vectors): Vectors<'_>,
    from: *const T,
    numbers: *const u8,
    to: *mut T,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut moves = [V::order(&task.moves[0]); TERMS];
        for n in 1..TERMS {
            moves[n] = V::order(&task.moves[n]);
        }
        for vector in vectors {
            let (from, to) = (from.offset(vector[0]), to.offset(vector[1]));
            let mut column = 0;
            while column < task.columns.len() {
                let columns = TOGETHER.min(task.columns.len() - column);
                match columns {
                    4 => some::<V, T, PARTS, TERMS, 4>((task, &moves), count, from, numbers.cast(), to, column),
                    3 => some::<V, T, PARTS, TERMS, 3>((task, &moves), count, from, numbers.cast(), to, column),
                    2 => some::<V, T, PARTS, TERMS, 2>((task, &moves), count, from, numbers.cast(), to, column),
                    _ => some::<V, T, PARTS, TERMS, 1>((task, &moves), count, from, numbers.cast(), to, column),
                }
                column += columns;
            }
        }
    }
}

/// A vector of each of some columns.
#[inline(always)]
unsafe fn some<V: Vector, T: Element, const PARTS: usize, const TERMS: usize, const COLUMNS: usize>(
    (task, moves): (&Task, &[V::Order; TERMS]),
    count: usize,
    from: *const T,
    numbers: *const V::Real,
    to: *mut T,
    column: usize,
) {
    // SAFETY: the caller's promise; the rest of a vector is neither read nor written.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        // Of complex numbers: products with real parts of the numbers, and with imaginary ones.
        let mut sums = [[zero; PARTS]; COLUMNS];
        let (each, is_part) = (TERMS * PARTS * V::LANES, count < V::LANES);
        let further = task.terms.len() * each;
        let mut number = numbers.add(column * further);
        for &term in &task.terms {
            let from = from.offset(term).cast::<V::Real>();
            let x = if is_part { V::load_some(from, count) } else { V::load(from) };
            for t in 0..TERMS {
                let x = if TERMS == 1 { x } else { x.permute(moves[t]) };
                for n in 0..COLUMNS {
                    for p in 0..PARTS {
                        let y = V::load(number.add(n * further + (t * PARTS + p) * V::LANES));
                        sums[n][p] = sums[n][p].add_product(x, y);
                    }
                }
            }
            number = number.add(each);
        }
        for n in 0..COLUMNS {
            let to = to.offset(task.columns[column + n]).cast::<V::Real>();
            let sum = if PARTS == 1 { sums[n][0] } else { sums[n][0].add_times_i(sums[n][PARTS - 1]) };
            if is_part { sum.store_some(to, count) } else { sum.store(to) }
        }
    }
}
