//! Rows to columns, of real matrices that are near: squares in registers, without anything to be planned ahead.
//!
//! What is larger than the second cache goes by `permute`, which knows more of memory. Knows no algorithm.

use crate::simd::{
    Simd,
    vector::{self, Vector},
};
use tensorwrapper_core::element::Element;

/// Elements of a matrix up to which nothing is won by planning.
pub(super) const MOST: usize = 1 << 18;
/// Edge of blocks whose lines stay near until all of them was read and written, where strides are powers of two as well.
const BLOCK: usize = 16;

/// Which elements of the lines are wanted at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All.
    All,
    /// Elements `k ≤ n` of line `n`.
    UpTo,
    /// Elements `k ≥ n`.
    From,
}

impl Wanted {
    /// Whether it holds some element of a square that begins with element `k` of line `n`.
    fn has(self, (n, k): (usize, usize), edge: usize) -> bool {
        match self {
            Wanted::All => true,
            Wanted::UpTo => k < n + edge,
            Wanted::From => n < k + edge,
        }
    }
}

/// Lines that are contiguous, and where they lie across.
#[derive(Clone, Copy)]
pub(super) struct Lines<'o, T> {
    pub(super) from: *const T,
    /// How much further each line begins.
    pub(super) step: isize,
    /// Which line is read as each, if not itself.
    pub(super) order: Option<&'o [usize]>,
    pub(super) to: *mut T,
    /// How much further each element of a line goes.
    pub(super) stride: isize,
    pub(super) lines: usize,
    pub(super) length: usize,
    /// Which are wanted; others may be written as well.
    pub(super) wanted: Wanted,
}

