//! Cache lines in registers, one type for each set of instructions: what kernels that copy and turn are written in.
//!
//! A line is 64 bytes, of elements of 4, 8 or 16. Every operation is inlined into a kernel that was compiled for the
//! instructions; knows nothing of axes.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

pub(super) use tensorwrapper_core::owned::LINE;

/// Words of four bytes of a line: places where an element may start, whatever its size.
pub(super) const WORDS: usize = LINE / 4;

/// A cache line in registers.
///
/// # Safety
/// All functions: the processor has the instructions that the type stands for, and what pointers reach is valid: a line, at
/// any address unless something else is said.
pub(super) trait Line: Copy {
    unsafe fn load(from: *const u8) -> Self;
    unsafe fn store(self, to: *mut u8);
    /// Writes past the caches, to an address that is a multiple of [`LINE`]; [`fence`](Line::fence) comes after the last one.
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.store(to) }
    }
    /// Makes what was streamed visible to other threads, in order with what follows.
    unsafe fn fence() {}
    unsafe fn xor(self, other: Self) -> Self;
    /// The line that starts at that word of `self` and goes on in `next`.
    unsafe fn join(self, next: Self, word: usize) -> Self;
    /// Asks for the line of an address, which may be any.
    unsafe fn prefetch(_address: *const u8) {}
    /// Reads a line of `EDGE` elements from each address, and gives the columns of that square.
    unsafe fn turn<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE];
    /// A line of the `EDGE` elements that are so many places after an address.
    unsafe fn pick<const EDGE: usize>(from: *const u8, places: &[i32; EDGE]) -> Self;
}

/// An element's address.
#[inline(always)]
fn element<const EDGE: usize>(from: *const u8, place: i32) -> *const u8 {
    from.wrapping_offset(place as isize * (LINE / EDGE) as isize)
}

/// A line in whatever registers the compilation's target has.
#[derive(Clone, Copy)]
pub(super) struct Words([u32; WORDS]);

impl Line for Words {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Words(unsafe { from.cast::<[u32; WORDS]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[u32; WORDS]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        Words(std::array::from_fn(|n| self.0[n] ^ other.0[n]))
    }
    #[inline(always)]
    unsafe fn join(self, next: Self, word: usize) -> Self {
        Words(std::array::from_fn(|n| if n + word < WORDS { self.0[n + word] } else { next.0[n + word - WORDS] }))
    }
    #[inline(always)]
    unsafe fn turn<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE] {
        let mut turned = [Words([0; WORDS]); EDGE];
        let width = WORDS / EDGE;
        for (column, from) in from.iter().enumerate() {
            // SAFETY: the caller's promise.
            let line = unsafe { Self::load(*from) };
            for (row, turned) in turned.iter_mut().enumerate() {
                turned.0[column * width..][..width].copy_from_slice(&line.0[row * width..][..width]);
            }
        }
        turned
    }
    #[inline(always)]
    unsafe fn pick<const EDGE: usize>(from: *const u8, places: &[i32; EDGE]) -> Self {
        let mut line = Words([0; WORDS]);
        let width = WORDS / EDGE;
        for n in 0..EDGE {
            let from = element::<EDGE>(from, places[n]).cast::<u32>();
            for word in 0..width {
                // SAFETY: the caller's promise.
                line.0[n * width + word] = unsafe { from.add(word).read_unaligned() };
            }
        }
        line
    }
}

