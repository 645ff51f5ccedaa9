//! Copies between two strided layouts: permutations, packing and scattering, cut into blocks that fit the cache.
//!
//! Elements are conjugated on the way where that is asked for, and change in no other way.

use super::fuse::{self, Axis, Odometer};
use super::sink::Sink;
use super::tasks;
use crate::element::Element;

/// Axes over source and destination.
pub(super) type Pair = Axis<[isize; 2]>;
/// Where the source's strides and positions stand.
const FROM: usize = 0;
/// Where the destination's strides and positions stand.
const TO: usize = 1;

/// Edge of the square that is turned in registers.
const BLOCK: usize = 4;
/// Rows of a tile that is turned: few, as each is a stretch of memory that is written to at the same time.
const ROWS: usize = 32;
/// Columns of a tile that is turned.
const COLUMNS: usize = 256;
/// Elements of one row of a copy that turns nothing.
const ROW: usize = 4096;

/// `to[…] = from[…]` for all points of the axes; `start` is the position of point 0 in both.
///
/// The caller has checked that all positions lie inside, and that no two points share one in the destination.
pub(super) fn copy<T: Element>(threads: usize, axes: Vec<Pair>, start: [isize; 2], from: &[T], to: Sink<'_, T>, conjugate: bool) {
    Permutation::new(axes).run(threads, start, from, to, conjugate);
}

/// A copy, prepared to be made from several places to several others.
#[derive(Debug)]
pub(super) struct Permutation {
    plane: Plane,
    outer: Vec<Pair>,
    elements: usize,
    /// From where point 0 was to where it is after the axes were reversed.
    shift: [isize; 2],
}

impl Permutation {
    pub(super) fn new(mut axes: Vec<Pair>) -> Permutation {
        let mut shift = [0, 0];
        fuse::forward(&mut axes, &mut shift, TO);
        fuse::normalise(&mut axes, &[TO, FROM]);
        let elements = fuse::points(&axes);
        let (plane, outer) = Plane::choose(axes);
        Permutation { plane, outer, elements, shift }
    }

    /// Makes the copy; see [`copy`].
    pub(super) fn run<T: Element>(&self, threads: usize, start: [isize; 2], from: &[T], to: Sink<'_, T>, conjugate: bool) {
        let start = [start[FROM] + self.shift[FROM], start[TO] + self.shift[TO]];
        let plane = &self.plane;
        tasks::split(threads, fuse::points(&self.outer), self.elements, |range| {
            let mut walk = Odometer::new(&self.outer, &start, range.start);
            for _ in range {
                let (columns, rows) = plane.tile(walk.index(plane.column_axis), walk.index(plane.row_axis));
                plane.copy(columns, rows, walk.position, from, to, conjugate);
                walk.step();
            }
        });
    }
}

/// The two axes of a copy's innermost loops, and the sizes of the tiles into which they are cut.
#[derive(Debug)]
struct Plane {
    /// Inner axis: the narrowest in the destination.
    column: Pair,
    /// Outer axis: the narrowest in the source where that is another one.
    row: Pair,
    columns: usize,
    rows: usize,
    /// Where the tiles of the columns are counted among the outer axes.
    column_axis: usize,
    /// Where the tiles of the rows are counted among the outer axes.
    row_axis: usize,
}

impl Plane {
    /// Takes the plane out of axes in normal form; what is left, and the tiles of the plane, are the outer axes.
    fn choose(mut axes: Vec<Pair>) -> (Plane, Vec<Pair>) {
        let nothing = Axis { extent: 1, strides: [0, 0] };
        let column = axes.pop().unwrap_or(nothing);
        let narrow = |axis: &Pair| if axis.strides[FROM] == 0 { usize::MAX } else { axis.strides[FROM].unsigned_abs() };
        let narrowest = (0..axes.len()).min_by_key(|&n| narrow(&axes[n]));
        let turns = narrowest.is_some_and(|n| narrow(&axes[n]) < narrow(&column) && column.strides[FROM] != 0);
        let row = match narrowest {
            Some(n) if turns => axes.remove(n),
            _ => axes.pop().unwrap_or(nothing),
        };
        let (columns, rows) = if turns { (COLUMNS, ROWS) } else { (ROW, ROW.div_ceil(column.extent)) };
        let tiles = |axis: &Pair, size: usize| Axis {
            extent: axis.extent.div_ceil(size),
            strides: axis.strides.map(|stride| stride.wrapping_mul(size as isize)),
        };
        // In the destination's order, so that tiles that follow each other are written side by side.
        let row_axis = axes.partition_point(|axis| axis.strides[TO].unsigned_abs() >= row.strides[TO].unsigned_abs());
        axes.insert(row_axis, tiles(&row, rows));
        axes.push(tiles(&column, columns));
        (Plane { column, row, columns, rows, column_axis: axes.len() - 1, row_axis }, axes)
    }

