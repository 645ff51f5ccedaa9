//! The registers of x86-64: 512, 256 and 128 bits.

use std::arch::x86_64::*;

use num_complex::Complex;

use super::parts_x86::{
    load_f32_8, load_f32_16, load_f64_4, load_f64_8, store_f32_8, store_f32_16, store_f64_4, store_f64_8, transpose_parts_f32,
    transpose_parts_f64_4, transpose_parts_f64_8,
};
use super::squares_x86::{columns_256, columns_512};
use super::vector::{MOST_LANES, MOST_SQUARE, Vector, one_register};

macro_rules! vector {
    (
        $(#[$doc:meta])* $Name:ident, $Half:ident, $T:ty, $V:ty, $lanes:literal, $rows:literal;
        $set:ident $load:ident $store:ident $mul:ident $add:ident $fma:ident $fms:ident;
        $real_parts:expr, $imaginary_parts:expr, $times_i:expr; $load_some:expr, $store_some:expr, $sum:expr, $stream:ident;
        $Order:ty, $order:expr, $permute:expr
        $(; $square:literal $transpose:ident $load_parts:ident $store_parts:ident $transpose_parts:ident;
            $load_lanes:expr, $store_lanes:expr)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Name($V);

        impl Vector for $Name {
            type Real = $T;
            type Half = $Half;
            const LANES: usize = $lanes;
            const ROWS: usize = $rows;
            const PREFETCHES: bool = true;
            type Order = $Order;
            $(const SQUARE: usize = $square;)?

            one_register!($T; $set $load $store $mul $add);

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
            unsafe fn add_times_i(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($times_i(self.0, other.0)) }
            }
            #[inline(always)]
            unsafe fn real_parts(self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($real_parts(self.0)) }
            }
            #[inline(always)]
            unsafe fn imaginary_parts(self) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($imaginary_parts(self.0)) }
            }
            #[inline(always)]
            unsafe fn stream(self, to: *mut $T) {
                debug_assert!((to as usize).is_multiple_of(size_of::<Self>()));
                // SAFETY: see `Vector`.
                unsafe { $stream(to, self.0) }
            }
            #[inline(always)]
            unsafe fn load_some(from: *const $T, count: usize) -> Self {
                // SAFETY: see `Vector`; only `count` elements are read.
                unsafe { $Name($load_some(from, count)) }
            }
            #[inline(always)]
            unsafe fn store_some(self, to: *mut $T, count: usize) {
                // SAFETY: see `Vector`; only `count` elements are written.
                unsafe { $store_some(to, count, self.0) }
            }
            #[inline(always)]
            unsafe fn order(lanes: &[u32; MOST_LANES]) -> $Order {
                // SAFETY: see `Vector`; there are lanes for the widest vector.
                unsafe { $order(lanes) }
            }
            #[inline(always)]
            unsafe fn permute(self, order: $Order) -> Self {
                // SAFETY: see `Vector`.
                unsafe { $Name($permute(order, self.0)) }
            }
            #[inline(always)]
            unsafe fn sum(self) -> $T {
                // SAFETY: see `Vector`.
                unsafe { $sum(self.0) }
            }
            $(
            #[inline(always)]
            unsafe fn load_lanes(self, from: *const $T, first: usize, count: usize) -> Self {
                // SAFETY: see `Vector`; only `count` elements are read.
                unsafe { $Name($load_lanes(self.0, from.wrapping_sub(first), first, first + count)) }
            }
            #[inline(always)]
            unsafe fn store_lanes(self, to: *mut $T, first: usize, count: usize) {
                // SAFETY: see `Vector`; only `count` elements are written.
                unsafe { $store_lanes(to.wrapping_sub(first), first, first + count, self.0) }
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
                unsafe { $transpose_parts(from, rows, to, at, sign) }
            }
            #[inline(always)]
            unsafe fn transpose(from: *const $T, rows: &[isize], to: &[*mut $T; MOST_SQUARE], at: usize) {
                // SAFETY: see `Vector`.
                unsafe { $transpose(from, rows, to, at) }
            }
            )?
        }
    };
}
vector!(
    /// Eight double-precision numbers.
    F64x8, F64x4, f64, __m512d, 8, 8;
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_mul_pd _mm512_add_pd _mm512_fmadd_pd _mm512_fnmadd_pd;
    |x| _mm512_movedup_pd(x), |x| _mm512_permute_pd::<0xff>(x),
    |x, y| _mm512_fmaddsub_pd(x, _mm512_set1_pd(1.0), _mm512_permute_pd::<0x55>(y));
    |from, count| _mm512_maskz_loadu_pd(((1u32 << count) - 1) as __mmask8, from),
    |to, count, x| _mm512_mask_storeu_pd(to, ((1u32 << count) - 1) as __mmask8, x),
    |x| _mm512_reduce_add_pd(x), _mm512_stream_pd;
    __m512i, |lanes: &[u32; MOST_LANES]| _mm512_cvtepu32_epi64(_mm256_loadu_si256(lanes.as_ptr().cast())), _mm512_permutexvar_pd;
    8 transpose_f64_8 load_f64_8 store_f64_8 transpose_parts_f64_8;
    |x, from, first, end| _mm512_mask_loadu_pd(x, lanes(first, end) as __mmask8, from),
    |to, first, end, x| _mm512_mask_storeu_pd(to, lanes(first, end) as __mmask8, x)
);
vector!(
    /// Sixteen single-precision numbers.
    F32x16, F32x8, f32, __m512, 16, 8;
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_mul_ps _mm512_add_ps _mm512_fmadd_ps _mm512_fnmadd_ps;
    |x| _mm512_moveldup_ps(x), |x| _mm512_movehdup_ps(x),
    |x, y| _mm512_fmaddsub_ps(x, _mm512_set1_ps(1.0), _mm512_permute_ps::<0xb1>(y));
    |from, count| _mm512_maskz_loadu_ps(((1u32 << count) - 1) as __mmask16, from),
    |to, count, x| _mm512_mask_storeu_ps(to, ((1u32 << count) - 1) as __mmask16, x),
    |x| _mm512_reduce_add_ps(x), _mm512_stream_ps;
    __m512i, |lanes: &[u32; MOST_LANES]| _mm512_loadu_si512(lanes.as_ptr().cast()), _mm512_permutexvar_ps;
    8 transpose_f32_8 load_f32_16 store_f32_16 transpose_parts_f32;
    |x, from, first, end| _mm512_mask_loadu_ps(x, lanes(first, end) as __mmask16, from),
    |to, first, end, x| _mm512_mask_storeu_ps(to, lanes(first, end) as __mmask16, x)
);
vector!(
    /// Four double-precision numbers.
    F64x4, F64x2, f64, __m256d, 4, 4;
    _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_mul_pd _mm256_add_pd _mm256_fmadd_pd _mm256_fnmadd_pd;
    |x| _mm256_movedup_pd(x), |x| _mm256_permute_pd::<0b1111>(x),
    |x, y| _mm256_addsub_pd(x, _mm256_permute_pd::<0b0101>(y));
    |from, count| _mm256_maskload_pd(from, first_of_4(count)),
    |to, count, x| _mm256_maskstore_pd(to, first_of_4(count), x),
    |x| sum_f64_4(x), _mm256_stream_pd;
    __m256i, |lanes: &[u32; MOST_LANES]| halves_of_4(lanes),
    |order, x| _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(x), order));
    4 transpose_f64_4 load_f64_4 store_f64_4 transpose_parts_f64_4;
    |x, from, first, end| {
        let mask = _mm256_andnot_si256(first_of_4(first), first_of_4(end));
        _mm256_blendv_pd(x, _mm256_maskload_pd(from, mask), _mm256_castsi256_pd(mask))
    },
    |to, first, end, x| _mm256_maskstore_pd(to, _mm256_andnot_si256(first_of_4(first), first_of_4(end)), x)
);
vector!(
    /// Eight single-precision numbers.
    F32x8, F32x4, f32, __m256, 8, 4;
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_mul_ps _mm256_add_ps _mm256_fmadd_ps _mm256_fnmadd_ps;
    |x| _mm256_moveldup_ps(x), |x| _mm256_movehdup_ps(x),
    |x, y| _mm256_addsub_ps(x, _mm256_permute_ps::<0xb1>(y));
    |from, count| _mm256_maskload_ps(from, first_of_8(count)),
    |to, count, x| _mm256_maskstore_ps(to, first_of_8(count), x),
    |x| sum_f32_8(x), _mm256_stream_ps;
    __m256i, |lanes: &[u32; MOST_LANES]| _mm256_loadu_si256(lanes.as_ptr().cast()), |order, x| _mm256_permutevar8x32_ps(x, order);
    4 transpose_f32_4 load_f32_8 store_f32_8 transpose_parts_f32;
    |x, from, first, end| {
        let mask = _mm256_andnot_si256(first_of_8(first), first_of_8(end));
        _mm256_blendv_ps(x, _mm256_maskload_ps(from, mask), _mm256_castsi256_ps(mask))
    },
    |to, first, end, x| _mm256_maskstore_ps(to, _mm256_andnot_si256(first_of_8(first), first_of_8(end)), x)
);
vector!(
    /// Two double-precision numbers.
    F64x2, F64x2, f64, __m128d, 2, 4;
    _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_mul_pd _mm_add_pd _mm_fmadd_pd _mm_fnmadd_pd;
    |x| _mm_movedup_pd(x), |x| _mm_permute_pd::<0b11>(x),
    |x, y| _mm_addsub_pd(x, _mm_permute_pd::<0b01>(y));
    // There is one element, if any.
    |from, count| if count == 0 { _mm_setzero_pd() } else { _mm_load_sd(from) },
    |to, count, x| if count > 0 { _mm_store_sd(to, x) },
    |x| _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x))), _mm_stream_pd;
    __m128i, |lanes: &[u32; MOST_LANES]| _mm_set_epi64x(i64::from(lanes[1]) << 1, i64::from(lanes[0]) << 1), |order, x| _mm_permutevar_pd(x, order)
);
vector!(
    /// Four single-precision numbers.
    F32x4, F32x4, f32, __m128, 4, 4;
    _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_mul_ps _mm_add_ps _mm_fmadd_ps _mm_fnmadd_ps;
    |x| _mm_moveldup_ps(x), |x| _mm_movehdup_ps(x),
    |x, y| _mm_addsub_ps(x, _mm_permute_ps::<0xb1>(y));
    |from, count| _mm_maskload_ps(from, _mm256_castsi256_si128(first_of_8(count))),
    |to, count, x| _mm_maskstore_ps(to, _mm256_castsi256_si128(first_of_8(count)), x),
    |x| sum_f32_4(x), _mm_stream_ps;
    __m128i, |lanes: &[u32; MOST_LANES]| _mm_loadu_si128(lanes.as_ptr().cast()), |order, x| _mm_permutevar_ps(x, order)
);

