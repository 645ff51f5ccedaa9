//! Copies that stay in the caches but for a source that may be far: lines are stored wherever they belong, across the ends of cache lines
//! too, and a far source is asked for some squares, or lines, ahead.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use super::super::lines::{LINE, Line, WORDS};
use super::memory::{Boxes, MOST_ROWS, Memory, Panel, Runs, moved};
use super::stage::copy_words;

/// Squares, or runs, from one that is copied to one that is asked for.
const AHEAD: usize = 4;

/// Transposes a panel, square by square; the last ones overlap with those before. Of squares that reach beyond few rows or few columns,
/// nothing is written there.
///
/// # Safety
/// All elements of the panel lie inside their memories, and nobody else touches those of the result. `end` is the end of what may be read.
#[inline(always)]
pub(super) unsafe fn transpose_squares<L: Line, const EDGE: usize>(memory: &Memory<'_>, panel: Panel<'_>) {
    let (columns, rows, size) = (panel.columns, panel.rows, (LINE / EDGE) as isize);
    let is_wide = columns.len() >= EDGE;
    let high = if rows.len() < EDGE { rows.len() } else { EDGE };
    if high < EDGE {
        let furthest = columns.iter().copied().max().unwrap_or(0) + EDGE as isize;
        if furthest * size > memory.end as isize - memory.from as isize {
            // SAFETY: the caller's promise.
            return unsafe { transpose_words(memory, panel, LINE / EDGE) };
        }
    }
    let ahead = if memory.asks { (AHEAD * EDGE / rows.len()).max(1) * EDGE } else { columns.len() };
    // SAFETY: the caller's promise; squares lie inside the panel, or what is read beyond it inside the source.
    unsafe {
        let signs = L::load(memory.signs.as_ptr().cast());
        let mut column = 0;
        while column < columns.len() {
            let first = column.min(columns.len().saturating_sub(EDGE));
            let mut from = [memory.from; EDGE];
            for n in 0..EDGE {
                from[n] = from[n].wrapping_offset(columns[(first + n).min(columns.len() - 1)] * size);
            }
            let to = memory.to.wrapping_offset(first as isize * size);
            let mut row = 0;
            while row < rows.len() {
                let above = row.min(rows.len().saturating_sub(EDGE));
                if first + ahead + EDGE <= columns.len() {
                    for n in 0..EDGE {
                        let start = *columns.get_unchecked(first + ahead + n) + above as isize;
                        L::prefetch(memory.from.wrapping_offset(start * size));
                    }
                }
                let transposed = L::transpose::<EDGE>(&moved(&from, above * size as usize));
                for n in 0..EDGE {
                    if n == high {
                        break;
                    }
                    let to = to.wrapping_offset(*rows.get_unchecked(above + n) * size);
                    let line = transposed[n].xor(signs);
                    if is_wide { line.store(to) } else { line.store_words(to, 0..columns.len() * WORDS / EDGE) }
                }
                row = above + EDGE;
            }
            column = first + EDGE;
        }
    }
}

/// Transposes a panel word by word, of elements of so many bytes.
///
/// # Safety
/// As [`transpose_squares`].
pub(super) unsafe fn transpose_words(memory: &Memory<'_>, panel: Panel<'_>, size: usize) {
    for (n, row) in panel.rows.iter().enumerate() {
        for (m, column) in panel.columns.iter().enumerate() {
            let from = memory.from.wrapping_offset((column + n as isize) * size as isize).cast::<u32>();
            let to = memory.to.wrapping_offset((row + m as isize) * size as isize).cast::<u32>();
            for word in 0..size / 4 {
                // SAFETY: the caller's promise.
                unsafe { to.add(word).write_unaligned(from.add(word).read_unaligned() ^ memory.signs[word]) };
            }
        }
    }
}

/// Transposes small matrices that follow each other in the result.
///
/// # Safety
/// As [`transpose_squares`], of each matrix.
#[inline(always)]
pub(super) unsafe fn transpose_each<L: Line, const EDGE: usize>(memory: &Memory<'_>, boxes: Boxes<'_>) {
    let mut rows = [0; MOST_ROWS];
    for n in 0..boxes.rows {
        rows[n] = (n * boxes.columns.len()) as isize;
    }
    let panel = Panel { columns: boxes.columns, rows: &rows[..boxes.rows] };
    let bytes = boxes.rows * boxes.columns.len() * LINE / EDGE;
    for (n, start) in boxes.starts.iter().enumerate() {
        let from = memory.from.wrapping_offset(start * (LINE / EDGE) as isize);
        let memory = Memory { from, to: memory.to.wrapping_add(n * bytes), ..*memory };
        // SAFETY: the caller's promise.
        unsafe { transpose_squares::<L, EDGE>(&memory, panel) };
    }
}

/// Copies runs that follow each other in the result. The end of a run may be written over the start of the next one, which comes later.
///
/// # Safety
/// All elements lie inside their memories, and nobody else touches those of the result. `end` is the end of what may be read.
#[inline(always)]
pub(super) unsafe fn copy_lines<L: Line, const EDGE: usize>(memory: &Memory<'_>, runs: Runs<'_>) {
    let size = (LINE / EDGE) as isize;
    let len = runs.len * LINE / EDGE;
    let whole = len.next_multiple_of(LINE);
    let last = memory.to.wrapping_add(runs.starts.len() * len);
    // SAFETY: the caller's promise; what is read and written beyond a run's end lies inside the memories, or is left out.
    unsafe {
        let signs = L::load(memory.signs.as_ptr().cast());
        for (n, &start) in runs.starts.iter().enumerate() {
            let from = memory.from.offset(start * size);
            let to = memory.to.add(n * len);
            if let Some(start) = runs.starts.get(n + AHEAD).filter(|_| memory.asks) {
                for at in (0..len).step_by(LINE) {
                    L::prefetch(memory.from.wrapping_offset(start * size).wrapping_add(at));
                }
            }
            if memory.end as usize - from as usize >= whole && last as usize - to as usize >= whole {
                for at in (0..len).step_by(LINE) {
                    L::load(from.add(at)).xor(signs).store(to.add(at));
                }
                continue;
            }
            let mut at = 0;
            while at + LINE <= len {
                L::load(from.add(at)).xor(signs).store(to.add(at));
                at += LINE;
            }
            copy_words(memory, from.add(at), to.add(at), (len - at) / 4);
        }
    }
}
