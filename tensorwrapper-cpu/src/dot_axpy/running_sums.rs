//! Running sums of the dot products of several pairs of vectors, a cache line of them for each pair, written in vectors: of several
//! pairs the compiler makes the narrowest ones, and `matrix times vector` went at half the speed of memory.
//!
//! Knows whole lines of real numbers; sums are the same in every form.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use crate::simd::Simd;
#[cfg(target_arch = "aarch64")]
use crate::simd::neon;
#[cfg(target_arch = "x86_64")]
use crate::simd::x86;
use crate::simd::{portable::Array, vector::Vector};
use tensorwrapper_core::element::{Element, EveryDtype};

/// Vectors of a line at most.
const PARTS: usize = 4;

/// Adds the products of whole lines to the sums, one line of them for each pair: `sums[n][lane] += a[n][…] · b[n][…]`. Both numbers are
/// rounded, the product and the sum.
#[inline(always)]
pub(super) fn add_lines<T: Element, const LANES: usize, const N: usize>(
    simd: Simd,
    a: [&[T]; N],
    b: [&[T]; N],
    lines: usize,
    sums: &mut [[T; LANES]; N],
) {
    let len = lines * LANES;
    // Slices say that all of it is there.
    let [a, b] = [a, b].map(|vectors| vectors.map(|vector| vector[..len].as_ptr()));
    macro_rules! compiled {
        ($Double:ty, $Single:ty $(, $features:literal)?) => {{
            $(#[target_feature(enable = $features)])?
            unsafe fn add<T: Element, const LANES: usize, const N: usize>(
                a: [*const T; N],
                b: [*const T; N],
                lines: usize,
                sums: &mut [[T; LANES]; N],
            ) {
                // SAFETY: the caller's promise; the vectors are of the type that is named.
                unsafe {
                    match T::DTYPE.every() {
                        EveryDtype::F64 => add_by::<$Double, T, LANES, N>(a, b, lines, sums),
                        EveryDtype::F32 => add_by::<$Single, T, LANES, N>(a, b, lines, sums),
                        EveryDtype::C32 | EveryDtype::C64 => unreachable!("there are vectors of real numbers alone"),
                    }
                }
            }
            // SAFETY: all lines lie inside (see above), and forms are chosen among those that are available.
            unsafe { add(a, b, lines, sums) }
        }};
    }
    match simd {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => compiled!(x86::F64x8, x86::F32x16, "avx512f,avx2,fma"),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => compiled!(x86::F64x4, x86::F32x8, "avx2,fma"),
        #[cfg(target_arch = "aarch64")]
        Simd::Neon => compiled!(neon::F64x4, neon::F32x8, "neon"),
        _ => compiled!(Array<f64>, Array<f32>),
    }
}

/// # Safety
/// There are so many lines at all addresses, and the processor has the vector's instructions.
#[inline(always)]
unsafe fn add_by<V: Vector, T: Element, const LANES: usize, const N: usize>(
    a: [*const T; N],
    b: [*const T; N],
    lines: usize,
    sums: &mut [[T; LANES]; N],
) {
    debug_assert!(LANES.is_multiple_of(V::LANES) && LANES <= PARTS * V::LANES && size_of::<T>() == size_of::<V::Real>());
    let parts = LANES / V::LANES;
    // SAFETY: the caller's promise; sums are as many as a line has.
    unsafe {
        let mut running = [[V::splat(V::Real::ZERO); PARTS]; N];
        for n in 0..N {
            for part in 0..parts {
                running[n][part] = V::load(sums[n].as_ptr().cast::<V::Real>().add(part * V::LANES));
            }
        }
        for line in 0..lines {
            for n in 0..N {
                for part in 0..parts {
                    let at = line * LANES + part * V::LANES;
                    let [a, b] = [a[n], b[n]].map(|from| V::load(from.cast::<V::Real>().add(at)));
                    running[n][part] = running[n][part].add(a.mul(b));
                }
            }
        }
        for n in 0..N {
            for part in 0..parts {
                running[n][part].store(sums[n].as_mut_ptr().cast::<V::Real>().add(part * V::LANES));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_one_after_the_other<T: Element, const LANES: usize>() {
        let number = |n: usize| T::from_complex((1.0 / (n % 89 + 1) as f64 - 0.1).into());
        let [a, b]: [Vec<T>; 2] = [3, 7].map(|step| (0..40 * LANES).map(|n| number(n * step)).collect());
        let begun: [[T; LANES]; 3] = std::array::from_fn(|pair| std::array::from_fn(|lane| number(pair + lane)));
        let (left, right) = ([0, 5, 11].map(|at| &a[at..]), [2, 2, 9].map(|at| &b[at..]));
        for lines in [0, 1, 2, 37] {
            let mut expected = begun;
            for (n, sums) in expected.iter_mut().enumerate() {
                (0..lines * LANES).for_each(|at| sums[at % LANES] += left[n][at] * right[n][at]);
            }
            for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
                let mut found = begun;
                add_lines(simd, left, right, lines, &mut found);
                assert_eq!(found, expected, "{simd:?}, {lines} lines");
            }
        }
    }

    #[test]
    fn lines_are_added_in_order() {
        as_one_after_the_other::<f32, 16>();
        as_one_after_the_other::<f64, 8>();
    }
}