/// For each of four lanes of 64 bits, the two halves of the one that it gets its element from.
#[inline(always)]
unsafe fn halves_of_4(lanes: &[u32; MOST_LANES]) -> __m256i {
    // SAFETY: see `Vector`.
    unsafe {
        let first = _mm256_slli_epi64::<1>(_mm256_cvtepu32_epi64(_mm_loadu_si128(lanes.as_ptr().cast())));
        _mm256_or_si256(first, _mm256_slli_epi64::<32>(_mm256_add_epi64(first, _mm256_set1_epi64x(1))))
    }
}

/// A mask of the lanes from `first` on, up to `end`.
#[inline(always)]
fn lanes(first: usize, end: usize) -> u32 {
    (1 << end) - (1 << first)
}

/// A mask of the first lanes of four.
#[inline(always)]
unsafe fn first_of_4(count: usize) -> __m256i {
    const LANES: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
    // SAFETY: see `Vector`; four numbers follow each of the first five.
    unsafe { _mm256_loadu_si256(LANES.as_ptr().add(4 - count).cast()) }
}

/// A mask of the first lanes of eight.
#[inline(always)]
unsafe fn first_of_8(count: usize) -> __m256i {
    const LANES: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: see `Vector`; eight numbers follow each of the first nine.
    unsafe { _mm256_loadu_si256(LANES.as_ptr().add(8 - count).cast()) }
}

