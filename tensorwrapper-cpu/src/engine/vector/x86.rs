//! The 512-bit and 256-bit registers of x86-64.

use std::arch::x86_64::*;

use num_complex::Complex;

use super::parts_x86::{
    load_f32_8, load_f32_16, load_f64_4, load_f64_8, store_f32_8, store_f32_16, store_f64_4, store_f64_8, turn_parts_f32,
    turn_parts_f64_4, turn_parts_f64_8,
};
use super::{MOST_SQUARE, Vector};

macro_rules! vector {
    (
        $(#[$doc:meta])* $Name:ident, $T:ty, $V:ty, $lanes:literal, $square:literal;
        $set:ident $load:ident $store:ident $mul:ident $add:ident $fma:ident $fms:ident $turn:ident;
        $load_parts:ident $store_parts:ident $turn_parts:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Name($V);

        impl Vector for $Name {
            type Real = $T;
            const LANES: usize = $lanes;
            const SQUARE: usize = $square;

            #[inline(always)]
            unsafe fn splat(x: $T) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($set(x)) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $T) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($load(from)) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $T) {
                // SAFETY: see `Vector`.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($mul(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($add(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($fma(a.0, b.0, self.0)) }
            }
            #[inline(always)]
            unsafe fn sub_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($fms(a.0, b.0, self.0)) }
            }
            #[inline(always)]
            unsafe fn prefetch(address: *const $T) {
                // SAFETY: a hint, whatever the address.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
            }
            #[inline(always)]
            unsafe fn prefetch_far(address: *const $T) {
                // SAFETY: a hint, whatever the address.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
            }
            #[inline(always)]
            unsafe fn load_parts(from: *const Complex<$T>) -> (Self, Self) {
                // SAFETY: see `Vector`.
                let (re, im) = unsafe { $load_parts(from.cast()) };
                ($Name(re), $Name(im))
            }
            #[inline(always)]
            unsafe fn store_parts(re: Self, im: Self, to: *mut Complex<$T>) {
                // SAFETY: see `Vector`.
                unsafe { $store_parts(re.0, im.0, to.cast()) }
            }
            #[inline(always)]
            unsafe fn transpose_parts(
                from: *const Complex<$T>,
                rows: &[isize],
                to: &[*mut $T; MOST_SQUARE],
                at: [usize; 2],
                sign: $T,
            ) {
                // SAFETY: see `Vector`.
                unsafe { $turn_parts(from, rows, to, at, sign) }
            }
            #[inline(always)]
            unsafe fn transpose(from: *const $T, rows: &[isize], to: &[*mut $T; MOST_SQUARE], at: usize) {
                // SAFETY: see `Vector`.
                unsafe { $turn(from, rows, to, at) }
            }
        }
    };
}
vector!(
    /// Eight double-precision numbers.
    F64x8, f64, __m512d, 8, 8;
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_mul_pd _mm512_add_pd _mm512_fmadd_pd _mm512_fnmadd_pd turn_f64_8;
    load_f64_8 store_f64_8 turn_parts_f64_8
);
vector!(
    /// Sixteen single-precision numbers.
    F32x16, f32, __m512, 16, 8;
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_mul_ps _mm512_add_ps _mm512_fmadd_ps _mm512_fnmadd_ps turn_f32_8;
    load_f32_16 store_f32_16 turn_parts_f32
);
vector!(
    /// Four double-precision numbers.
    F64x4, f64, __m256d, 4, 4;
    _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_mul_pd _mm256_add_pd _mm256_fmadd_pd _mm256_fnmadd_pd turn_f64_4;
    load_f64_4 store_f64_4 turn_parts_f64_4
);
vector!(
    /// Eight single-precision numbers.
    F32x8, f32, __m256, 8, 4;
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_mul_ps _mm256_add_ps _mm256_fmadd_ps _mm256_fnmadd_ps turn_f32_4;
    load_f32_8 store_f32_8 turn_parts_f32
);

