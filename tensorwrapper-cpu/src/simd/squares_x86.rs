//! Squares in the registers of x86-64, transposed: what packing, copies and factorisations share.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use std::arch::x86_64::*;

/// Replaces lines `n` and `n + distance` by what becomes of them, for each such pair of a group of `2 · distance`.
#[inline(always)]
fn pairs<V: Copy, const EDGE: usize>(lines: [V; EDGE], distance: usize, both: impl Fn(V, V) -> [V; 2]) -> [V; EDGE] {
    let mut after = lines;
    for n in 0..EDGE {
        if n & distance == 0 {
            [after[n], after[n + distance]] = both(lines[n], lines[n + distance]);
        }
    }
    after
}

/// The columns of a square of 16 rows of 32-bit numbers, 8 of 64-bit ones, or 4 of 128-bit ones.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
pub(crate) unsafe fn columns_512<const EDGE: usize>(mut lines: [__m512i; EDGE]) -> [__m512i; EDGE] {
    // SAFETY: the caller's promise.
    unsafe {
        // Pairs of rows within quarters, as far as elements are smaller than a quarter; then quarters.
        if EDGE == 16 {
            lines = pairs(lines, 1, |a, b| [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)]);
            lines = pairs(lines, 2, |a, b| [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]);
        } else if EDGE == 8 {
            lines = pairs(lines, 1, |a, b| [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]);
        }
        let group = EDGE / 4;
        let mut columns = lines;
        for n in 0..group {
            let (a, b, c, d) = (lines[n], lines[n + group], lines[n + 2 * group], lines[n + 3 * group]);
            let (ab, cd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
            let (ef, gh) = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
            columns[n] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
            columns[n + group] = _mm512_shuffle_i64x2::<0x88>(ef, gh);
            columns[n + 2 * group] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
            columns[n + 3 * group] = _mm512_shuffle_i64x2::<0xdd>(ef, gh);
        }
        if EDGE == 16 {
            // Unpacking has put column 1 of each quarter where column 2 belongs.
            for quarter in 0..4 {
                columns.swap(4 * quarter + 1, 4 * quarter + 2);
            }
        }
        columns
    }
}

/// The columns of a square of 8 rows of 32-bit numbers, 4 of 64-bit ones, or 2 of 128-bit ones.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(crate) unsafe fn columns_256<const EDGE: usize>(mut lines: [__m256i; EDGE]) -> [__m256i; EDGE] {
    // SAFETY: the caller's promise.
    unsafe {
        if EDGE == 8 {
            lines = pairs(lines, 1, |a, b| [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)]);
            lines = pairs(lines, 2, |a, b| [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)]);
            lines.swap(1, 2);
            lines.swap(5, 6);
        } else if EDGE == 4 {
            lines = pairs(lines, 1, |a, b| [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)]);
        }
        let mut columns = lines;
        let group = EDGE / 2;
        for n in 0..group {
            let (a, b) = (lines[n], lines[n + group]);
            columns[n] = _mm256_permute2x128_si256::<0x20>(a, b);
            columns[n + group] = _mm256_permute2x128_si256::<0x31>(a, b);
        }
        columns
    }
}