/// What a macro makes of the line for these instructions: it is given the type, what else there is, and the instructions' names, where
/// the compilation's target need not have them.
macro_rules! by_line {
    ($simd:expr, $compiled:ident $(, $more:literal)?) => {
        match $simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => $compiled!($crate::lines::x86::Whole $(, $more)?, "avx512f,avx2"),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => $compiled!($crate::lines::x86::Halves $(, $more)?, "avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Simd::Avx512 | Simd::Avx2 => unreachable!("{:?} is not available here", $simd),
            Simd::Neon | Simd::Portable => $compiled!($crate::lines::Words $(, $more)?),
        }
    };
}
/// The same for elements of so many bytes: the macro is given how many a line has.
macro_rules! by_line_and_size {
    ($simd:expr, $size:expr, $compiled:ident) => {
        match $size {
            4 => $crate::lines::by_line!($simd, $compiled, 16),
            8 => $crate::lines::by_line!($simd, $compiled, 8),
            16 => $crate::lines::by_line!($simd, $compiled, 4),
            other => unreachable!("elements of {other} bytes"),
        }
    };
}
pub(super) use {by_line, by_line_and_size};

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    //! The registers of x86-64.

    use std::arch::x86_64::*;

    use super::{LINE, Line, element};

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
        unsafe fn turn<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE] {
            // SAFETY: see `Line`.
            unsafe {
                let mut lines = [_mm512_setzero_si512(); EDGE];
                for (line, from) in lines.iter_mut().zip(from) {
                    *line = _mm512_loadu_si512(from.cast());
                }
                // Pairs of rows within quarters, as far as elements are smaller than a quarter; then quarters.
                if EDGE == 16 {
                    lines = pairs(lines, 1, |a, b| [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)]);
                    lines = pairs(lines, 2, |a, b| [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]);
                } else if EDGE == 8 {
                    lines = pairs(lines, 1, |a, b| [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)]);
                }
                let group = EDGE / 4;
                let mut turned = lines;
                for n in 0..group {
                    let (a, b, c, d) = (lines[n], lines[n + group], lines[n + 2 * group], lines[n + 3 * group]);
                    let (ab, cd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
                    let (ef, gh) = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
                    turned[n] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
                    turned[n + group] = _mm512_shuffle_i64x2::<0x88>(ef, gh);
                    turned[n + 2 * group] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
                    turned[n + 3 * group] = _mm512_shuffle_i64x2::<0xdd>(ef, gh);
                }
                if EDGE == 16 {
                    // Unpacking has put column 1 of each quarter where column 2 belongs.
                    for quarter in 0..4 {
                        turned.swap(4 * quarter + 1, 4 * quarter + 2);
                    }
                }
                let mut wrapped = [Whole(turned[0]); EDGE];
                for n in 0..EDGE {
                    wrapped[n] = Whole(turned[n]);
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
        unsafe fn turn<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE] {
            // SAFETY: see `Line`; each half of a line is turned for itself, from the half of the rows that it comes from.
            unsafe {
                let zero = _mm256_setzero_si256();
                let mut turned = [Halves(zero, zero); EDGE];
                let (half, size) = (EDGE / 2, LINE / EDGE);
                for (side, rows) in [(0, 0), (0, half), (half, 0), (half, half)] {
                    let mut lines = [zero; EDGE];
                    for (line, from) in lines.iter_mut().zip(&from[side..]).take(half) {
                        *line = _mm256_loadu_si256(from.add(rows * size).cast());
                    }
                    if EDGE == 16 {
                        lines = pairs(lines, 1, |a, b| [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)]);
                        lines = pairs(lines, 2, |a, b| [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)]);
                        lines.swap(1, 2);
                        lines.swap(5, 6);
                    } else if EDGE == 8 {
                        lines = pairs(lines, 1, |a, b| [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)]);
                    }
                    let group = half / 2;
                    for n in 0..group {
                        let (a, b) = (lines[n], lines[n + group]);
                        let both = [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)];
                        for m in 0..2 {
                            let line = &mut turned[rows + n + m * group];
                            if side == 0 { line.0 = both[m] } else { line.1 = both[m] }
                        }
                    }
                }
                turned
            }
        }
        #[inline(always)]
        unsafe fn pick<const EDGE: usize>(from: *const u8, places: &[i32; EDGE]) -> Self {
            // SAFETY: see `Line`.
            unsafe { Halves(half::<EDGE>(from, places, 0), half::<EDGE>(from, places, 1)) }
        }
    }
}