#[inline(always)]
unsafe fn turn_f64_8(from: *const f64, rows: &[isize], to: &[*mut f64; MOST_SQUARE], at: usize) {
    // SAFETY: see `Vector::transpose`.
    unsafe {
        let row = |n: usize| _mm512_loadu_pd(from.offset(rows[n]));
        let (r0, r1, r2, r3, r4, r5, r6, r7) = (row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7));
        // Even and odd columns of pairs of rows; then every fourth of four rows; then one of all.
        let (e01, o01) = (_mm512_unpacklo_pd(r0, r1), _mm512_unpackhi_pd(r0, r1));
        let (e23, o23) = (_mm512_unpacklo_pd(r2, r3), _mm512_unpackhi_pd(r2, r3));
        let (e45, o45) = (_mm512_unpacklo_pd(r4, r5), _mm512_unpackhi_pd(r4, r5));
        let (e67, o67) = (_mm512_unpacklo_pd(r6, r7), _mm512_unpackhi_pd(r6, r7));
        let c04 = (_mm512_shuffle_f64x2::<0x88>(e01, e23), _mm512_shuffle_f64x2::<0x88>(e45, e67));
        let c26 = (_mm512_shuffle_f64x2::<0xdd>(e01, e23), _mm512_shuffle_f64x2::<0xdd>(e45, e67));
        let c15 = (_mm512_shuffle_f64x2::<0x88>(o01, o23), _mm512_shuffle_f64x2::<0x88>(o45, o67));
        let c37 = (_mm512_shuffle_f64x2::<0xdd>(o01, o23), _mm512_shuffle_f64x2::<0xdd>(o45, o67));
        _mm512_storeu_pd(to[0].add(at), _mm512_shuffle_f64x2::<0x88>(c04.0, c04.1));
        _mm512_storeu_pd(to[1].add(at), _mm512_shuffle_f64x2::<0x88>(c15.0, c15.1));
        _mm512_storeu_pd(to[2].add(at), _mm512_shuffle_f64x2::<0x88>(c26.0, c26.1));
        _mm512_storeu_pd(to[3].add(at), _mm512_shuffle_f64x2::<0x88>(c37.0, c37.1));
        _mm512_storeu_pd(to[4].add(at), _mm512_shuffle_f64x2::<0xdd>(c04.0, c04.1));
        _mm512_storeu_pd(to[5].add(at), _mm512_shuffle_f64x2::<0xdd>(c15.0, c15.1));
        _mm512_storeu_pd(to[6].add(at), _mm512_shuffle_f64x2::<0xdd>(c26.0, c26.1));
        _mm512_storeu_pd(to[7].add(at), _mm512_shuffle_f64x2::<0xdd>(c37.0, c37.1));
    }
}

#[inline(always)]
unsafe fn turn_f32_8(from: *const f32, rows: &[isize], to: &[*mut f32; MOST_SQUARE], at: usize) {
    // SAFETY: see `Vector::transpose`.
    unsafe {
        // Rows n and n + 4 share a register, a half each, so that no step crosses halves.
        let pair = |n: usize, at: usize| {
            let low = _mm256_castps128_ps256(_mm_loadu_ps(from.offset(rows[n]).add(at)));
            _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(from.offset(rows[n + 4]).add(at)))
        };
        for side in 0..2 {
            let (r0, r1, r2, r3) = (pair(0, 4 * side), pair(1, 4 * side), pair(2, 4 * side), pair(3, 4 * side));
            let (a, b) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
            let (c, d) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
            let to = &to[4 * side..];
            _mm256_storeu_ps(to[0].add(at), _mm256_shuffle_ps::<0x44>(a, c));
            _mm256_storeu_ps(to[1].add(at), _mm256_shuffle_ps::<0xee>(a, c));
            _mm256_storeu_ps(to[2].add(at), _mm256_shuffle_ps::<0x44>(b, d));
            _mm256_storeu_ps(to[3].add(at), _mm256_shuffle_ps::<0xee>(b, d));
        }
    }
}

#[inline(always)]
unsafe fn turn_f64_4(from: *const f64, rows: &[isize], to: &[*mut f64; MOST_SQUARE], at: usize) {
    // SAFETY: see `Vector::transpose`.
    unsafe {
        let row = |n: usize| _mm256_loadu_pd(from.offset(rows[n]));
        for (to, column) in to.iter().zip(columns_of([row(0), row(1), row(2), row(3)])) {
            _mm256_storeu_pd(to.add(at), column);
        }
    }
}

/// The columns of a square of four by four.
#[inline(always)]
pub(super) unsafe fn columns_of([r0, r1, r2, r3]: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: the caller has the instructions.
    unsafe {
        let (e01, o01) = (_mm256_unpacklo_pd(r0, r1), _mm256_unpackhi_pd(r0, r1));
        let (e23, o23) = (_mm256_unpacklo_pd(r2, r3), _mm256_unpackhi_pd(r2, r3));
        [
            _mm256_permute2f128_pd::<0x20>(e01, e23),
            _mm256_permute2f128_pd::<0x20>(o01, o23),
            _mm256_permute2f128_pd::<0x31>(e01, e23),
            _mm256_permute2f128_pd::<0x31>(o01, o23),
        ]
    }
}

#[inline(always)]
unsafe fn turn_f32_4(from: *const f32, rows: &[isize], to: &[*mut f32; MOST_SQUARE], at: usize) {
    // SAFETY: see `Vector::transpose`.
    unsafe {
        let row = |n: usize| _mm_loadu_ps(from.offset(rows[n]));
        let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
        let (a, b) = (_mm_unpacklo_ps(r0, r1), _mm_unpackhi_ps(r0, r1));
        let (c, d) = (_mm_unpacklo_ps(r2, r3), _mm_unpackhi_ps(r2, r3));
        _mm_storeu_ps(to[0].add(at), _mm_shuffle_ps::<0x44>(a, c));
        _mm_storeu_ps(to[1].add(at), _mm_shuffle_ps::<0xee>(a, c));
        _mm_storeu_ps(to[2].add(at), _mm_shuffle_ps::<0x44>(b, d));
        _mm_storeu_ps(to[3].add(at), _mm_shuffle_ps::<0xee>(b, d));
    }
}
