//! A cache line in registers: the trait that copying kernels are written against, and its form for any processor.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use std::ops::Range;

pub(crate) use tensorwrapper_core::storage::LINE;

/// Words of four bytes of a line: places where an element may start, whatever its size.
pub(crate) const WORDS: usize = LINE / 4;

/// A cache line in registers.
///
/// # Safety
/// All functions: the processor has the instructions that the type stands for, and what pointers reach is valid: a line, at
/// any address unless something else is said.
pub(crate) trait Line: Copy {
    unsafe fn load(from: *const u8) -> Self;
    unsafe fn store(self, to: *mut u8);
    /// Writes past the caches, to an address that is a multiple of [`LINE`]; [`fence`](Line::fence) comes after the last one.
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.store(to) }
    }
    /// Writes the words of these numbers, at most [`WORDS`], to where they stand in a line at that address.
    #[inline(always)]
    unsafe fn store_words(self, to: *mut u8, words: Range<usize>) {
        let mut line = [0u32; WORDS];
        // SAFETY: the caller's promise; a line is as large as its words.
        unsafe {
            self.store(line.as_mut_ptr().cast());
            for word in words {
                to.wrapping_add(4 * word).cast::<u32>().write_unaligned(line[word]);
            }
        }
    }
    /// Makes what was streamed visible to other threads, in order with what follows.
    unsafe fn fence() {}
    unsafe fn xor(self, other: Self) -> Self;
    /// The line that starts at that word of `self` and goes on in `next`.
    unsafe fn join(self, next: Self, word: usize) -> Self;
    /// Asks for the line of an address, which may be any.
    unsafe fn prefetch(_address: *const u8) {}
    /// Reads a line of `EDGE` elements from each address, and gives the columns of that square.
    unsafe fn transpose<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE];
    /// A line of the `EDGE` elements that are so many places after an address.
    unsafe fn pick<const EDGE: usize>(from: *const u8, places: &[i32; EDGE]) -> Self;
}

/// An element's address.
#[inline(always)]
pub(super) fn element<const EDGE: usize>(from: *const u8, place: i32) -> *const u8 {
    from.wrapping_offset(place as isize * (LINE / EDGE) as isize)
}

/// A line in whatever registers the compilation's target has.
#[derive(Clone, Copy)]
pub(crate) struct Words([u32; WORDS]);

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
    unsafe fn transpose<const EDGE: usize>(from: &[*const u8; EDGE]) -> [Self; EDGE] {
        let mut columns = [Words([0; WORDS]); EDGE];
        let width = WORDS / EDGE;
        for (column, from) in from.iter().enumerate() {
            // SAFETY: the caller's promise.
            let line = unsafe { Self::load(*from) };
            for (row, target) in columns.iter_mut().enumerate() {
                target.0[column * width..][..width].copy_from_slice(&line.0[row * width..][..width]);
            }
        }
        columns
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
