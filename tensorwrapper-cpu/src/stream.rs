//! Results that are larger than caches, written past them as whole cache lines, wherever their pieces begin and end.
//!
//! Knows bytes, not what they mean.

use super::lines::{LINE, Line, WORDS, by_line};
use super::multiversion::prefetch_line;
use crate::simd::{Caches, Simd};

/// Bytes of a result from which on it is written past the caches: more than what follows would find there.
pub(super) fn is_large(bytes: usize) -> bool {
    bytes >= Caches::here().third / 8
}

/// Asks for the lines that a coming piece writes a part of: a store that waits for one holds up all that follow. Whole lines are written
/// past the caches, where one that is in them costs more.
pub(super) fn ask<T>(to: *const T, len: usize) {
    for edge in [to, to.wrapping_add(len)] {
        if !(edge as usize).is_multiple_of(LINE) {
            prefetch_line(edge);
        }
    }
}

/// Writes a piece of so many bytes into each stream, from pieces that follow each other to places so far apart.
type Kernel = unsafe fn(&mut [Stream], *const u8, usize, isize, *mut u8);

/// Pieces of a result on their way: those that follow each other are written as if they were one.
///
/// What is pushed must be [finished](Stream::finish), or its end is lost.
pub(super) struct Stream {
    /// A line that is not complete yet.
    held: [u32; WORDS],
    /// Where it goes.
    to: *mut u8,
    /// Which of its bytes there are; none where it is empty.
    first: usize,
    end: usize,
    kernel: Kernel,
    fence: unsafe fn(),
}

