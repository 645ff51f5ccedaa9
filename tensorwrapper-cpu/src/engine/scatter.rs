//! Scattering: a group of rows of a tile that was computed apart goes where its elements belong.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use super::format::Format;
use super::space::{MOST_COLUMNS, MOST_LANES};
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
    pub(super) rows: &'a [isize; MOST_LANES],
    pub(super) along: &'a [isize; MOST_COLUMNS],
    /// How many rows are neighbours in the result from every multiple of that number on, and whether columns are.
    pub(super) run: usize,
    pub(super) unit: bool,
    /// Whether to add to what is there.
    pub(super) add: bool,
}

/// Writes, or adds, the elements of a group.
///
/// # Safety
/// All elements of the tile are there, and all positions lie inside the result, apart from each other; nobody else touches them, and the
/// instructions are there.
#[inline(always)]
pub(super) unsafe fn scatter<F: Format, const LANES: usize, const NR: usize>(group: &Scatter<'_, F::Element>) {
    // SAFETY: the caller's promise.
    unsafe {
        if group.run >= group.len {
            for column in 0..group.columns {
                F::put_some(group.from.add(column * group.apart), group.to.offset(group.along[column]), group.len, group.add);
            }
            return;
        }
        match (group.len == LANES, group.add) {
            (true, add) if group.unit && group.run == 1 && group.columns == NR && F::WHOLE_SQUARE > 0 => {
                if add {
                    squares::<F, LANES, NR, true>(group)
                } else {
                    squares::<F, LANES, NR, false>(group)
                }
            }
            (true, false) if group.run >= 4 => runs::<F::Element, LANES, 4, false>(group, LANES),
            (true, true) if group.run >= 4 => runs::<F::Element, LANES, 4, true>(group, LANES),
            (true, false) => runs::<F::Element, LANES, 1, false>(group, LANES),
            (true, true) => runs::<F::Element, LANES, 1, true>(group, LANES),
            (false, false) => runs::<F::Element, LANES, 1, false>(group, group.len),
            (false, true) => runs::<F::Element, LANES, 1, true>(group, group.len),
        }
    }
}

/// Column by column, in runs of `RUN` rows; `len` is an argument so that the compiler knows it where groups are whole.
#[inline(always)]
unsafe fn runs<T: Element, const LANES: usize, const RUN: usize, const ADD: bool>(group: &Scatter<'_, T>, len: usize) {
    for column in 0..group.columns {
        // SAFETY: the caller's promise.
        unsafe {
            let from = group.from.add(column * group.apart);
            let to = group.to.offset(group.along[column]);
            let mut lane = 0;
            while lane < len {
                let to = to.offset(group.rows[lane]);
                for n in 0..RUN {
                    let x = from.add(lane + n).read();
                    to.add(n).write(if ADD { to.add(n).read() + x } else { x });
                }
                lane += RUN;
            }
        }
    }
}

/// A whole tile of columns that are neighbours in the result, in squares.
#[inline(always)]
unsafe fn squares<F: Format, const LANES: usize, const NR: usize, const ADD: bool>(group: &Scatter<'_, F::Element>) {
    let edge = F::WHOLE_SQUARE;
    debug_assert!(LANES.is_multiple_of(edge) && NR.is_multiple_of(edge));
    let mut columns = [0; MOST_SQUARE];
    for column in 0..edge {
        columns[column] = (column * group.apart) as isize;
    }
    let mut square = [[F::Element::ZERO; MOST_SQUARE]; MOST_SQUARE];
    for place in 0..LANES / edge * (NR / edge) {
        let (row, column) = (place / (NR / edge) * edge, place % (NR / edge) * edge);
        // SAFETY: the caller's promise.
        unsafe {
            let from = group.from.add(column * group.apart + row);
            let mut to = [group.to; MOST_SQUARE];
            for n in 0..edge {
                to[n] = group.to.offset(group.along[column] + group.rows[row + n]);
            }
            if !ADD {
                F::transpose_whole(from, &columns, &to);
                continue;
            }
            let mut rows = [square[0].as_mut_ptr(); MOST_SQUARE];
            for n in 0..edge {
                rows[n] = square[n].as_mut_ptr();
            }
            F::transpose_whole(from, &columns, &rows);
            for n in 0..edge {
                for along in 0..edge {
                    let to = to[n].add(along);
                    to.write(to.read() + square[n][along]);
                }
            }
        }
    }
}