#[inline(always)]
unsafe fn sum_f64_4(x: __m256d) -> f64 {
    // SAFETY: see `Vector`.
    unsafe {
        let x = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd::<1>(x));
        _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)))
    }
}

#[inline(always)]
unsafe fn sum_f32_4(x: __m128) -> f32 {
    // SAFETY: see `Vector`.
    unsafe {
        let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
        _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)))
    }
}

#[inline(always)]
unsafe fn sum_f32_8(x: __m256) -> f32 {
    // SAFETY: see `Vector`.
    unsafe { sum_f32_4(_mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x))) }
}

#[inline(always)]
unsafe fn transpose_f64_8(from: *const f64, rows: &[isize], to: &[*mut f64; MOST_SQUARE], at: usize) {
    // SAFETY: see `Vector::transpose`.
    unsafe {
        let row = |n: usize| _mm512_loadu_si512(from.offset(rows[n]).cast());
        let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        for (to, column) in to.iter().zip(columns_512(rows)) {
            _mm512_storeu_si512(to.add(at).cast(), column);
        }
    }
}

#[inline(always)]
unsafe fn transpose_f32_8(from: *const f32, rows: &[isize], to: &[*mut f32; MOST_SQUARE], at: usize) {
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
unsafe fn transpose_f64_4(from: *const f64, rows: &[isize], to: &[*mut f64; MOST_SQUARE], at: usize) {
    // SAFETY: see `Vector::transpose`.
    unsafe {
        let row = |n: usize| _mm256_loadu_si256(from.offset(rows[n]).cast());
        for (to, column) in to.iter().zip(columns_256([row(0), row(1), row(2), row(3)])) {
            _mm256_storeu_si256(to.add(at).cast(), column);
        }
    }
}

#[inline(always)]
unsafe fn transpose_f32_4(from: *const f32, rows: &[isize], to: &[*mut f32; MOST_SQUARE], at: usize) {
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
