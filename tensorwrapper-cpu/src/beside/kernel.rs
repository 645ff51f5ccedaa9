//! Products side by side in the vectors of one step: tiles of rows and columns in registers.
//!
//! Nothing is checked here: where elements lie is known when products are prepared.

#[cfg(target_arch = "x86_64")]
use super::super::contract::{LEFT, RIGHT};
use super::super::engine::Simd;
#[cfg(target_arch = "x86_64")]
use super::super::fixed::lanes::{F32x16, F64x8, Lanes};
use super::super::gemm::Sizes;
#[cfg(target_arch = "x86_64")]
use super::{TILE, width};
use tensorwrapper_core::element::{Element, EveryDtype};

/// Computes as many products as a vector has lanes.
pub(super) type Kernel<T> = unsafe fn(&Task<T>, &Vectors<T>);

/// What is multiplied: extents, and strides of rows and columns.
#[derive(Debug)]
pub(super) struct Task<T> {
    pub(super) sizes: Sizes,
    pub(super) left: [isize; 2],
    pub(super) right: [isize; 2],
    pub(super) out: [isize; 2],
    pub(super) alpha: T,
    /// Where the vectors of both factors lie, in the order in which they are packed, which is that of their use; empty where
    /// they are read where they are.
    pub(super) packed: [Vec<isize>; 2],
}

/// Where the vectors of one step begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors<T> {
    /// The first elements of the factors, and those of the next step.
    pub(super) from: [*const T; 2],
    pub(super) next: [*const T; 2],
    pub(super) to: *mut T,
    /// Memory for packed vectors.
    pub(super) room: [*mut T; 2],
}

/// The kernel, the lanes of its vectors, and the columns of its panels.
pub(super) fn kernel<T: Element>(simd: Simd) -> Option<(Kernel<T>, usize, usize)> {
    match (simd, T::DTYPE.every()) {
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx512, EveryDtype::F64 | EveryDtype::F32) => Some((wide::<T>, 64 / size_of::<T>(), 4)),
        #[cfg(target_arch = "x86_64")]
        (Simd::Avx2, EveryDtype::F64 | EveryDtype::F32) => Some((narrow::<T>, 32 / size_of::<T>(), 2)),
        #[cfg(not(target_arch = "x86_64"))]
        (Simd::Avx512 | Simd::Avx2, _) => None,
        (Simd::Neon | Simd::Portable, _) | (_, EveryDtype::C32 | EveryDtype::C64) => None,
    }
}

/// Compiles the loops for a set of instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $features:literal, $rows:ident x $columns:literal, $Double:ty, $Single:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As [`Beside::run`], for one vector, and the processor has the instructions.
        #[target_feature(enable = $features)]
        unsafe fn $name<T: Element>(task: &Task<T>, vectors: &Vectors<T>) {
            // SAFETY: the caller's promise; the pointers are of the type that is named.
            unsafe {
                match T::DTYPE.every() {
                    EveryDtype::F64 => product::<$Double, T, $rows, $columns>(task, vectors),
                    EveryDtype::F32 => product::<$Single, T, $rows, $columns>(task, vectors),
                    EveryDtype::C32 | EveryDtype::C64 => unreachable!("there are kernels for real numbers alone"),
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
kernel!(
    /// In 512-bit vectors.
    wide, "avx512f,avx2,fma", TILE x 4, F64x8, F32x16
);
#[cfg(target_arch = "x86_64")]
kernel!(
    /// In 256-bit vectors.
    narrow, "avx2,fma", TILE x 2, <F64x8 as Lanes>::Half, <F32x16 as Lanes>::Half
);

/// All tiles of a vector of products.
///
/// # Safety
/// As [`Beside::run`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn product<V: Lanes, T: Element, const ROWS: usize, const COLUMNS: usize>(task: &Task<T>, vectors: &Vectors<T>) {
    let Sizes { rows, columns, inner } = task.sizes;
    let [mut left, mut right] = vectors.from.map(|from| from.cast::<V::Real>());
    let out = vectors.to.cast::<V::Real>();
    let is_packed = !task.packed[0].is_empty();
    if is_packed {
        // SAFETY: the caller's promise: these are the vectors of the factors, and there is room for them.
        unsafe {
            left = pack::<V>(&task.packed[LEFT], left, vectors.room[LEFT].cast());
            right = pack::<V>(&task.packed[RIGHT], right, vectors.room[RIGHT].cast());
        }
    }
    let next = vectors.next.map(|next| next.cast::<V::Real>());
    // Each tile asks for its share of the next vectors.
    let tiles = (rows / ROWS + rows % ROWS) * (columns / COLUMNS + columns % COLUMNS);
    let mut number = 0;
    // Loops stand where closures could: one that is not inlined is not compiled for the instructions.
    let mut row = 0;
    while row < rows {
        let high = width(rows - row, ROWS);
        let mut column = 0;
        while column < columns {
            let wide = width(columns - column, COLUMNS);
            let (i, j) = (row as isize, column as isize);
            // SAFETY: row and column are ones of the result; the caller's promise covers all that is read for them, and a
            // panel that is packed begins behind those before it.
            unsafe {
                let out = out.offset(i * task.out[0] + j * task.out[1]);
                let lanes = V::LANES as isize;
                let tile: Tile<V> = if is_packed {
                    let [left, right] = [(left, row * inner), (right, column * inner)].map(|(at, n)| at.add(n * V::LANES));
                    for side in [LEFT, RIGHT] {
                        let order = &task.packed[side];
                        ask::<V>(&order[order.len() * number / tiles..order.len() * (number + 1) / tiles], next[side]);
                    }
                    number += 1;
                    Tile { left, right, rows: lanes, columns: lanes, terms: [high, wide].map(|n| n as isize * lanes), out }
                } else {
                    let (left, right) = (left.offset(i * task.left[0]), right.offset(j * task.right[1]));
                    let (rows, columns, terms) = (task.left[0], task.right[1], [task.left[1], task.right[0]]);
                    Tile { left, right, rows, columns, terms, out }
                };
                match (high > 1, wide > 1) {
                    (true, true) => tile.compute::<T, ROWS, COLUMNS>(task, is_packed),
                    (true, false) => tile.compute::<T, ROWS, 1>(task, is_packed),
                    (false, true) => tile.compute::<T, 1, COLUMNS>(task, is_packed),
                    (false, false) => tile.compute::<T, 1, 1>(task, is_packed),
                }
            }
            column += wide;
        }
        row += high;
    }
}

/// Packs vectors in this order.
///
/// # Safety
/// They lie inside the memory, and there is room for them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn pack<V: Lanes>(order: &[isize], from: *const V::Real, room: *mut V::Real) -> *const V::Real {
    for (n, &at) in order.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { V::load(from.offset(at)).store(room.add(n * V::LANES)) };
    }
    room
}

