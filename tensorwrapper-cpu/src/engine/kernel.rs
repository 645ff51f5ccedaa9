//! The kernels: a tile of the result from a panel of rows and one of columns, in registers from the first term to the last.
//!
//! One source for all element types and widths of registers; tables choose among what was compiled.

use num_complex::Complex;

use super::format::{self, Split, Whole};
use super::pack::{self, Packing};
use crate::simd::Caches;
use crate::simd::Simd;
#[cfg(target_arch = "aarch64")]
use crate::simd::neon;
use crate::simd::portable;
use crate::simd::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::element::Element;

/// Groups that a panel of rows has at most.
pub(super) const MOST_GROUPS: usize = 3;
/// Columns that a tile has at most.
pub(super) const MOST_COLUMNS: usize = 8;
/// Elements that a tile has at most.
pub(super) const MOST_TILE: usize = 48 * MOST_COLUMNS;
/// Rows of a block that make reading columns again from a far cache worth it.
const ENOUGH_ROWS: usize = 128;
/// Terms ahead of which the panel of rows is asked for.
const AHEAD: isize = 8;

/// A tile of the result to compute.
pub(super) struct Tile<T: Element> {
    /// Number of terms.
    pub(super) terms: usize,
    /// Panels; that of the rows may be the operand itself, so that it says how much further each term is.
    pub(super) rows: *const T::Real,
    pub(super) step: isize,
    /// Where the columns are not packed: how much further each column and each term is.
    pub(super) spread: Option<[isize; 2]>,
    pub(super) columns: *const T::Real,
    /// How many groups of rows are wanted, at most a panel's.
    pub(super) groups: usize,
    pub(super) alpha: T,
    /// Whether to add to what is there, or else to write over it unread.
    pub(super) add: bool,
    /// From where to fetch a cache line for each term, and how much further for each; any addresses.
    pub(super) ahead: Option<(*const T, *const isize)>,
    /// Where the groups of rows go, and how much further each column does.
    pub(super) to: [*mut T; MOST_GROUPS],
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

    /// KC: terms of a block of a sum. A panel of columns of them fills half of the first cache, beside rows on their way; and a
    /// block of rows of them has rows enough.
    pub(super) fn kc(&self) -> usize {
        let panel = Caches::here().first / 2 / (self.nr * size_of::<T>());
        let rows = self.block() / (ENOUGH_ROWS * size_of::<T>());
        panel.min(rows).clamp(256, 512) / 8 * 8
    }

    /// What part of a tile may be computed in vain, where its elements are sums of so many terms and rows are read for so
    /// many columns, before groups had better run on from one axis into the next: then elements are spread one by one, which
    /// takes a core about half a cycle for each, and packed one by one, which takes two.
    pub(super) fn waste(&self, terms: usize, columns: usize) -> f64 {
        let apart = 0.5 / terms.max(1) as f64 + 2.0 / columns.max(1) as f64;
        (apart / self.cycles()).clamp(0.05, 0.35)
    }

    /// Whether sums of so many terms take longer than to spread a tile.
    pub(super) fn is_long(&self, terms: usize) -> bool {
        terms as f64 * self.cycles() > 1.6
    }

