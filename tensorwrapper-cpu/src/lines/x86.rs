//! Cache lines in the registers of x86-64: one of 512 bits, or two of 256.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use std::arch::x86_64::*;
use std::ops::Range;

use super::line::{LINE, Line, element};
use crate::simd::squares_x86::{columns_256, columns_512};

/// One register of 512 bits.
#[derive(Clone, Copy)]
pub(crate) struct Whole(__m512i);

/// Two registers of 256 bits.
#[derive(Clone, Copy)]
pub(crate) struct Halves(__m256i, __m256i);

impl Line for Whole {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: see `Line`.
        Whole(unsafe { _mm512_loadu_si512(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: see `Line`.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: see `Line`.
        unsafe { _mm512_stream_si512(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn store_words(self, to: *mut u8, words: Range<usize>) {
        // SAFETY: see `Line`; no other words are written.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), ((1u32 << words.end) - (1u32 << words.start)) as __mmask16, self.0) }
    }
    #[inline(always)]
    unsafe fn fence() {
        // SAFETY: see `Line`.
        unsafe { _mm_sfence() }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: see `Line`.
        Whole(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn join(self, next: Self, word: usize) -> Self {
        // SAFETY: see `Line`.
        unsafe {
            let first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let index = _mm512_add_epi32(first, _mm512_set1_epi32(word as i32));
            Whole(_mm512_permutex2var_epi32(self.0, index, next.0))
        }
    }
    #[inline(always)]
    unsafe fn prefetch(address: *const u8) {
        // SAFETY: a hint, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
    }
    #[inline(always)]
    unsafe fn transpose<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE] {
        // SAFETY: see `Line`.
        unsafe {
            let mut lines = [_mm512_setzero_si512(); EDGE];
            for (line, from) in lines.iter_mut().zip(from) {
                *line = _mm512_loadu_si512(from.cast());
            }
            let columns = columns_512(lines);
            let mut wrapped = [Whole(columns[0]); EDGE];
            for n in 0..EDGE {
                wrapped[n] = Whole(columns[n]);
            }
            wrapped
        }
    }
    #[inline(always)]
    unsafe fn pick<const EDGE: usize>(from: *const u8, places: &[i32; EDGE]) -> Self {
        // SAFETY: see `Line`.
        unsafe {
            let low = _mm512_castsi256_si512(half::<EDGE>(from, places, 0));
            Whole(_mm512_inserti64x4::<1>(low, half::<EDGE>(from, places, 1)))
        }
    }
}

/// A quarter of a line of the elements that are at these places.
///
/// # Safety
/// See [`Line::pick`].
#[inline(always)]
unsafe fn quarter<const EDGE: usize>(from: *const u8, places: &[i32; EDGE], number: usize) -> __m128i {
    let first = number * (EDGE / 4);
    // SAFETY: see `Line`. An element is loaded as it is inserted: each takes one instruction.
    unsafe {
        let at = |n: usize| element::<EDGE>(from, places[first + n]);
        match EDGE {
            4 => _mm_loadu_si128(at(0).cast()),
            8 => {
                // Not `_mm_loadh_pd`, which reads an aligned number: complex numbers of eight bytes begin at any word.
                _mm_unpacklo_epi64(_mm_loadl_epi64(at(0).cast()), _mm_loadl_epi64(at(1).cast()))
            }
            _ => {
                let word = |n: usize| at(n).cast::<i32>().read_unaligned();
                let two = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(word(0)), word(1));
                _mm_insert_epi32::<3>(_mm_insert_epi32::<2>(two, word(2)), word(3))
            }
        }
    }
}

#[inline(always)]
unsafe fn half<const EDGE: usize>(from: *const u8, places: &[i32; EDGE], number: usize) -> __m256i {
    // SAFETY: see `Line`.
    unsafe {
        let low = _mm256_castsi128_si256(quarter::<EDGE>(from, places, 2 * number));
        _mm256_inserti128_si256::<1>(low, quarter::<EDGE>(from, places, 2 * number + 1))
    }
}

/// A mask of the words of half a line, the first of which has that number.
#[inline(always)]
unsafe fn words_of_half(words: &Range<usize>, first: i32) -> __m256i {
    // SAFETY: see `Line`.
    unsafe {
        let numbers = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first));
        let before = _mm256_cmpgt_epi32(_mm256_set1_epi32(words.start as i32), numbers);
        _mm256_andnot_si256(before, _mm256_cmpgt_epi32(_mm256_set1_epi32(words.end as i32), numbers))
    }
}

impl Halves {
    /// As [`Line::transpose`]: each half of a line is the transpose of the half of the rows that it comes from.
    #[inline(always)]
    unsafe fn quadrants<const EDGE: usize, const HALF: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE] {
        // SAFETY: see `Line`.
        unsafe {
            let zero = _mm256_setzero_si256();
            let mut columns = [Halves(zero, zero); EDGE];
            let size = LINE / EDGE;
            for (side, rows) in [(0, 0), (0, HALF), (HALF, 0), (HALF, HALF)] {
                let mut lines = [zero; HALF];
                for (line, from) in lines.iter_mut().zip(&from[side..]) {
                    *line = _mm256_loadu_si256(from.add(rows * size).cast());
                }
                let square = columns_256(lines);
                for n in 0..HALF {
                    let line = &mut columns[rows + n];
                    if side == 0 { line.0 = square[n] } else { line.1 = square[n] }
                }
            }
            columns
        }
    }
}

impl Line for Halves {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: see `Line`.
        unsafe { Halves(_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: see `Line`.
        unsafe {
            _mm256_storeu_si256(to.cast(), self.0);
            _mm256_storeu_si256(to.add(32).cast(), self.1);
        }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: see `Line`.
        unsafe {
            _mm256_stream_si256(to.cast(), self.0);
            _mm256_stream_si256(to.add(32).cast(), self.1);
        }
    }
    #[inline(always)]
    unsafe fn store_words(self, to: *mut u8, words: Range<usize>) {
        // SAFETY: see `Line`; no other words are written.
        unsafe {
            _mm256_maskstore_epi32(to.cast(), words_of_half(&words, 0), self.0);
            _mm256_maskstore_epi32(to.wrapping_add(32).cast(), words_of_half(&words, 8), self.1);
        }
    }
    #[inline(always)]
    unsafe fn fence() {
        // SAFETY: see `Line`.
        unsafe { _mm_sfence() }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: see `Line`.
        unsafe { Halves(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn join(self, next: Self, word: usize) -> Self {
        // SAFETY: see `Line`; a line at a word of two neighbouring ones lies inside both.
        unsafe {
            let mut both = [0u8; 2 * LINE];
            self.store(both.as_mut_ptr());
            next.store(both.as_mut_ptr().add(LINE));
            Halves::load(both.as_ptr().add(4 * word))
        }
    }
    #[inline(always)]
    unsafe fn prefetch(address: *const u8) {
        // SAFETY: a hint, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
    }
    #[inline(always)]
    unsafe fn transpose<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE] {
        // SAFETY: see `Line`.
        unsafe {
            match EDGE {
                16 => Halves::quadrants::<EDGE, 8>(from),
                8 => Halves::quadrants::<EDGE, 4>(from),
                _ => Halves::quadrants::<EDGE, 2>(from),
            }
        }
    }
    #[inline(always)]
    unsafe fn pick<const EDGE: usize>(from: *const u8, places: &[i32; EDGE]) -> Self {
        // SAFETY: see `Line`.
        unsafe { Halves(half::<EDGE>(from, places, 0), half::<EDGE>(from, places, 1)) }
    }
}
