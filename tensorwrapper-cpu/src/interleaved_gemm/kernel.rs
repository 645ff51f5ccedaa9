//! Products side by side in the vectors of one step: tiles of rows and columns in registers.
//!
//! A complex number is two neighbouring reals of a vector: the real and the imaginary part of each element of the left factor have a
//! sum each, which the end brings together. Nothing is checked here: where elements lie is known when products are prepared.

use crate::product::{LEFT, RIGHT, Sizes};
use crate::simd::Simd;
#[cfg(target_arch = "aarch64")]
use crate::simd::neon;
use crate::simd::portable::Array;
use crate::simd::vector::{MOST_LANES, Vector};
#[cfg(target_arch = "x86_64")]
use crate::simd::x86;
use num_complex::Complex;
use tensorwrapper_core::element::{Element, EveryDtype};

/// Computes as many products as fill a vector.
pub(super) type Kernel<T> = unsafe fn(&Task<T>, &Vectors<T>);

/// A kernel with its shape.
pub(super) struct Form<T> {
    pub(super) kernel: Kernel<T>,
    /// Elements of a vector.
    pub(super) lanes: usize,
    /// Rows and columns of a tile.
    pub(super) tile: [usize; 2],
}

/// What is multiplied: extents, and strides of rows and columns.
#[derive(Debug)]
pub(super) struct Task<T> {
    pub(super) sizes: Sizes,
    pub(super) left: [isize; 2],
    pub(super) right: [isize; 2],
    pub(super) out: [isize; 2],
    pub(super) alpha: T,
    /// Which factors are conjugated.
    pub(super) conjugate: [bool; 2],
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

/// The kernel for these instructions and an axis of so many products, where one fills its vectors.
pub(super) fn form<T: Element>(simd: Simd, products: usize) -> Option<Form<T>> {
    // Complex numbers have twice as many sums, so tiles of half as many rows or columns.
    let form = |kernel, bytes: usize, [real, complex]: [[usize; 2]; 2]| {
        let tile = if T::DTYPE.is_complex() { complex } else { real };
        Form { kernel, lanes: bytes / size_of::<T>(), tile }
    };
    let form = match simd {
        // Wider vectors than there are products would be partly unused.
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 if products * size_of::<T>() < 64 => form(avx2::<T>, 32, [[4, 2], [2, 2]]),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => form(avx512::<T>, 64, [[4, 4], [4, 2]]),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => form(avx2::<T>, 32, [[4, 2], [2, 2]]),
        #[cfg(target_arch = "aarch64")]
        Simd::Neon => form(neon::<T>, 32, [[4, 2], [2, 2]]),
        _ => form(portable::<T>, 4 * size_of::<T::Real>(), [[4, 2], [2, 2]]),
    };
    (products >= form.lanes).then_some(form)
}

/// Compiles the loops for a set of instructions.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $Double:ty, $Single:ty, $real:literal x $real_columns:literal, $complex:literal x $complex_columns:literal $(, $features:literal)?) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As the `run` of `InterleavedGemm`, for one vector, and the processor has the instructions.
        $(#[target_feature(enable = $features)])?
        unsafe fn $name<T: Element>(task: &Task<T>, vectors: &Vectors<T>) {
            // A constant, as in `by_vectors`.
            // SAFETY: the caller's promise; elements are one or two reals of the type that is named.
            unsafe {
                (const {
                    match T::DTYPE.every() {
                        EveryDtype::F64 => product::<$Double, T, 1, $real, $real_columns>,
                        EveryDtype::F32 => product::<$Single, T, 1, $real, $real_columns>,
                        EveryDtype::C64 => product::<$Double, T, 2, $complex, $complex_columns>,
                        EveryDtype::C32 => product::<$Single, T, 2, $complex, $complex_columns>,
                    }
                })(task, vectors);
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
kernel!(
    /// In 512-bit vectors.
    avx512, x86::F64x8, x86::F32x16, 4 x 4, 4 x 2, "avx512f,avx2,fma"
);
#[cfg(target_arch = "x86_64")]
kernel!(
    /// In 256-bit vectors.
    avx2, x86::F64x4, x86::F32x8, 4 x 2, 2 x 2, "avx2,fma"
);
#[cfg(target_arch = "aarch64")]
kernel!(
    /// In pairs of 128-bit vectors.
    neon, neon::F64x4, neon::F32x8, 4 x 2, 2 x 2, "neon"
);
kernel!(
    /// In whatever registers the compilation's target has.
    portable, Array<f64>, Array<f32>, 4 x 2, 2 x 2
);

/// All tiles of a vector of products.
///
/// # Safety
/// As [`InterleavedGemm::run`].
#[inline(always)]
unsafe fn product<V: Vector, T: Element, const PARTS: usize, const ROWS: usize, const COLUMNS: usize>(
    task: &Task<T>,
    vectors: &Vectors<T>,
) {
    let Sizes { rows, columns, inner } = task.sizes;
    let [mut left, mut right] = vectors.from.map(|from| from.cast::<V::Real>());
    let out = vectors.to.cast::<V::Real>();
    let is_packed = !task.packed[0].is_empty();
    if is_packed {
        // SAFETY: the caller's promise: these are the vectors of the factors, and there is room for them.
        unsafe {
            left = pack::<V, PARTS>(&task.packed[LEFT], left, vectors.room[LEFT].cast());
            right = pack::<V, PARTS>(&task.packed[RIGHT], right, vectors.room[RIGHT].cast());
        }
    }
    let next = vectors.next.map(|next| next.cast::<V::Real>());
    let parts = PARTS as isize;
    // SAFETY: the processor has the instructions.
    let end = unsafe { End::<V>::new(task) };
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
                let out = out.offset((i * task.out[0] + j * task.out[1]) * parts);
                let lanes = V::LANES as isize;
                let tile: Tile<V> = if is_packed {
                    let [left, right] = [(left, row * inner), (right, column * inner)].map(|(at, n)| at.add(n * V::LANES));
                    for side in [LEFT, RIGHT] {
                        let order = &task.packed[side];
                        ask::<V, PARTS>(&order[order.len() * number / tiles..order.len() * (number + 1) / tiles], next[side]);
                    }
                    number += 1;
                    Tile { left, right, rows: lanes, columns: lanes, terms: [high, wide].map(|n| n as isize * lanes), out }
                } else {
                    let (left, right) = (left.offset(i * task.left[0] * parts), right.offset(j * task.right[1] * parts));
                    let (rows, columns) = (task.left[0] * parts, task.right[1] * parts);
                    let terms = [task.left[1] * parts, task.right[0] * parts];
                    Tile { left, right, rows, columns, terms, out }
                };
                match (high > 1, wide > 1) {
                    (true, true) => tile.compute::<T, PARTS, ROWS, COLUMNS>(task, &end, is_packed),
                    (true, false) => tile.compute::<T, PARTS, ROWS, 1>(task, &end, is_packed),
                    (false, true) => tile.compute::<T, PARTS, 1, COLUMNS>(task, &end, is_packed),
                    (false, false) => tile.compute::<T, PARTS, 1, 1>(task, &end, is_packed),
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
#[inline(always)]
unsafe fn pack<V: Vector, const PARTS: usize>(order: &[isize], from: *const V::Real, room: *mut V::Real) -> *const V::Real {
    for (n, &at) in order.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { V::load(from.offset(at * PARTS as isize)).store(room.add(n * V::LANES)) };
    }
    room
}

/// Asks for vectors of the next step.
#[inline(always)]
unsafe fn ask<V: Vector, const PARTS: usize>(order: &[isize], next: *const V::Real) {
    for &at in order {
        // Its end: the line of its beginning is that of this step's end, where they are two.
        let last = next.wrapping_offset(at * PARTS as isize).wrapping_add(V::LANES - 1);
        // SAFETY: a hint, whatever the address.
        unsafe { V::prefetch_far(last) };
    }
}

/// Some rows and columns, in registers: where their first vectors lie, how much further the next ones are, and those of the next
/// term.
struct Tile<V: Vector> {
    left: *const V::Real,
    right: *const V::Real,
    rows: isize,
    columns: isize,
    terms: [isize; 2],
    out: *mut V::Real,
}

impl<V: Vector> Tile<V> {
    /// Computes them; asks for the result's lines meanwhile where told to.
    ///
    /// # Safety
    /// As [`InterleavedGemm::run`], for these.
    #[inline(always)]
    unsafe fn compute<T: Element, const PARTS: usize, const ROWS: usize, const COLUMNS: usize>(
        self,
        task: &Task<T>,
        end: &End<V>,
        asks: bool,
    ) {
        let Tile { mut left, mut right, out, .. } = self;
        let parts = PARTS as isize;
        let place = |i: usize, j: usize| (i as isize * task.out[0] + j as isize * task.out[1]) * parts;
        // SAFETY: the caller's promise.
        unsafe {
            if asks {
                for i in 0..ROWS {
                    for j in 0..COLUMNS {
                        V::prefetch(out.offset(place(i, j)).cast_const());
                    }
                }
            }
            let zero = V::splat(V::Real::ZERO);
            // Of real numbers the second sums are not used.
            let mut sums = [[[zero; 2]; COLUMNS]; ROWS];
            for _ in 0..task.sizes.inner {
                let mut b = [zero; COLUMNS];
                for (n, b) in b.iter_mut().enumerate() {
                    *b = V::load(right.wrapping_offset(n as isize * self.columns));
                }
                for (n, sums) in sums.iter_mut().enumerate() {
                    let a = V::load(left.wrapping_offset(n as isize * self.rows));
                    for (sum, b) in sums.iter_mut().zip(b) {
                        if PARTS == 1 {
                            sum[0] = sum[0].add_product(a, b);
                        } else {
                            sum[0] = sum[0].add_product(a.real_parts(), b);
                            sum[1] = sum[1].add_product(a.imaginary_parts(), b);
                        }
                    }
                }
                left = left.wrapping_offset(self.terms[0]);
                right = right.wrapping_offset(self.terms[1]);
            }
            for (i, sums) in sums.iter().enumerate() {
                for (j, &sum) in sums.iter().enumerate() {
                    let sum = if PARTS == 1 { sum[0].mul(end.alpha[0]) } else { end.complex(sum) };
                    sum.store(out.offset(place(i, j)));
                }
            }
        }
    }
}

/// What becomes of sums before they are stored.
struct End<V> {
    /// The real and the imaginary part of the number that they are multiplied by.
    alpha: [V; 2],
    /// The sign of the second sums: conjugates of the left factor, or else of the right one, subtract them.
    second: V,
    /// What conjugates a vector where the right factor is conjugated.
    signs: V,
}

impl<V: Vector> End<V> {
    /// # Safety
    /// As all functions of [`Vector`].
    #[inline(always)]
    unsafe fn new<T: Element>(task: &Task<T>) -> End<V> {
        let number = |x: f64| V::Real::from_complex(Complex::new(x, 0.0));
        let alpha = task.alpha.to_complex();
        let [left, right] = task.conjugate;
        let sign = |negative: bool| number(if negative { -1.0 } else { 1.0 });
        let mut signs = [sign(false); MOST_LANES];
        let mut n = 1;
        while n < MOST_LANES {
            signs[n] = sign(right);
            n += 2;
        }
        // SAFETY: the caller's promise; there are signs for the widest vector.
        unsafe {
            let alpha = [V::splat(number(alpha.re)), V::splat(number(alpha.im))];
            End { alpha, second: V::splat(sign(left != right)), signs: V::load(signs.as_ptr()) }
        }
    }

    /// `alpha · (first + i · second)`, conjugated where the right factor is.
    ///
    /// # Safety
    /// As all functions of [`Vector`].
    #[inline(always)]
    unsafe fn complex(&self, [first, second]: [V; 2]) -> V {
        // SAFETY: the caller's promise.
        unsafe {
            let sum = first.add_times_i(second.mul(self.second)).mul(self.signs);
            sum.mul(self.alpha[0]).add_times_i(sum.mul(self.alpha[1]))
        }
    }
}

/// Rows or columns of the next panel, of so many that are left: as many as there should be, or one.
#[inline(always)]
pub(super) const fn width(left: usize, wide: usize) -> usize {
    if left >= wide { wide } else { 1 }
}