    /// Cycles for a term of an element, where a core begins two multiplications of vectors in each.
    fn cycles(&self) -> f64 {
        (self.parts() * self.parts()) as f64 / (2 * self.lanes) as f64
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

/// A tile of real numbers: `GROUPS` vectors of rows times `COLUMNS` columns.
#[inline(always)]
unsafe fn real<V: Vector, const GROUPS: usize, const COLUMNS: usize, const FETCH: bool, const SPREAD: bool>(
    tile: &Tile<V::Real>,
) {
    // SAFETY: the caller has panels of that many terms, and a place for the tile.
    unsafe {
        let mut sums = [[V::splat(V::Real::ZERO); GROUPS]; COLUMNS];
        let (mut rows, mut columns) = (tile.rows, tile.columns);
        // Stores would otherwise wait for their lines one by one.
        for along in &tile.along[..COLUMNS] {
            tile.to[..GROUPS].iter().for_each(|to| V::prefetch(to.wrapping_offset(*along)));
        }
        let packed = [1, COLUMNS as isize];
        let [apart, further] = if SPREAD { tile.spread.unwrap_or(packed) } else { packed };
        let ahead = tile.ahead.unwrap_or((std::ptr::null(), std::ptr::null()));
        for k in 0..tile.terms {
            if FETCH {
                V::prefetch_far(ahead.0.wrapping_offset(ahead.1.add(k).read()).cast());
            }
            let mut left = [V::splat(V::Real::ZERO); GROUPS];
            for (n, left) in left.iter_mut().enumerate() {
                *left = V::load(rows.add(n * V::LANES));
                V::prefetch(rows.wrapping_offset(AHEAD * tile.step).wrapping_add(n * V::LANES));
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
unsafe fn complex<V: Vector, const GROUPS: usize, const COLUMNS: usize, const FETCH: bool, const SPREAD: bool>(
    tile: &Tile<Complex<V::Real>>,
) where
    Complex<V::Real>: Element<Real = V::Real>,
{
    // SAFETY: the caller has panels of that many terms, and a place for the tile.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        debug_assert!(!SPREAD && tile.spread.is_none(), "columns of complex numbers are packed");
        // Real parts of a panel's rows, then imaginary ones.
        let apart = tile.step as usize / 2;
        let (mut re, mut im) = ([[zero; GROUPS]; COLUMNS], [[zero; GROUPS]; COLUMNS]);
        let (mut rows, mut columns) = (tile.rows, tile.columns);
        let ahead = tile.ahead.unwrap_or((std::ptr::null(), std::ptr::null()));
        for k in 0..tile.terms {
            if FETCH {
                V::prefetch_far(ahead.0.wrapping_offset(ahead.1.add(k).read()).cast());
            }
            let (mut a, mut b) = ([zero; GROUPS], [zero; GROUPS]);
            for n in 0..GROUPS {
                a[n] = V::load(rows.add(n * V::LANES));
                b[n] = V::load(rows.add(apart + n * V::LANES));
                V::prefetch(rows.wrapping_offset(AHEAD * tile.step).wrapping_add(n * V::LANES));
                V::prefetch(rows.wrapping_offset(AHEAD * tile.step).wrapping_add(apart + n * V::LANES));
            }
            for n in 0..COLUMNS {
                let (c, d) = (V::splat(*columns.add(n)), V::splat(*columns.add(COLUMNS + n)));
                for g in 0..GROUPS {
                    re[n][g] = re[n][g].add_product(a[g], c).sub_product(b[g], d);
                    im[n][g] = im[n][g].add_product(a[g], d).add_product(b[g], c);
                }
            }
            rows = rows.wrapping_offset(tile.step);
            columns = columns.add(2 * COLUMNS);
        }
        let (c, d) = (V::splat(tile.alpha.re), V::splat(tile.alpha.im));
        for n in 0..COLUMNS {
            for g in 0..GROUPS {
                let to = tile.to[g].offset(tile.along[n]);
                let (mut a, mut b) = (re[n][g], im[n][g]);
                (a, b) = (a.mul(c).sub_product(b, d), a.mul(d).add_product(b, c));
                if tile.add {
                    let (re, im) = V::load_parts(to);
                    (a, b) = (a.add(re), b.add(im));
                }
                V::store_parts(a, b, to);
            }
        }
    }
}

/// Compiles the functions of a table for a set of instructions.
macro_rules! kernel {
    ($T:ty, $tile:ident, $Format:ident<$V:ty>, $lanes:literal, [$($groups:literal)*] of $panel:literal, $nr:literal $(, $features:literal)?) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn tile(tile: &Tile<$T>) {
            let (fetch, spread) = (tile.ahead.is_some(), tile.spread.is_some());
            // SAFETY: the caller's promise.
            unsafe {
                match tile.groups {
                    $($groups if fetch && spread => $tile::<$V, $groups, $nr, true, true>(tile),)*
                    $($groups if spread => $tile::<$V, $groups, $nr, false, true>(tile),)*
                    $($groups if fetch => $tile::<$V, $groups, $nr, true, false>(tile),)*
                    $($groups => $tile::<$V, $groups, $nr, false, false>(tile),)*
                    other => unreachable!("a tile of {other} groups"),
                }
            }
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
            pack_rows,
            pack_columns,
        };
        &KERNEL
    }};
}

macro_rules! multiplied {
    ($T:ty, $tile:ident, $Format:ident;
        $wide:ident $w:literal [$($wg:literal)*] of $wp:literal x $wc:literal,
        $narrow:ident $n:literal [$($ng:literal)*] of $np:literal x $nc:literal,
        $array:ty, 4 [$($pg:literal)*] of $pp:literal x $pc:literal) => {
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
