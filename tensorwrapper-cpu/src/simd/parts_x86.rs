//! Complex numbers in the registers of x86-64: neighbours in memory become real parts and imaginary ones, and back.

use std::arch::x86_64::*;

use num_complex::Complex;

use super::squares_x86::columns_256;
use super::vector::MOST_SQUARE;

/// Real and imaginary parts of eight complex numbers.
///
/// # Safety
/// As [`Vector`](super::Vector), like all functions here.
#[inline(always)]
pub(super) unsafe fn load_f64_8(from: *const f64) -> (__m512d, __m512d) {
    // SAFETY: the caller's promise.
    unsafe {
        let (low, high) = (_mm512_loadu_pd(from), _mm512_loadu_pd(from.add(8)));
        let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        (_mm512_permutex2var_pd(low, even, high), _mm512_permutex2var_pd(low, odd, high))
    }
}

#[inline(always)]
pub(super) unsafe fn store_f64_8(re: __m512d, im: __m512d, to: *mut f64) {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
        _mm512_storeu_pd(to, _mm512_permutex2var_pd(re, low, im));
        _mm512_storeu_pd(to.add(8), _mm512_permutex2var_pd(re, high, im));
    }
}

/// Real and imaginary parts of sixteen complex numbers.
#[inline(always)]
pub(super) unsafe fn load_f32_16(from: *const f32) -> (__m512, __m512) {
    // SAFETY: the caller's promise.
    unsafe {
        let (low, high) = (_mm512_loadu_ps(from), _mm512_loadu_ps(from.add(16)));
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        (_mm512_permutex2var_ps(low, even, high), _mm512_permutex2var_ps(low, odd, high))
    }
}

#[inline(always)]
pub(super) unsafe fn store_f32_16(re: __m512, im: __m512, to: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        _mm512_storeu_ps(to, _mm512_permutex2var_ps(re, low, im));
        _mm512_storeu_ps(to.add(16), _mm512_permutex2var_ps(re, high, im));
    }
}

/// Real and imaginary parts of four complex numbers.
#[inline(always)]
pub(super) unsafe fn load_f64_4(from: *const f64) -> (__m256d, __m256d) {
    // SAFETY: the caller's promise.
    unsafe {
        let (low, high) = (_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(4)));
        let (re, im) = (_mm256_unpacklo_pd(low, high), _mm256_unpackhi_pd(low, high));
        (_mm256_permute4x64_pd::<0xd8>(re), _mm256_permute4x64_pd::<0xd8>(im))
    }
}

#[inline(always)]
pub(super) unsafe fn store_f64_4(re: __m256d, im: __m256d, to: *mut f64) {
    // SAFETY: the caller's promise.
    unsafe {
        let (even, odd) = (_mm256_unpacklo_pd(re, im), _mm256_unpackhi_pd(re, im));
        _mm256_storeu_pd(to, _mm256_permute2f128_pd::<0x20>(even, odd));
        _mm256_storeu_pd(to.add(4), _mm256_permute2f128_pd::<0x31>(even, odd));
    }
}

/// Real and imaginary parts of eight complex numbers.
#[inline(always)]
pub(super) unsafe fn load_f32_8(from: *const f32) -> (__m256, __m256) {
    // SAFETY: the caller's promise.
    unsafe {
        let (low, high) = (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8)));
        let (re, im) = (_mm256_shuffle_ps::<0x88>(low, high), _mm256_shuffle_ps::<0xdd>(low, high));
        let in_order = |x: __m256| _mm256_castpd_ps(_mm256_permute4x64_pd::<0xd8>(_mm256_castps_pd(x)));
        (in_order(re), in_order(im))
    }
}

#[inline(always)]
pub(super) unsafe fn store_f32_8(re: __m256, im: __m256, to: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe {
        let (even, odd) = (_mm256_unpacklo_ps(re, im), _mm256_unpackhi_ps(re, im));
        _mm256_storeu_ps(to, _mm256_permute2f128_ps::<0x20>(even, odd));
        _mm256_storeu_ps(to.add(8), _mm256_permute2f128_ps::<0x31>(even, odd));
    }
}

