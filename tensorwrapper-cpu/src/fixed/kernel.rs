//! The kernel: a few rows of the result in registers from the first term to the last, for every width of vectors.
//!
//! What is computed is a [`Size`]: a constant, of which the compiler makes straight code, or known when a product is prepared.
//! The last vector of a row overlaps the one before it, so that no row needs a part of a vector. Complex numbers are pairs
//! of reals: real and imaginary part of an element on the left have a row of sums each, which the end brings together.

use super::Problem;
pub(crate) use super::rows::RowMemory;
use super::rows::in_rows;
use crate::lines::Line;
#[cfg(target_arch = "aarch64")]
use crate::lines::Words;
#[cfg(target_arch = "x86_64")]
use crate::lines::x86 as lines;
#[cfg(target_arch = "aarch64")]
use crate::simd::neon;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86;
use crate::simd::{Simd, vector::Vector};
use tensorwrapper_core::element::{Element, EveryDtype};

/// What a kernel computes.
pub(crate) trait Size: Copy {
    /// Whether the rows of the right operand have to be brought together first, in memory that the kernel has for them.
    const TRANSPOSED: bool = false;

    /// Rows and columns of the result where the compiler knows them: it makes no code then for vectors and blocks that they have no use
    /// for.
    const KNOWN: Option<[usize; 2]> = None;

    /// Extents and strides.
    fn problem(self) -> Problem;

    /// The same where it is known only at run time: the first element of a [`RowMemory`], which nothing else uses meanwhile. The right
    /// operand's columns are no neighbours then, and the result is one product.
    #[inline(always)]
    fn row_memory<T>(self) -> Option<*mut T> {
        None
    }

    /// Of how many products the result is the sum; more than one only where no rows are brought together.
    #[inline(always)]
    fn products(self) -> usize {
        1
    }

    /// How much further the factors of the product of that number begin.
    #[inline(always)]
    fn begins(self, _product: usize) -> [usize; 2] {
        [0; 2]
    }

    /// Elements of the result as they are stored, of their sums, and where that is.
    ///
    /// # Safety
    /// As all functions of [`Vector`]; the elements of the result were written before where the size adds to them.
    #[inline(always)]
    unsafe fn stored<V: Vector>(self, sums: V, _to: *const V::Real) -> V {
        sums
    }
}

