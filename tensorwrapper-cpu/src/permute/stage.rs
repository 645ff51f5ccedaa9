//! Copies whose results are contiguous but made of short pieces: these are brought together in a stage that stays in the
//! first cache, and leave it as whole lines.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use std::mem::MaybeUninit;

use super::super::lines::{LINE, Line, WORDS};
use super::memory::{Boxes, Coming, Memory, Runs, ask_edges, write};

/// Bytes that are brought together before they are written.
const FULL: usize = 8192;
/// Bytes of a piece at most, but for runs that are written as they are read.
pub(super) const PIECE: usize = 16384;
/// Bytes of a run from which on it is written as it is read.
const LONG: usize = 2048;

/// Bytes on their way into the result, in the order in which they stand there.
struct Stage {
    bytes: [MaybeUninit<[u8; LINE]>; (FULL + PIECE) / LINE + 2],
    /// Where the first line of the stage goes: the start of a line.
    to: *mut u8,
    /// Bytes of the stage's first line that are not the result's.
    skipped: usize,
    /// Bytes in the stage, with those.
    staged: usize,
    stream: bool,
}

impl Stage {
    #[inline(always)]
    fn new(to: *mut u8, stream: bool) -> Stage {
        let skipped = to as usize % LINE;
        let mut bytes = [const { MaybeUninit::uninit() }; (FULL + PIECE) / LINE + 2];
        bytes[0].write([0; LINE]);
        Stage { bytes, to: to.wrapping_sub(skipped), skipped, staged: skipped, stream }
    }

    /// Where the next piece goes; a line after its end may be overwritten, too.
    #[inline(always)]
    fn next(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr().cast::<u8>().wrapping_add(self.staged)
    }

    /// Takes in a piece, which has been written; writes what has come together.
    #[inline(always)]
    unsafe fn push<L: Line>(&mut self, len: usize, last: bool) {
        self.staged += len;
        if self.staged < FULL && !last {
            return;
        }
        let stage = self.bytes.as_mut_ptr().cast::<u8>();
        let mut written = 0;
        // SAFETY: the callers' promise: the result has as many bytes as were pushed. The stage has room for a piece and a line
        // more than what makes it full.
        unsafe {
            // So that the last line is whole.
            stage.add(self.staged).cast::<[u8; LINE]>().write([0; LINE]);
            if self.skipped > 0 {
                L::load(stage).store_words(self.to, self.skipped / 4..WORDS.min(self.staged / 4));
                (written, self.skipped) = (LINE, 0);
            }
            while written + LINE <= self.staged {
                write(L::load(stage.add(written)), self.to.wrapping_add(written), self.stream);
                written += LINE;
            }
            if last && written < self.staged {
                L::load(stage.add(written)).store_words(self.to.wrapping_add(written), 0..(self.staged - written) / 4);
            } else if !last {
                L::load(stage.add(written)).store(stage);
                self.to = self.to.wrapping_add(written);
                self.staged -= written;
            }
        }
    }
}

/// Copies runs that follow each other in the result.
///
/// # Safety
/// All elements lie inside their memories, and nobody else touches those of the result. `end` is the end of what may be read.
#[inline(always)]
pub(super) unsafe fn copy_runs<L: Line, const EDGE: usize>(memory: &Memory<'_>, runs: Runs<'_>) {
    let size = (LINE / EDGE) as isize;
    let len = runs.len * LINE / EDGE;
    // SAFETY: the caller's promise; what is read beyond a run's end lies inside the source, too.
    unsafe {
        let signs = L::load(memory.signs.as_ptr().cast());
        if len >= LONG {
            let mut coming = coming(memory, size as usize, runs.starts.len());
            for (n, &start) in runs.starts.iter().enumerate() {
                coming.ask::<L>();
                copy_run::<L>(memory.from.offset(start * size), memory.to.add(n * len), len, signs, memory.stream);
            }
            return;
        }
        if memory.stream {
            ask_edges::<L>(memory.to, runs.starts.len() * len);
        }
        let mut coming = coming(memory, size as usize, runs.starts.len());
        let mut stage = Stage::new(memory.to, memory.stream);
        for (n, &start) in runs.starts.iter().enumerate() {
            let from = memory.from.offset(start * size);
            let to = stage.next();
            coming.ask::<L>();
            if memory.end as usize - from as usize >= len.next_multiple_of(LINE) {
                for at in (0..len).step_by(LINE) {
                    L::load(from.add(at)).xor(signs).store(to.add(at));
                }
            } else {
                copy_words(memory, from, to, len / 4);
            }
            stage.push::<L>(len, n + 1 == runs.starts.len());
        }
    }
}

/// What is asked for in so many steps.
#[inline(always)]
fn coming<'a>(memory: &Memory<'a>, size: usize, steps: usize) -> Coming<'a> {
    Coming::new(memory.from.wrapping_offset(memory.ahead), memory.coming, size, memory.piece, steps)
}