/// A square of four by four in 512-bit registers.
#[inline(always)]
pub(super) unsafe fn transpose_parts_f64_8(
    from: *const Complex<f64>,
    rows: &[isize],
    to: &[*mut f64; MOST_SQUARE],
    [re, im]: [usize; 2],
    sign: f64,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let row = |n: usize| _mm512_loadu_pd(from.offset(rows[n]).cast());
        let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
        let (low01, low23) = (_mm512_shuffle_f64x2::<0x44>(r0, r1), _mm512_shuffle_f64x2::<0x44>(r2, r3));
        let (high01, high23) = (_mm512_shuffle_f64x2::<0xee>(r0, r1), _mm512_shuffle_f64x2::<0xee>(r2, r3));
        let columns = [
            _mm512_shuffle_f64x2::<0x88>(low01, low23),
            _mm512_shuffle_f64x2::<0xdd>(low01, low23),
            _mm512_shuffle_f64x2::<0x88>(high01, high23),
            _mm512_shuffle_f64x2::<0xdd>(high01, high23),
        ];
        let apart = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        for (to, column) in to.iter().zip(columns) {
            let parts = _mm512_permutexvar_pd(apart, column);
            _mm256_storeu_pd(to.add(re), _mm512_castpd512_pd256(parts));
            let imaginary = _mm256_mul_pd(_mm512_extractf64x4_pd::<1>(parts), _mm256_set1_pd(sign));
            _mm256_storeu_pd(to.add(im), imaginary);
        }
    }
}

/// The same in 256-bit registers.
#[inline(always)]
pub(super) unsafe fn transpose_parts_f64_4(
    from: *const Complex<f64>,
    rows: &[isize],
    to: &[*mut f64; MOST_SQUARE],
    [re, im]: [usize; 2],
    sign: f64,
) {
    // SAFETY: the caller's promise.
    unsafe {
        for half in 0..2 {
            let row = |n: usize| _mm256_loadu_pd(from.offset(rows[n]).add(2 * half).cast());
            let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
            let columns = [
                (_mm256_permute2f128_pd::<0x20>(r0, r1), _mm256_permute2f128_pd::<0x20>(r2, r3)),
                (_mm256_permute2f128_pd::<0x31>(r0, r1), _mm256_permute2f128_pd::<0x31>(r2, r3)),
            ];
            for (to, (a, b)) in to[2 * half..].iter().zip(columns) {
                let real = _mm256_permute4x64_pd::<0xd8>(_mm256_unpacklo_pd(a, b));
                let imaginary = _mm256_permute4x64_pd::<0xd8>(_mm256_unpackhi_pd(a, b));
                _mm256_storeu_pd(to.add(re), real);
                _mm256_storeu_pd(to.add(im), _mm256_mul_pd(imaginary, _mm256_set1_pd(sign)));
            }
        }
    }
}

/// A square of four by four single-precision numbers.
#[inline(always)]
pub(super) unsafe fn transpose_parts_f32(
    from: *const Complex<f32>,
    rows: &[isize],
    to: &[*mut f32; MOST_SQUARE],
    [re, im]: [usize; 2],
    sign: f32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        // A complex number is 64 bits.
        let row = |n: usize| _mm256_loadu_si256(from.offset(rows[n]).cast());
        let columns = columns_256([row(0), row(1), row(2), row(3)]);
        let apart = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
        for (to, column) in to.iter().zip(columns) {
            let parts = _mm256_permutevar8x32_ps(_mm256_castsi256_ps(column), apart);
            _mm_storeu_ps(to.add(re), _mm256_castps256_ps128(parts));
            let imaginary = _mm_mul_ps(_mm256_extractf128_ps::<1>(parts), _mm_set1_ps(sign));
            _mm_storeu_ps(to.add(im), imaginary);
        }
    }
}
