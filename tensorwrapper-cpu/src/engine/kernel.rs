//! The kernels: a tile of the result from a panel of rows and one of columns, in registers from the first term to the last.
//!
//! One source for all element types and widths of registers; tables choose among what was compiled.

use num_complex::Complex;

use super::format::{self, Split, Whole};
use super::pack::{self, Packing};
use super::scatter::{self, Scatter};
use super::space::MOST_COLUMNS;
#[cfg(target_arch = "aarch64")]
use crate::simd::neon;
use crate::simd::portable;
use crate::simd::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86;
use crate::simd::{Caches, Simd, wide_multiplications};
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::storage::LINE;

/// Groups that a panel of rows has at most.
pub(super) const MOST_GROUPS: usize = 3;
/// KC is at most this.
const MOST_KC: usize = 512;
/// Terms of a block at most: half more than KC.
pub(super) const MOST_TERMS: usize = MOST_KC / 2 * 3;
/// Elements that a tile has at most.
pub(super) const MOST_TILE: usize = 48 * MOST_COLUMNS;
/// Rows of a block that make reading columns again from a far cache worth it.
const ENOUGH_ROWS: usize = 128;
/// Terms ahead of which the panel of rows is asked for.
pub(super) const AHEAD: isize = 8;
/// Columns of a small tile, as 16 registers hold it. A term of real numbers is few multiplications in it, among which every request for a
/// line shows, the more where another thread has half of the core.
const SMALL_NR: usize = 4;

/// Whether tiles of so many columns, of elements of so many numbers, are small ones of real numbers.
const fn is_small(nr: usize, parts: usize) -> bool {
    nr <= SMALL_NR && parts == 1
}

/// A tile of the result to compute.
pub(super) struct Tile<T: Element> {
    /// Number of terms.
    pub(super) terms: usize,
    /// Panels; that of the rows may be the operand itself, so that it says how much further each term is.
    pub(super) rows: *const T::Real,
    pub(super) step: isize,
    /// How much further the rows are that are asked for, into the first cache: 0 where the processor does so by itself.
    pub(super) near: isize,
    /// Where the columns are not packed: how much further each column and each term is.
    pub(super) spread: Option<[isize; 2]>,
    pub(super) columns: *const T::Real,
    /// How many groups of rows and how many columns are wanted, at most a panel's of each.
    pub(super) groups: usize,
    pub(super) wanted: usize,
    pub(super) alpha: T,
    /// Whether to add to what is there, or else to write over it unread.
    pub(super) add: bool,
    /// Whether to write past the caches: to addresses that are multiples of a vector's size.
    pub(super) stream: bool,
    /// From where to fetch a cache line for each term, and how much further for each; any addresses.
    pub(super) ahead: (*const T, *const isize),
    /// Whether small tiles of real numbers fetch these lines, too. All others do.
    pub(super) asks: bool,
    /// Where the groups of rows go, and how much further each column does.
    pub(super) to: [*mut T; MOST_GROUPS],
    /// Rows of each group that are stored, where that is not all of them.
    pub(super) ragged: Option<[usize; MOST_GROUPS]>,
    pub(super) along: [isize; MOST_COLUMNS],
}