/// Asks for vectors of the next step.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ask<V: Lanes>(order: &[isize], next: *const V::Real) {
    use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
    for &at in order {
        // Its end: the line of its beginning is that of this step's end, where they are two.
        let last = next.wrapping_offset(at).wrapping_add(V::LANES - 1);
        // SAFETY: a hint, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(last.cast()) };
    }
}

/// Some rows and columns, in registers: where their first vectors lie, how much further the next ones are, and those of the next
/// term.
#[cfg(target_arch = "x86_64")]
struct Tile<V: Lanes> {
    left: *const V::Real,
    right: *const V::Real,
    rows: isize,
    columns: isize,
    terms: [isize; 2],
    out: *mut V::Real,
}

#[cfg(target_arch = "x86_64")]
impl<V: Lanes> Tile<V> {
    /// Computes them; asks for the result's lines meanwhile where told to.
    ///
    /// # Safety
    /// As [`Beside::run`], for these.
    #[inline(always)]
    unsafe fn compute<T: Element, const ROWS: usize, const COLUMNS: usize>(self, task: &Task<T>, asks: bool) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let Tile { mut left, mut right, out, .. } = self;
        let place = |i: usize, j: usize| i as isize * task.out[0] + j as isize * task.out[1];
        // SAFETY: the caller's promise.
        unsafe {
            if asks {
                for i in 0..ROWS {
                    for j in 0..COLUMNS {
                        _mm_prefetch::<_MM_HINT_T0>(out.offset(place(i, j)).cast_const().cast());
                    }
                }
            }
            let mut sums = [[V::zero(); COLUMNS]; ROWS];
            for _ in 0..task.sizes.inner {
                let mut b = [V::zero(); COLUMNS];
                for (n, b) in b.iter_mut().enumerate() {
                    *b = V::load(right.wrapping_offset(n as isize * self.columns));
                }
                for (n, sums) in sums.iter_mut().enumerate() {
                    let a = V::load(left.wrapping_offset(n as isize * self.rows));
                    for (sum, b) in sums.iter_mut().zip(b) {
                        *sum = sum.add_product(a, b);
                    }
                }
                left = left.wrapping_offset(self.terms[0]);
                right = right.wrapping_offset(self.terms[1]);
            }
            let alpha = V::splat(V::Real::from_complex(task.alpha.to_complex()));
            for (i, sums) in sums.iter().enumerate() {
                for (j, sum) in sums.iter().enumerate() {
                    sum.mul(alpha).store(out.offset(place(i, j)));
                }
            }
        }
    }
}
