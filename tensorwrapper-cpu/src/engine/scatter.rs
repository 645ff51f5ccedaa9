//! Scattering: a group of rows of a tile that was computed apart goes where its elements belong.

use super::format::Format;
use super::kernel::MOST_COLUMNS;
use super::space::MOST_LANES;
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
        match (group.len == LANES, group.add) {
            (true, false) if group.unit && group.run == 1 && group.columns == NR && NR == F::WHOLE_SQUARE => {
                squares::<F, LANES, NR>(group);
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
unsafe fn squares<F: Format, const LANES: usize, const NR: usize>(group: &Scatter<'_, F::Element>) {
    let columns: [isize; MOST_SQUARE] = std::array::from_fn(|column| (column * group.apart) as isize);
    for first in (0..LANES).step_by(NR) {
        // SAFETY: the caller's promise.
        unsafe {
            let to = std::array::from_fn(|n| group.to.offset(group.along[0] + group.rows[(first + n) % LANES]));
            F::transpose_whole(group.from.add(first), &columns, &to);
        }
    }
}
