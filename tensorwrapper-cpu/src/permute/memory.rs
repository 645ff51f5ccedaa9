//! What the innermost loops of copies are told, and what they share: the memory, the places in it, and how lines are written and asked
//! for. Knows none of the loops.

use tensorwrapper_core::backend::fuse::Axis;

use crate::lines::{LINE, Line, WORDS};

/// Axes over source and destination.
pub(crate) type Pair = Axis<[isize; 2]>;
/// Where the source's strides and positions stand.
pub(super) const FROM: usize = 0;
/// Where the destination's strides and positions stand.
pub(super) const TO: usize = 1;

/// Rows of a panel at most.
pub(super) const MOST_ROWS: usize = 256;
/// What every kernel is told: memory, the same everywhere in a copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory<'a> {
    /// The first element that is read, and the end of what may be.
    pub(super) from: *const u8,
    pub(super) end: *const u8,
    /// The first element that is written.
    pub(super) to: *mut u8,
    /// From where this is read to where the next call reads.
    pub(super) ahead: isize,
    /// What flips the sign of imaginary parts; zero where nothing is conjugated.
    pub(super) signs: [u32; WORDS],
    /// Whether results are written past the caches.
    pub(super) stream: bool,
    /// Whether all of a copy stays in the caches; and whether its source is asked for ahead then, because it is read for the first time.
    pub(super) near: bool,
    pub(super) asks: bool,
    /// Where pieces start that are asked for meanwhile, relative to where the next call reads; and their bytes.
    pub(super) coming: &'a [isize],
    pub(super) piece: usize,
}

/// Columns that are contiguous in the result, rows that are contiguous in the source; at least a line's elements of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel<'a> {
    /// Where each column starts in the source, in elements.
    pub(super) columns: &'a [isize],
    /// Where each row starts in the result.
    pub(super) rows: &'a [isize],
}

/// Runs that are contiguous on both sides and follow each other in the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs<'a> {
    /// Where each run starts in the source, in elements.
    pub(super) starts: &'a [isize],
    /// Elements of a run.
    pub(super) len: usize,
}

/// A stretch of the result, whose elements are anywhere in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picked<'a> {
    /// Where each element stands in the source.
    pub(super) places: &'a [i32],
}

/// Small matrices that are transposed and follow each other in the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes<'a> {
    /// Where each of them starts in the source, in elements.
    pub(super) starts: &'a [isize],
    /// Where each column starts; its elements are contiguous in the source.
    pub(super) columns: &'a [isize],
    /// Elements of a column.
    pub(super) rows: usize,
}

/// Addresses, so many bytes further on. A loop, as closures over arrays are compiled without the kernel's instructions.
#[inline(always)]
pub(super) fn moved<const EDGE: usize>(from: &[*const u8; EDGE], bytes: usize) -> [*const u8; EDGE] {
    let mut moved = *from;
    for address in &mut moved {
        *address = address.wrapping_add(bytes);
    }
    moved
}

/// Writes a line, or the words of it that belong to the result.
#[inline(always)]
pub(super) unsafe fn write<L: Line>(line: L, to: *mut u8, stream: bool) {
    // SAFETY: the caller's promise: a line that may be written, its address a multiple of its size.
    unsafe { if stream { line.stream(to) } else { line.store(to) } }
}

/// Asks for the lines of a result of which a part is written: a store that waits for one holds up all that follow.
#[inline(always)]
pub(super) unsafe fn ask_edges<L: Line>(to: *mut u8, bytes: usize) {
    for edge in [to, to.wrapping_add(bytes)] {
        if !(edge as usize).is_multiple_of(LINE) {
            // SAFETY: a hint, whatever the address.
            unsafe { L::prefetch(edge) };
        }
    }
}

/// Pieces of the source that are read soon, asked for one after the other: memory is quicker where lines follow each other.
pub(super) struct Coming<'a> {
    from: *const u8,
    columns: &'a [isize],
    size: usize,
    /// Of each column.
    bytes: usize,
    /// Columns that are asked for at a time, and lines of each.
    each: usize,
    most: usize,
    /// How many bytes of the first column have been asked for.
    at: usize,
}

impl<'a> Coming<'a> {
    /// Columns of so many bytes, of which an equal share is asked for in each of so many steps.
    #[inline(always)]
    pub(super) fn new(from: *const u8, columns: &'a [isize], size: usize, bytes: usize, steps: usize) -> Coming<'a> {
        let lines = bytes / LINE + 2;
        let (each, parts) = (columns.len().div_ceil(steps.max(1)), (steps / columns.len().max(1)).max(1));
        Coming { from, columns, size, bytes, each, most: lines.div_ceil(parts) * LINE, at: 0 }
    }

    /// Asks for the next ones, as far as there are any left.
    #[inline(always)]
    pub(super) unsafe fn ask<L: Line>(&mut self) {
        for _ in 0..self.each {
            let [column, rest @ ..] = self.columns else { return };
            let start = self.from.wrapping_offset(column * self.size as isize);
            let bytes = self.bytes + start as usize % LINE;
            let end = self.at + self.most;
            let mut at = self.at;
            while at < end && at < bytes {
                // SAFETY: a hint, whatever the address.
                unsafe { L::prefetch(start.wrapping_add(at)) };
                at += LINE;
            }
            self.at = at;
            if at >= bytes {
                (self.columns, self.at) = (rest, 0);
            }
        }
    }
}