/// The kernels for one element type and one set of instructions.
#[derive(Clone, Copy)]
pub(super) struct TransposeKernels<T> {
    /// Element `k` of line `n` goes to `k · stride + n`.
    ///
    /// # Safety
    /// The processor has the instructions. Lines can be read, and the places be written, which are other memory.
    pub(super) lines: unsafe fn(&Lines<'_, T>),
    /// Makes a lower triangle by columns one by rows, with zeros above it, of a square matrix whose order fills squares.
    ///
    /// # Safety
    /// The processor has the instructions; the memory is the matrix'.
    pub(super) triangle: unsafe fn(*mut T, usize),
}

/// Element types and their kernels.
pub(super) trait Transposable: Element {
    /// The kernels for these instructions, where there are any.
    fn transpose_kernels(simd: Simd) -> Option<TransposeKernels<Self>>;
}

macro_rules! transposable {
    ($T:ty, $($Way:ident: $V:ty, $features:literal, $arch:literal;)*) => {
        impl Transposable for $T {
            fn transpose_kernels(simd: Simd) -> Option<TransposeKernels<Self>> {
                match simd {
                    $(
                        #[cfg(target_arch = $arch)]
                        Simd::$Way => {
                            #[target_feature(enable = $features)]
                            unsafe fn lines(all: &Lines<'_, $T>) {
                                // SAFETY: the caller's promise.
                                unsafe { transpose_lines::<$V>(all) }
                            }
                            #[target_feature(enable = $features)]
                            unsafe fn triangle(a: *mut $T, n: usize) {
                                // SAFETY: the caller's promise.
                                unsafe { transpose_triangle::<$V>(a, n) }
                            }
                            Some(TransposeKernels { lines, triangle })
                        }
                        #[cfg(not(target_arch = $arch))]
                        Simd::$Way => None,
                    )*
                    Simd::Portable => None,
                }
            }
        }
        impl Transposable for num_complex::Complex<$T> {
            fn transpose_kernels(_: Simd) -> Option<TransposeKernels<Self>> {
                None
            }
        }
    };
}
crate::simd::for_vectors!(transposable);

/// How many squares cover so many places, of which the first belong to a square that begins before a line of the cache.
#[inline(always)]
fn squares(len: usize, head: usize, edge: usize) -> usize {
    usize::from(head > 0) + (len - head).div_ceil(edge)
}

/// Where a square begins: the first and the last of them may overlap others, which are written twice.
#[inline(always)]
fn begin(number: usize, len: usize, head: usize, edge: usize) -> usize {
    match number {
        0 => 0,
        _ => (head + (number - usize::from(head > 0)) * edge).min(len - edge),
    }
}

/// How many elements a result begins before whole squares of a row lie in lines of the cache, where all rows do so alike.
#[inline(always)]
fn head<T>(to: *const T, stride: isize, edge: usize) -> usize {
    let (bytes, square) = (size_of::<T>(), edge * size_of::<T>());
    let off = to.addr() % square;
    if (stride * bytes as isize) % square as isize == 0 && off.is_multiple_of(bytes) {
        (square - off) % square / bytes
    } else {
        0
    }
}

#[inline(always)]
unsafe fn transpose_lines<V: Vector>(all: &Lines<'_, V::Real>) {
    let &Lines { from, step, order, to, stride, lines, length, wanted } = all;
    let edge = V::SQUARE;
    let start = |n: usize| order.map_or(n, |order| order[n]) as isize * step;
    if lines < edge || length < edge {
        for n in 0..lines {
            for k in 0..length {
                // SAFETY: the caller's promise.
                unsafe { to.offset(k as isize * stride).add(n).write(from.offset(start(n)).add(k).read()) };
            }
        }
        return;
    }
    let head = if lines >= 2 * edge { head(to, stride, edge) } else { 0 };
    let (across, along) = (squares(lines, head, edge), squares(length, 0, edge));
    for first in (0..along).step_by(BLOCK / edge) {
        for line in (0..across).step_by(BLOCK / edge) {
            for number in first..along.min(first + BLOCK / edge) {
                let k = begin(number, length, 0, edge);
                let places: [*mut V::Real; vector::MOST_SQUARE] =
                    std::array::from_fn(|m| to.wrapping_offset((k + m) as isize * stride));
                for number in line..across.min(line + BLOCK / edge) {
                    let n = begin(number, lines, head, edge);
                    if wanted.has((n, k), edge) {
                        let mut offsets = [0; vector::MOST_SQUARE];
                        for (m, offset) in offsets.iter_mut().enumerate().take(edge) {
                            *offset = start(n + m);
                        }
                        // SAFETY: the caller's promise: the square lies inside.
                        unsafe { V::transpose(from.add(k), &offsets, &places, n) };
                    }
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn transpose_triangle<V: Vector>(a: *mut V::Real, n: usize) {
    debug_assert!(n.is_multiple_of(V::SQUARE));
    let zero = V::Real::ZERO;
    let offsets: [isize; vector::MOST_SQUARE] = std::array::from_fn(|m| (m * n) as isize);
    // SAFETY: the caller's promise: squares lie inside of the matrix, and those below the diagonal are not those above.
    unsafe {
        for first in (0..n).step_by(BLOCK) {
            for left in (0..first + 1).step_by(BLOCK) {
                for i in (first..n.min(first + BLOCK)).step_by(V::SQUARE) {
                    for j in (left..i.min(left + BLOCK)).step_by(V::SQUARE) {
                        let places: [*mut V::Real; vector::MOST_SQUARE] =
                            std::array::from_fn(|m| a.wrapping_add((i + m) * n + j));
                        V::transpose(a.add(j * n + i), &offsets, &places, 0);
                        for column in j..j + V::SQUARE {
                            std::slice::from_raw_parts_mut(a.add(column * n + i), V::SQUARE).fill(zero);
                        }
                    }
                }
            }
        }
        for row in 0..n {
            for column in row / V::SQUARE * V::SQUARE..row {
                *a.add(row * n + column) = *a.add(column * n + row);
                *a.add(column * n + row) = zero;
            }
        }
    }
}