impl Stream {
    /// With these instructions, which the processor has.
    pub(super) fn new(simd: Simd) -> Stream {
        macro_rules! compiled {
            ($L:ty $(, $features:literal)?) => {{
                $(#[target_feature(enable = $features)])?
                unsafe fn push(streams: &mut [Stream], from: *const u8, bytes: usize, apart: isize, to: *mut u8) {
                    for (n, stream) in streams.iter_mut().enumerate() {
                        // SAFETY: the caller's promise.
                        unsafe { stream.write::<$L>(from.add(n * bytes), bytes, to.wrapping_offset(n as isize * apart)) }
                    }
                }
                $(#[target_feature(enable = $features)])?
                unsafe fn fence() {
                    // SAFETY: the caller's promise.
                    unsafe { <$L>::fence() }
                }
                (push as Kernel, fence as unsafe fn())
            }};
        }
        let (kernel, fence): (Kernel, unsafe fn()) = by_line!(simd, compiled);
        Stream { held: [0; WORDS], to: std::ptr::null_mut(), first: 0, end: 0, kernel, fence }
    }

    /// Writes a piece into each stream: their elements follow each other, their places are so far apart. Last bytes may wait for the
    /// next piece of the same stream.
    ///
    /// # Safety
    /// There are so many elements at all addresses, of a type whose size divides a line; nobody else touches those of the result
    /// until this is finished.
    pub(super) unsafe fn push<T>(streams: &mut [Stream], elements: &[T], apart: isize, to: *mut T) {
        const { assert!(LINE.is_multiple_of(size_of::<T>()) && size_of::<T>().is_multiple_of(4)) };
        let [first, ..] = streams else { return };
        let (kernel, bytes, apart) =
            (first.kernel, size_of_val(elements) / streams.len(), apart.wrapping_mul(size_of::<T>() as isize));
        // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
        unsafe { kernel(streams, elements.as_ptr().cast(), bytes, apart, to.cast()) }
    }

    /// Writes what waits, and makes all of it visible to other threads.
    ///
    /// # Safety
    /// As [`push`](Stream::push).
    pub(super) unsafe fn finish(&mut self) {
        // SAFETY: the caller's promise.
        unsafe {
            self.let_go();
            (self.fence)();
        }
    }

    /// # Safety
    /// As [`push`](Stream::push).
    #[inline(always)]
    unsafe fn write<L: Line>(&mut self, from: *const u8, bytes: usize, to: *mut u8) {
        let before = to as usize % LINE;
        // SAFETY: the caller's promise; whole lines begin at multiples of their size.
        unsafe {
            if self.end > 0 && to != self.to.wrapping_add(self.end) {
                self.let_go();
            }
            let mut done = 0;
            if before > 0 {
                done = bytes.min(LINE - before);
                if self.end == 0 {
                    (self.to, self.first) = (to.wrapping_sub(before), before);
                }
                self.hold(from, before, done);
                if self.end < LINE {
                    return;
                }
                if self.first == 0 {
                    L::load(self.held.as_ptr().cast()).stream(self.to);
                    self.end = 0;
                }
                self.let_go();
            }
            while done + LINE <= bytes {
                L::load(from.add(done)).stream(to.add(done));
                done += LINE;
            }
            if done < bytes {
                (self.to, self.first) = (to.add(done), 0);
                self.hold(from.add(done), 0, bytes - done);
            }
        }
    }

    /// Takes bytes into the line that waits.
    ///
    /// # Safety
    /// There are so many, and the line has room for them.
    #[inline(always)]
    unsafe fn hold(&mut self, from: *const u8, at: usize, bytes: usize) {
        debug_assert!(at + bytes <= LINE);
        for word in 0..bytes / 4 {
            // SAFETY: the caller's promise.
            self.held[at / 4 + word] = unsafe { from.cast::<u32>().add(word).read_unaligned() };
        }
        self.end = at + bytes;
    }

    /// Writes the part of a line that there is.
    ///
    /// # Safety
    /// As [`push`](Stream::push).
    #[inline(never)]
    unsafe fn let_go(&mut self) {
        for word in self.first / 4..self.end / 4 {
            // SAFETY: the caller's promise.
            unsafe { self.to.cast::<u32>().add(word).write_unaligned(self.held[word]) };
        }
        (self.first, self.end) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn pieces<T: Copy + PartialEq + std::fmt::Debug>(rng: &mut StdRng, simd: Simd, number: impl Fn(usize) -> T) {
        let untouched = number(usize::MAX >> 40);
        for _ in 0..200 {
            let len = rng.random_range(1..400usize);
            let from: Vec<T> = (0..len).map(&number).collect();
            let (mut found, mut expected) = (vec![untouched; len + 100], vec![untouched; len + 100]);
            let mut stream = Stream::new(simd);
            // Pieces that follow each other, and ones after gaps; the result begins anywhere in a line.
            let (mut at, mut to) = (0, rng.random_range(0..30usize));
            while at < len {
                let piece = rng.random_range(0..=(len - at).min(50));
                // SAFETY: the piece lies inside of both.
                unsafe { Stream::push(std::slice::from_mut(&mut stream), &from[at..at + piece], 0, found.as_mut_ptr().add(to)) };
                expected[to..to + piece].copy_from_slice(&from[at..at + piece]);
                let gap = if to + piece + 8 < 100 && rng.random_bool(0.2) { rng.random_range(0..8usize) } else { 0 };
                (at, to) = (at + piece, to + piece + gap);
            }
            // SAFETY: as above.
            unsafe { stream.finish() };
            assert_eq!(found, expected, "{simd:?}");
        }
    }

    #[test]
    fn rows_go_on_where_their_pieces_ended() {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            let (rows, apart, pieces) = (3, 117, [7, 16, 1, 32, 9]);
            let mut found = vec![0.0f32; rows * apart + 5];
            let mut expected = found.clone();
            let mut streams: Vec<Stream> = (0..rows).map(|_| Stream::new(simd)).collect();
            let mut at = 5;
            for piece in pieces {
                let values: Vec<f32> = (0..rows * piece).map(|n| (at * 1000 + n + 1) as f32).collect();
                // SAFETY: the pieces lie inside.
                unsafe { Stream::push(&mut streams, &values, apart as isize, found.as_mut_ptr().add(at)) };
                for (row, values) in values.chunks(piece).enumerate() {
                    expected[row * apart + at..][..piece].copy_from_slice(values);
                }
                at += piece;
            }
            for stream in &mut streams {
                // SAFETY: as above.
                unsafe { stream.finish() };
            }
            assert_eq!(found, expected, "{simd:?}");
        }
    }

    #[test]
    fn pieces_are_written_wherever_they_begin_and_end() {
        let mut rng = StdRng::seed_from_u64(31);
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            pieces::<u32>(&mut rng, simd, |n| n as u32);
            pieces::<f64>(&mut rng, simd, |n| n as f64);
            pieces::<[f64; 2]>(&mut rng, simd, |n| [n as f64, -(n as f64)]);
        }
    }
}