    /// Extents of the tile of these numbers.
    fn tile(&self, column: usize, row: usize) -> (usize, usize) {
        let rest = |axis: &Pair, size: usize, tile: usize| size.min(axis.extent - tile * size);
        (rest(&self.column, self.columns, column), rest(&self.row, self.rows, row))
    }

    fn copy<T: Element>(&self, columns: usize, rows: usize, at: [isize; 2], from: &[T], to: Sink<'_, T>, conjugate: bool) {
        let conjugate = conjugate && T::DTYPE.is_complex();
        match (self.column.strides, self.row.strides[FROM]) {
            ([1, 1], _) => self.copy_rows(columns, rows, at, from, to, conjugate),
            ([_, 1], 1) if !conjugate => self.turn(columns, rows, at, from, to),
            _ => self.copy_elements(0..columns, 0..rows, at, from, to, conjugate),
        }
    }

    /// Rows that are contiguous on both sides.
    fn copy_rows<T: Element>(&self, columns: usize, rows: usize, at: [isize; 2], from: &[T], to: Sink<'_, T>, conjugate: bool) {
        for row in 0..rows as isize {
            let source = (at[FROM] + row * self.row.strides[FROM]) as usize;
            // SAFETY: these positions belong to this tile alone and lie inside (see `copy`).
            let target = unsafe { to.slice(at[TO] + row * self.row.strides[TO], columns) };
            target.copy_from_slice(&from[source..source + columns]);
            if conjugate {
                target.iter_mut().for_each(|x| *x = x.conj());
            }
        }
    }

    /// Rows are contiguous in the source, columns in the destination: blocks are turned in registers.
    fn turn<T: Element>(&self, columns: usize, rows: usize, at: [isize; 2], from: &[T], to: Sink<'_, T>) {
        let (whole_columns, whole_rows) = (columns - columns % BLOCK, rows - rows % BLOCK);
        for row in (0..whole_rows).step_by(BLOCK) {
            for column in (0..whole_columns).step_by(BLOCK) {
                let mut block = [[T::ZERO; BLOCK]; BLOCK];
                for c in 0..BLOCK {
                    let source = (at[FROM] + (column + c) as isize * self.column.strides[FROM]) as usize + row;
                    let source: &[T; BLOCK] = from[source..].first_chunk().expect("the tile lies inside the source");
                    for r in 0..BLOCK {
                        block[r][c] = source[r];
                    }
                }
                for (r, values) in block.iter().enumerate() {
                    let target = at[TO] + (row + r) as isize * self.row.strides[TO] + column as isize;
                    // SAFETY: these positions belong to this tile alone and lie inside (see `copy`).
                    unsafe { to.slice(target, BLOCK) }.copy_from_slice(values);
                }
            }
        }
        self.copy_elements(whole_columns..columns, 0..whole_rows, at, from, to, false);
        self.copy_elements(0..columns, whole_rows..rows, at, from, to, false);
    }

    /// Any strides.
    fn copy_elements<T: Element>(
        &self,
        columns: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
        at: [isize; 2],
        from: &[T],
        to: Sink<'_, T>,
        conjugate: bool,
    ) {
        let position = |side: usize, row: usize, column: usize| {
            at[side] + row as isize * self.row.strides[side] + column as isize * self.column.strides[side]
        };
        for row in rows {
            for column in columns.clone() {
                let value = from[position(FROM, row, column) as usize];
                let value = if conjugate { value.conj() } else { value };
                // SAFETY: this position belongs to this tile alone and lies inside (see `copy`).
                unsafe { to.write(position(TO, row, column), value) };
            }
        }
    }
}