/// The kernels for one element type and one set of instructions.
#[derive(Debug)]
pub(crate) struct Kernel<T: Element> {
    /// Rows of a group: elements of a vector.
    pub(super) lanes: usize,
    /// Groups of a panel of rows.
    pub(super) panel: usize,
    /// NR: columns of a tile, and of a panel of columns.
    pub(super) nr: usize,
    /// Edge of the squares that packing transposes.
    pub(super) square: usize,
    pub(super) tile: unsafe fn(&Tile<T>),
    pub(super) scatter: unsafe fn(&Scatter<'_, T>),
    pub(super) pack_rows: unsafe fn(&Packing<'_, T>),
    pub(super) pack_columns: unsafe fn(&Packing<'_, T>),
}

impl<T: Element> Kernel<T> {
    /// Numbers of an element.
    pub(super) fn parts(&self) -> usize {
        size_of::<T>() / size_of::<T::Real>()
    }

    /// MR: rows of a tile, and of a panel of rows.
    pub(super) fn mr(&self) -> usize {
        self.lanes * self.panel
    }

    /// KC: terms of a block of a sum, which may have half more where that makes it the only one. A panel of columns of KC terms fills half
    /// of the first cache, beside rows on their way; and a block of rows of them has rows enough.
    pub(super) fn kc(&self) -> usize {
        let panel = Caches::here().first / 2 / (self.nr * size_of::<T>());
        let rows = self.block() / (ENOUGH_ROWS * size_of::<T>());
        panel.min(rows).clamp(256, MOST_KC) / 8 * 8
    }

    /// A limit below which an operand is read where it lies: a quarter of this one for small tiles, which use a part of each line, and
    /// read it again for fewer multiplications.
    pub(super) fn limit_in_place(&self, most: usize) -> usize {
        if is_small(self.nr, self.parts()) { most / 4 } else { most }
    }

    /// Cycles for a term of an element: a core begins two multiplications of vectors of up to 256 bits in each, and one or two of wider
    /// ones.
    pub(super) fn cycles(&self) -> f64 {
        let bytes = self.lanes * size_of::<T::Real>();
        (self.parts() * self.parts()) as f64 / self.lanes as f64 / if bytes >= LINE { wide_multiplications() as f64 } else { 2.0 }
    }

    /// Whether a panel of columns of so many terms leaves room in the first cache where it is not packed.
    pub(super) fn is_near(&self, terms: usize) -> bool {
        terms * self.nr * size_of::<T>() <= Caches::here().first / 4 * 3
    }

    /// Bytes of a block of packed rows: a good half of the second cache.
    pub(super) fn block(&self) -> usize {
        Caches::here().second / 16 * 9
    }
}

/// Element types that there are kernels for.
pub(crate) trait GemmElement: Scalar {
    #[doc(hidden)]
    fn kernel(simd: Simd) -> &'static Kernel<Self>;

    /// One with shorter vectors in as many registers, if there is any.
    #[doc(hidden)]
    fn narrow_kernel(simd: Simd) -> Option<&'static Kernel<Self>>;
}

impl<T: Element> Tile<T> {
    /// Which of two forms of a kernel it takes: of small tiles of real numbers, the one that asks for lines; of others, the one that reads
    /// columns where they lie.
    #[inline(always)]
    fn is_general(&self, nr: usize) -> bool {
        let parts = size_of::<T>() / size_of::<T::Real>();
        if is_small(nr, parts) { self.asks } else { self.spread.is_some() }
    }
}

/// A tile of real numbers: `GROUPS` vectors of rows times `COLUMNS` columns of panels of `NR`.
#[inline(always)]
unsafe fn real<V: Vector, const GROUPS: usize, const COLUMNS: usize, const NR: usize, const GENERAL: bool>(tile: &Tile<V::Real>) {
    // SAFETY: the caller has panels of that many terms, and a place for the tile.
    unsafe {
        let mut sums = [[V::splat(V::Real::ZERO); GROUPS]; COLUMNS];
        let (mut rows, mut columns) = (tile.rows, tile.columns);
        // Stores would otherwise wait for their lines one by one.
        if !tile.stream {
            for along in &tile.along[..COLUMNS] {
                tile.to[..GROUPS].iter().for_each(|to| V::prefetch(to.wrapping_offset(*along)));
            }
        }
        let packed = [1, NR as isize];
        let is_small = is_small(NR, 1);
        let [apart, further] = if GENERAL || is_small { tile.spread.unwrap_or(packed) } else { packed };
        let asks = GENERAL || !is_small;
        for k in 0..tile.terms {
            if asks {
                V::prefetch_far(tile.ahead.0.wrapping_offset(tile.ahead.1.add(k).read()).cast());
            }
            let mut left = [V::splat(V::Real::ZERO); GROUPS];
            for (n, left) in left.iter_mut().enumerate() {
                *left = V::load(rows.add(n * V::LANES));
                // One request at least: without any, LLVM moves loads until a sum has no register.
                if asks || n == 0 {
                    V::prefetch(rows.wrapping_offset(tile.near).wrapping_add(n * V::LANES));
                }
            }
            for (n, sums) in sums.iter_mut().enumerate() {
                let right = V::splat(*columns.wrapping_offset(n as isize * apart));
                for (sum, left) in sums.iter_mut().zip(left) {
                    *sum = sum.add_product(left, right);
                }
            }
            rows = rows.wrapping_offset(tile.step);
            columns = columns.wrapping_offset(further);
        }
        let alpha = V::splat(tile.alpha);
        if tile.stream {
            for (sums, along) in sums.iter().zip(tile.along) {
                for (sum, to) in sums.iter().zip(tile.to) {
                    sum.mul(alpha).stream(to.offset(along));
                }
            }
            return;
        }
        if let Some(lens) = tile.ragged {
            for (sums, along) in sums.iter().zip(tile.along) {
                for (n, sum) in sums.iter().enumerate() {
                    let (to, len) = (tile.to[n].offset(along), lens[n]);
                    let sum = if tile.add { V::load_some(to, len).add_product(*sum, alpha) } else { sum.mul(alpha) };
                    sum.store_some(to, len);
                }
            }
            return;
        }
        for (sums, along) in sums.iter().zip(tile.along) {
            for (sum, to) in sums.iter().zip(tile.to) {
                let to = to.offset(along);
                if tile.add { V::load(to).add_product(*sum, alpha) } else { sum.mul(alpha) }.store(to);
            }
        }
    }
}

/// The same of complex numbers.
#[inline(always)]
unsafe fn complex<V: Vector, const GROUPS: usize, const COLUMNS: usize, const NR: usize, const SPREAD: bool>(
    tile: &Tile<Complex<V::Real>>,
) where
    Complex<V::Real>: Element<Real = V::Real>,
{
    // SAFETY: the caller has panels of that many terms, and a place for the tile.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        // Both factors lie in the operands, where real and imaginary parts are neighbours, or both are packed: real parts of a panel's
        // rows, or columns, then imaginary ones.
        let packed = [1, NR as isize];
        let [apart, further] = if SPREAD { tile.spread.unwrap_or(packed).map(|n| 2 * n) } else { [1, 2 * NR as isize] };
        let to_imaginary = if SPREAD { 1 } else { NR };
        let step = if SPREAD { 2 * tile.step } else { tile.step };
        let near = if SPREAD { 2 * tile.near } else { tile.near };
        let to_rows = tile.step as usize / 2;
        let (mut re, mut im) = ([[zero; GROUPS]; COLUMNS], [[zero; GROUPS]; COLUMNS]);
        let (mut rows, mut columns) = (tile.rows, tile.columns);
        for k in 0..tile.terms {
            V::prefetch_far(tile.ahead.0.wrapping_offset(tile.ahead.1.add(k).read()).cast());
            let (mut a, mut b) = ([zero; GROUPS], [zero; GROUPS]);
            for n in 0..GROUPS {
                if SPREAD {
                    (a[n], b[n]) = V::load_parts(rows.cast::<Complex<V::Real>>().add(n * V::LANES));
                    V::prefetch(rows.wrapping_offset(near).wrapping_add(2 * n * V::LANES));
                } else {
                    a[n] = V::load(rows.add(n * V::LANES));
                    b[n] = V::load(rows.add(to_rows + n * V::LANES));
                    if 2 * V::LANES * size_of::<V::Real>() <= LINE {
                        // The groups of a whole panel lie in as many lines as there are groups, or fewer.
                        V::prefetch(rows.wrapping_offset(near).wrapping_add(2 * n * V::LANES));
                    } else {
                        V::prefetch(rows.wrapping_offset(near).wrapping_add(n * V::LANES));
                        V::prefetch(rows.wrapping_offset(near).wrapping_add(to_rows + n * V::LANES));
                    }
                }
            }
            for n in 0..COLUMNS {
                let at = columns.wrapping_offset(n as isize * apart);
                let (c, d) = (V::splat(*at), V::splat(*at.wrapping_add(to_imaginary)));
                for g in 0..GROUPS {
                    re[n][g] = re[n][g].add_product(a[g], c).sub_product(b[g], d);
                    im[n][g] = im[n][g].add_product(a[g], d).add_product(b[g], c);
                }
            }
            rows = rows.wrapping_offset(step);
            columns = columns.wrapping_offset(further);
        }
        let (c, d) = (V::splat(tile.alpha.re), V::splat(tile.alpha.im));
        for n in 0..COLUMNS {
            for g in 0..GROUPS {
                let to = tile.to[g].offset(tile.along[n]);
                let (mut a, mut b) = (re[n][g], im[n][g]);
                (a, b) = (a.mul(c).sub_product(b, d), a.mul(d).add_product(b, c));
                if let Some(lens) = tile.ragged {
                    let mut apart = [zero; 2];
                    let some = apart.as_mut_ptr().cast::<Complex<V::Real>>();
                    V::store_parts(a, b, some);
                    for lane in 0..lens[g] {
                        let (x, to) = (some.add(lane).read(), to.add(lane));
                        to.write(if tile.add { to.read() + x } else { x });
                    }
                    continue;
                }
                if tile.add {
                    let (re, im) = V::load_parts(to);
                    (a, b) = (a.add(re), b.add(im));
                }
                V::store_parts(a, b, to);
            }
        }
    }
}

/// The loops for as many groups and columns as are wanted. Each is a function of its own, because register allocation takes time that
/// grows faster than a function.
macro_rules! by_columns {
    (@ $groups:literal, $nr:tt, $general:tt, $tile:ident, $($columns:literal)*) => {
        match $tile.wanted {
            $($columns => one::<$groups, $columns, $general>($tile),)*
            _ => one::<$groups, $nr, $general>($tile),
        }
    };
    ($groups:literal, 4, $general:tt, $tile:ident) => { by_columns!(@ $groups, 4, $general, $tile, 1 2 3) };
    ($groups:literal, 8, $general:tt, $tile:ident) => { by_columns!(@ $groups, 8, $general, $tile, 1 2 3 4 5 6 7) };
}

/// Compiles the functions of a table for a set of instructions.
macro_rules! kernel {
    ($T:ty, $tile:ident, $Format:ident<$V:ty>, $lanes:literal, [$($groups:literal)*] of $panel:literal, $nr:tt $(, $features:literal)?) => {{
        /// One size of tiles.
        ///
        /// # Safety
        /// As the function for all sizes: the tile has memory for what it says.
        $(#[target_feature(enable = $features)])?
        #[inline(never)]
        unsafe fn one<const GROUPS: usize, const COLUMNS: usize, const GENERAL: bool>(tile: &Tile<$T>) {
            // SAFETY: the caller's promise.
            unsafe { $tile::<$V, GROUPS, COLUMNS, $nr, GENERAL>(tile) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn tile(tile: &Tile<$T>) {
            // SAFETY: the caller's promise.
            unsafe {
                match (tile.groups, tile.is_general($nr)) {
                    $(($groups, true) => by_columns!($groups, $nr, true, tile),)*
                    $(($groups, false) => by_columns!($groups, $nr, false, tile),)*
                    (other, _) => unreachable!("a tile of {other} groups"),
                }
            }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn scatter(scatter: &Scatter<'_, $T>) {
            // SAFETY: the caller's promise.
            unsafe { scatter::scatter::<$Format<$V>, $lanes, $nr>(scatter) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn pack_rows(packing: &Packing<'_, $T>) {
            // SAFETY: the caller's promise.
            unsafe { pack::pack::<$Format<$V>, $lanes, $panel>(packing) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn pack_columns(packing: &Packing<'_, $T>) {
            // SAFETY: the caller's promise.
            unsafe { pack::pack::<$Format<$V>, $nr, 1>(packing) }
        }
        const {
            assert!($lanes == <$V>::LANES && $lanes * $panel * $nr <= MOST_TILE);
            assert!($panel <= MOST_GROUPS && $nr <= MOST_COLUMNS);
        }
        static KERNEL: Kernel<$T> = Kernel {
            lanes: $lanes,
            panel: $panel,
            nr: $nr,
            square: <$Format<$V> as format::Format>::SQUARE,
            tile,
            scatter,
            pack_rows,
            pack_columns,
        };
        &KERNEL
    }};
}

macro_rules! multiplied {
    ($T:ty, $tile:ident, $Format:ident;
        $wide:ident $w:literal [$($wg:literal)*] of $wp:literal x $wc:tt,
        $narrow:ident $n:literal [$($ng:literal)*] of $np:literal x $nc:tt,
        $array:ty, 4 [$($pg:literal)*] of $pp:literal x $pc:tt) => {
        impl GemmElement for $T {
            fn kernel(simd: Simd) -> &'static Kernel<$T> {
                match simd {
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => kernel!($T, $tile, $Format<x86::$wide>, $w, [$($wg)*] of $wp, $wc, "avx512f,avx2,fma"),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 => kernel!($T, $tile, $Format<x86::$narrow>, $n, [$($ng)*] of $np, $nc, "avx2,fma"),
                    #[cfg(target_arch = "aarch64")]
                    Simd::Neon => kernel!($T, $tile, $Format<neon::$narrow>, $n, [$($ng)*] of $np, $nc, "neon"),
                    #[cfg(not(target_arch = "x86_64"))]
                    Simd::Avx512 | Simd::Avx2 => unreachable!("{simd:?} is not available here"),
                    #[cfg(not(target_arch = "aarch64"))]
                    Simd::Neon => unreachable!("{simd:?} is not available here"),
                    Simd::Portable => kernel!($T, $tile, $Format<$array>, 4, [$($pg)*] of $pp, $pc),
                }
            }

            fn narrow_kernel(simd: Simd) -> Option<&'static Kernel<$T>> {
                match simd {
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => {
                        Some(kernel!($T, $tile, $Format<x86::$narrow>, $n, [$($wg)*] of $wp, $wc, "avx512f,avx512vl,avx2,fma"))
                    }
                    _ => None,
                }
            }
        }
    };
}
multiplied!(f64, real, Whole; F64x8 8 [1 2 3] of 3 x 8, F64x4 4 [1 2 3] of 3 x 4, portable::Array<f64>, 4 [1] of 1 x 4);
multiplied!(f32, real, Whole; F32x16 16 [1 2 3] of 3 x 8, F32x8 8 [1 2 3] of 3 x 4, portable::Array<f32>, 4 [1 2] of 2 x 4);
multiplied!(Complex<f64>, complex, Split; F64x8 8 [1 2] of 2 x 4, F64x4 4 [1] of 1 x 4, portable::Array<f64>, 4 [1] of 1 x 4);
multiplied!(Complex<f32>, complex, Split; F32x16 16 [1 2] of 2 x 4, F32x8 8 [1] of 1 x 4, portable::Array<f32>, 4 [1] of 1 x 4);