/// The kernels for one set of instructions.
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $features:literal, $Double:ty, $Single:ty, $Line:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions, and the memory is that of the problem, whose rows are no narrower than the
        /// narrowest vector.
        #[target_feature(enable = $features)]
        unsafe fn $name<S: Size, T: Element>(size: S, a: *const T, b: *const T, c: *mut T) {
            // SAFETY: the caller's promise; elements are so many reals of the type that is named. A constant, so that the compiler looks
            // at what is chosen alone.
            unsafe {
                (const {
                    match T::DTYPE.every() {
                        EveryDtype::F64 => all::<S, $Double, $Line, T, 1>,
                        EveryDtype::C64 => all::<S, $Double, $Line, T, 2>,
                        EveryDtype::F32 => all::<S, $Single, $Line, T, 1>,
                        EveryDtype::C32 => all::<S, $Single, $Line, T, 2>,
                    }
                })(size, a, b, c);
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
kernels!(
    /// With 512 bits.
    avx512, "avx512f,avx2,fma", x86::F64x8, x86::F32x16, lines::Whole
);
#[cfg(target_arch = "x86_64")]
kernels!(
    /// With 256 bits.
    avx2, "avx2,fma", x86::F64x4, x86::F32x8, lines::Halves
);
#[cfg(target_arch = "aarch64")]
kernels!(
    /// With pairs of 128 bits.
    neon, "neon", neon::F64x4, neon::F32x8, Words
);

/// Whether there are kernels for these instructions. Where there are none, the compiler makes vectors of plain loops.
pub(crate) const fn exist(simd: Simd) -> bool {
    match simd {
        Simd::Avx512 | Simd::Avx2 => cfg!(target_arch = "x86_64"),
        Simd::Neon => cfg!(target_arch = "aarch64"),
        Simd::Portable => false,
    }
}

/// Computes a product by the kernel for these instructions, for which [kernels exist](exist).
///
/// # Safety
/// The processor has the instructions, and the memory is that of the problem, whose rows are no narrower than the narrowest vector.
#[inline(always)]
pub(crate) unsafe fn run<S: Size, T: Element>(simd: Simd, size: S, a: *const T, b: *const T, c: *mut T) {
    match simd {
        // SAFETY: the caller's promise.
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => unsafe { avx512(size, a, b, c) },
        // SAFETY: the caller's promise.
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => unsafe { avx2(size, a, b, c) },
        // SAFETY: the caller's promise.
        #[cfg(target_arch = "aarch64")]
        Simd::Neon => unsafe { neon(size, a, b, c) },
        _ => unreachable!("there is no kernel for {simd:?}"),
    }
}

/// All products of matrices.
#[inline(always)]
unsafe fn all<S: Size, V: Vector, L: Line, T: Element, const PARTS: usize>(size: S, a: *const T, b: *const T, c: *mut T) {
    let p = size.problem();
    let [o0, o1, o2, o3, o4, o5] = p.outer;
    // SAFETY: the caller's promise: every index of every loop is inside of the memory.
    unsafe {
        for i0 in 0..o0.extent {
            let (a, b, c) = (a.add(i0 * o0.a), b.add(i0 * o0.b), c.add(i0 * o0.c));
            for i1 in 0..o1.extent {
                let (a, b, c) = (a.add(i1 * o1.a), b.add(i1 * o1.b), c.add(i1 * o1.c));
                for i2 in 0..o2.extent {
                    let (a, b, c) = (a.add(i2 * o2.a), b.add(i2 * o2.b), c.add(i2 * o2.c));
                    for i3 in 0..o3.extent {
                        let (a, b, c) = (a.add(i3 * o3.a), b.add(i3 * o3.b), c.add(i3 * o3.c));
                        for i4 in 0..o4.extent {
                            let (a, b, c) = (a.add(i4 * o4.a), b.add(i4 * o4.b), c.add(i4 * o4.c));
                            for i5 in 0..o5.extent {
                                let (a, b, c) = (a.add(i5 * o5.a), b.add(i5 * o5.b), c.add(i5 * o5.c));
                                packed::<S, V, L, T, PARTS>(size, a, b, c);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// One product of matrices, its right operand brought into rows first where it is not.
#[inline(always)]
unsafe fn packed<S: Size, V: Vector, L: Line, T: Element, const PARTS: usize>(size: S, a: *const T, b: *const T, c: *mut T) {
    // SAFETY: the caller's promise; what is brought into rows fits the memory for it, and all of that which is read was written.
    unsafe {
        let mut own;
        let rows = if const { S::TRANSPOSED } {
            own = RowMemory::<T>::UNINIT;
            Some(own.start())
        } else {
            size.row_memory::<T>()
        };
        debug_assert!(rows.is_none() || size.products() == 1 && size.problem().b_column != 1, "rows are those of one product");
        let mut right = b;
        if let Some(rows) = rows {
            in_rows::<L, T>(&size.problem(), b, rows);
            right = rows;
        }
        widths::<S, V, PARTS>(size, a.cast(), right.cast(), c.cast());
    }
}

/// Chooses the widest vectors that a row fills.
#[inline(always)]
unsafe fn widths<S: Size, V: Vector, const PARTS: usize>(size: S, a: *const V::Real, b: *const V::Real, c: *mut V::Real) {
    let reals = size.problem().columns * PARTS;
    // SAFETY: the caller's promise.
    unsafe {
        if const { may_fill::<S>(PARTS, V::LANES, usize::MAX) } && reals >= V::LANES {
            product::<S, V, PARTS>(size, a, b, c);
        } else if const { may_fill::<S>(PARTS, <V::Half as Vector>::LANES, V::LANES) } && reals >= <V::Half as Vector>::LANES {
            product::<S, V::Half, PARTS>(size, a, b, c);
        } else if const { may_fill::<S>(PARTS, 0, <V::Half as Vector>::LANES) } {
            product::<S, <V::Half as Vector>::Half, PARTS>(size, a, b, c);
        }
    }
}

/// Whether rows of the result may have at least so many reals, and fewer than `most`.
const fn may_fill<S: Size>(parts: usize, least: usize, most: usize) -> bool {
    match S::KNOWN {
        Some([_, columns]) => least <= columns * parts && columns * parts < most,
        None => true,
    }
}

/// How many vectors the next stripe of a row has, of which so many reals are left. A part of a vector is never a stripe of its own: its
/// vector begins further back, inside the same stripe, so that no element is added to twice.
const fn next_stripe(left: usize, lanes: usize) -> usize {
    match left.div_ceil(lanes) {
        4 if left < 4 * lanes => 2,
        vectors if vectors < 3 => vectors,
        _ => 3,
    }
}

/// Whether rows of the result may need a stripe of so many vectors.
const fn may_need<S: Size>(parts: usize, lanes: usize, vectors: usize) -> bool {
    let Some([_, columns]) = S::KNOWN else { return true };
    let mut left = columns * parts;
    while left > 0 {
        let next = next_stripe(left, lanes);
        if next == vectors {
            return true;
        }
        left = left.saturating_sub(next * lanes);
    }
    false
}

/// Whether some block of a stripe may have so many rows, the largest having `most`: each number is twice the next.
const fn may_block<S: Size>(count: usize, most: usize) -> bool {
    match S::KNOWN {
        Some([rows, _]) => {
            if count == most {
                rows >= count
            } else {
                rows & count != 0
            }
        }
        None => true,
    }
}

/// Stripes of up to three vectors, one beside the other.
#[inline(always)]
unsafe fn product<S: Size, V: Vector, const PARTS: usize>(size: S, a: *const V::Real, b: *const V::Real, c: *mut V::Real) {
    let reals = size.problem().columns * PARTS;
    debug_assert!(reals >= V::LANES, "rows of {reals} are narrower than any vector");
    let mut from = 0;
    // SAFETY: a stripe lies in the row: it starts and ends there.
    unsafe {
        while from < reals {
            let left = reals - from;
            let vectors = next_stripe(left, V::LANES);
            // The last vector of a row begins further back where there is only a part of it.
            let last = (left - V::LANES).min((vectors - 1) * V::LANES);
            let (b, c) = (b.add(from), c.add(from));
            if const { may_need::<S>(PARTS, V::LANES, 1) } && vectors == 1 {
                stripe::<S, V, 1, PARTS>(size, a, b, c, last);
            } else if const { may_need::<S>(PARTS, V::LANES, 2) } && vectors == 2 {
                stripe::<S, V, 2, PARTS>(size, a, b, c, last);
            } else if const { may_need::<S>(PARTS, V::LANES, 3) } {
                stripe::<S, V, 3, PARTS>(size, a, b, c, last);
            }
            from += vectors * V::LANES;
        }
    }
}

/// Sums of a column that a block holds at most. One vector of columns leaves registers for more, and needs them: sums wait for each
/// other.
const fn most<V: Vector>(columns: usize) -> usize {
    V::ROWS * if columns == 1 { 2 } else { 1 }
}

/// All rows of a stripe, some at a time. `last` is where its last vector starts.
#[inline(always)]
unsafe fn stripe<S: Size, V: Vector, const COLUMNS: usize, const PARTS: usize>(
    size: S,
    a: *const V::Real,
    b: *const V::Real,
    c: *mut V::Real,
    last: usize,
) {
    let Problem { rows, a_row, c_row, .. } = size.problem();
    let mut row = 0;
    macro_rules! blocks {
        ($($SUMS:literal)*) => { $(
            if const { $SUMS <= most::<V>(COLUMNS) && $SUMS >= PARTS && may_block::<S>($SUMS / PARTS, most::<V>(COLUMNS) / PARTS) } {
                while rows - row >= $SUMS / PARTS {
                    // SAFETY: there are so many rows.
                    unsafe {
                        block::<S, V, $SUMS, COLUMNS, PARTS>(size, a.add(row * a_row * PARTS), b, c.add(row * c_row * PARTS), last);
                    }
                    row += $SUMS / PARTS;
                }
            }
        )* };
    }
    blocks!(16 8 4 2 1);
}

/// Some rows of a stripe, in registers.
#[inline(always)]
unsafe fn block<S: Size, V: Vector, const SUMS: usize, const COLUMNS: usize, const PARTS: usize>(
    size: S,
    a: *const V::Real,
    b: *const V::Real,
    c: *mut V::Real,
    last: usize,
) {
    let p = size.problem();
    let [near, far] = p.b_terms();
    let start = |n: usize| if n + 1 == COLUMNS { last } else { n * V::LANES };
    // SAFETY: the caller's promise: rows, terms and the vectors of the stripe are inside of the memory.
    unsafe {
        let mut sums = [[V::splat(V::Real::ZERO); COLUMNS]; SUMS];
        for product in 0..size.products() {
            let [a_begins, b_begins] = size.begins(product);
            let (a, b) = (a.add(a_begins * PARTS), b.add(b_begins * PARTS));
            for k1 in 0..p.terms[1].extent {
                for k0 in 0..p.terms[0].extent {
                    let a = a.add((k1 * p.terms[1].a + k0 * p.terms[0].a) * PARTS);
                    let b = b.add((k1 * far + k0 * near) * PARTS);
                    let mut right = [V::splat(V::Real::ZERO); COLUMNS];
                    for (n, right) in right.iter_mut().enumerate() {
                        *right = V::load(b.add(start(n)));
                    }
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let left = V::splat(*a.add(row / PARTS * p.a_row * PARTS + row % PARTS));
                        for (sum, right) in sums.iter_mut().zip(right) {
                            *sum = sum.add_product(left, right);
                        }
                    }
                }
            }
        }
        for row in 0..SUMS / PARTS {
            let to = c.add(row * p.c_row * PARTS);
            // All are read before one is written, because the last vector may overlap the one before it.
            let mut stored = sums[row * PARTS];
            for (n, stored) in stored.iter_mut().enumerate() {
                let sum = if PARTS == 2 { stored.add_times_i(sums[row * PARTS + 1][n]) } else { *stored };
                *stored = size.stored(sum, to.add(start(n)));
            }
            for (n, stored) in stored.iter().enumerate() {
                stored.store(to.add(start(n)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::next_stripe;

    /// Stripes follow each other, and only the vectors of one stripe overlap: what is added to is read before it is written.
    #[test]
    fn stripes_cover_a_row_and_do_not_overlap() {
        for lanes in [2, 4, 8, 16] {
            for reals in lanes..200 {
                let mut left = reals;
                while left > 0 {
                    let vectors = next_stripe(left, lanes);
                    assert!((1..=3).contains(&vectors) && left >= lanes, "{reals} in vectors of {lanes}: {left} are left");
                    assert!(
                        vectors > 1 || left.is_multiple_of(lanes),
                        "{reals} in vectors of {lanes}: a stripe of less than a vector"
                    );
                    left = left.saturating_sub(vectors * lanes);
                }
            }
        }
    }
}
