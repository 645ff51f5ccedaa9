//! Scattering: a group of rows of a tile that was computed apart goes where its elements belong.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use super::format::{Format, Lines, RUN, StoredLanes};
use super::space::{Lanes, MOST_COLUMNS, RESULT, Run};
use crate::simd::vector::MOST_SQUARE;
use tensorwrapper_core::element::Element;

/// A group of rows of a tile.
pub(super) struct Scatter<'a, T: Element> {
    /// The tile's elements: rows are neighbours, columns so far apart.
    pub(super) from: *const T,
    pub(super) apart: usize,
    /// How many rows and columns there are.
    pub(super) len: usize,
    pub(super) columns: usize,
    /// Where the first element goes, and how much further those of each row and of each column.
    pub(super) to: *mut T,
    pub(super) rows: &'a Lanes,
    pub(super) along: &'a [isize; MOST_COLUMNS],
    /// The columns, counted from their own first one.
    pub(super) column_lanes: &'a Lanes,
    /// Whether to add to what is there.
    pub(super) add: bool,
}

/// Writes, or adds, the elements of a group: runs of rows, column by column, or runs of columns, row by row, whichever are fewer.
///
/// # Safety
/// All elements of the tile are there, and all positions lie inside the result, apart from each other; nobody else touches them, and the
/// instructions are there.
#[inline(always)]
pub(super) unsafe fn scatter<F: Format, const LANES: usize, const NR: usize>(group: &Scatter<'_, F::Element>) {
    let rows = group.rows.runs(RESULT, group.len);
    let columns = group.column_lanes.runs(RESULT, group.columns);
    // To transpose costs about as much as two stores a row.
    let cost = |runs: &[Run], count: usize| (RUN * runs.len()).min(count);
    let across = (cost(columns, group.columns) + 2) * group.len;
    let across = F::WHOLE_SQUARE > 0 && across < cost(rows, group.len) * group.columns;
    // SAFETY: the caller's promise.
    unsafe {
        if across && columns.len() == 1 && group.columns == NR && group.len == LANES && !group.add {
            squares::<F, LANES, NR>(group);
        } else if across {
            by_rows::<F, LANES, NR>(group, columns);
        } else {
            let further: [isize; NR] = std::array::from_fn(|column| (column * group.apart) as isize);
            let from = Lines { start: group.from, further: &further };
            let to = Lines { start: group.to, further: &group.along[..group.columns] };
            F::put_runs(from, to, StoredLanes { at: &group.rows.at[RESULT], runs: rows, count: group.len }, group.add);
        }
    }
}

/// The addresses of a square's columns in the tile, those that are wanted; the others are read in vain.
#[inline(always)]
fn columns_from<T: Element>(group: &Scatter<'_, T>, column: usize, edge: usize) -> [isize; MOST_SQUARE] {
    let mut columns = [0; MOST_SQUARE];
    for n in 0..edge {
        columns[n] = ((column + n).min(group.columns - 1) * group.apart) as isize;
    }
    columns
}

/// Transposed first; then runs of columns are written, row by row.
#[inline(always)]
unsafe fn by_rows<F: Format, const LANES: usize, const NR: usize>(group: &Scatter<'_, F::Element>, runs: &[Run]) {
    let edge = F::WHOLE_SQUARE;
    let mut apart = [[F::Element::ZERO; NR]; LANES];
    // SAFETY: the caller's promise; the array has room for a whole group.
    unsafe {
        let start = apart.as_mut_ptr().cast::<F::Element>();
        for column in (0..group.columns).step_by(edge) {
            let columns = columns_from(group, column, edge);
            for row in (0..group.len).step_by(edge) {
                let mut to = [start; MOST_SQUARE];
                for n in 0..edge {
                    to[n] = start.add((row + n) * NR + column);
                }
                F::transpose_whole(group.from.add(row), &columns, &to);
            }
        }
        let further: [isize; LANES] = std::array::from_fn(|row| (row * NR) as isize);
        let from = Lines { start: start.cast_const(), further: &further };
        let to = Lines { start: group.to.offset(group.along[0]), further: &group.rows.at[RESULT][..group.len] };
        F::put_runs(from, to, StoredLanes { at: &group.column_lanes.at[RESULT], runs, count: group.columns }, group.add);
    }
}

/// A whole tile of columns that are neighbours in the result, in squares that go where they belong.
#[inline(always)]
unsafe fn squares<F: Format, const LANES: usize, const NR: usize>(group: &Scatter<'_, F::Element>) {
    let edge = F::WHOLE_SQUARE;
    debug_assert!(LANES.is_multiple_of(edge) && NR.is_multiple_of(edge));
    for column in (0..NR).step_by(edge) {
        let columns = columns_from(group, column, edge);
        for row in (0..LANES).step_by(edge) {
            // SAFETY: the caller's promise.
            unsafe {
                let mut to = [group.to; MOST_SQUARE];
                for n in 0..edge {
                    to[n] = group.to.offset(group.along[column] + group.rows.at[RESULT][row + n]);
                }
                F::transpose_whole(group.from.add(row), &columns, &to);
            }
        }
    }
}