/// Copies a stretch word by word.
#[inline(never)]
pub(super) unsafe fn copy_words(memory: &Memory<'_>, from: *const u8, to: *mut u8, words: usize) {
    for n in 0..words {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<u32>().add(n).write_unaligned(from.cast::<u32>().add(n).read_unaligned() ^ memory.signs[n % WORDS]) };
    }
}

/// One long run.
#[inline(always)]
unsafe fn copy_run<L: Line>(from: *const u8, to: *mut u8, len: usize, signs: L, stream: bool) {
    // To the first line's start; at least words, of which every element's address is a multiple.
    let head = (LINE - to as usize % LINE) % LINE;
    // SAFETY: the caller's promise; a long run is more than two lines. Signs are those of the words where a line starts.
    unsafe {
        let signs_at = |at: usize| signs.join(signs, at / 4 % WORDS);
        L::load(from).xor(signs).store_words(to, 0..head / 4);
        let flipping = signs_at(head);
        let mut at = head;
        while at + LINE <= len {
            write(L::load(from.add(at)).xor(flipping), to.add(at), stream);
            at += LINE;
        }
        if at < len {
            let last = len - LINE;
            L::load(from.add(last)).xor(signs_at(last)).store_words(to.add(last), (at - last) / 4..WORDS);
        }
    }
}

/// Transposes small matrices that follow each other in the result.
///
/// # Safety
/// As [`copy_runs`]; a matrix has at most [`PIECE`] bytes.
#[inline(always)]
pub(super) unsafe fn transpose_boxes<L: Line, const EDGE: usize>(memory: &Memory<'_>, boxes: Boxes<'_>) {
    let size = (LINE / EDGE) as isize;
    let (columns, rows) = (boxes.columns, boxes.rows);
    let row = columns.len() * LINE / EDGE;
    // Some rows at a time, each of as many lines as there are columns.
    assert!(EDGE * row <= PIECE, "{EDGE} rows of {row} bytes are more than the stage has room for");
    let furthest = columns.iter().copied().max().unwrap_or(0) + rows.next_multiple_of(EDGE) as isize;
    // SAFETY: the caller's promise; columns that are read beyond their ends end inside the source, too.
    unsafe {
        let signs = L::load(memory.signs.as_ptr().cast());
        if memory.stream {
            ask_edges::<L>(memory.to, boxes.starts.len() * rows * row);
        }
        let squares = rows.div_ceil(EDGE) * columns.len().div_ceil(EDGE);
        let mut coming = coming(memory, size as usize, boxes.starts.len() * squares);
        let mut stage = Stage::new(memory.to, memory.stream);
        for (n, &start) in boxes.starts.iter().enumerate() {
            let from = memory.from.offset(start * size);
            let is_inside = memory.end as isize - from as isize >= furthest * size;
            let mut above = 0;
            while above < rows {
                let high = if rows - above < EDGE { rows - above } else { EDGE };
                let (from, to) = (from.add(above * LINE / EDGE), stage.next());
                if is_inside {
                    transpose_rows::<L, EDGE>(from, columns, high, to, signs, &mut coming);
                } else {
                    for n in 0..high {
                        for (column, start) in columns.iter().enumerate() {
                            let from = from.offset((start + n as isize) * size);
                            copy_words(memory, from, to.add(n * row).offset(column as isize * size), WORDS / EDGE);
                        }
                    }
                }
                above += EDGE;
                stage.push::<L>(high * row, above >= rows && n + 1 == boxes.starts.len());
            }
        }
    }
}

/// Transposes some rows of a small matrix, as many as a line has elements or fewer, into rows that follow each other.
///
/// # Safety
/// All columns may be read as far as a line reaches; behind the last row a line may be overwritten.
#[inline(always)]
unsafe fn transpose_rows<L: Line, const EDGE: usize>(
    from: *const u8,
    columns: &[isize],
    high: usize,
    to: *mut u8,
    signs: L,
    coming: &mut Coming<'_>,
) {
    let (size, row) = (LINE / EDGE, columns.len() * LINE / EDGE);
    let mut column = 0;
    while column < columns.len() {
        // The last square overlaps with the one before where there is one. Where not, what it writes after a row's end is written
        // over by the next row.
        let first = column.min(columns.len().saturating_sub(EDGE));
        let mut sources = [from; EDGE];
        for (n, source) in sources.iter_mut().enumerate() {
            *source = source.wrapping_offset(columns[(first + n).min(columns.len() - 1)] * size as isize);
        }
        // SAFETY: the caller's promise.
        unsafe {
            coming.ask::<L>();
            let transposed = L::transpose::<EDGE>(&sources);
            let to = to.add(first * size);
            if high == EDGE {
                for n in 0..EDGE {
                    transposed[n].xor(signs).store(to.add(n * row));
                }
            } else {
                for (n, line) in transposed.iter().enumerate().take(high) {
                    line.xor(signs).store(to.add(n * row));
                }
            }
        }
        column = first + EDGE;
    }
}
