//! Copies element by element: small ones, and those that are contiguous on one side only or on none.

use super::super::sink::Sink;
use super::memory::{FROM, Pair, TO};
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer};
use tensorwrapper_core::element::Element;

/// Edge of the square that is transposed in registers.
const BLOCK: usize = 4;
/// Rows of a tile that is transposed: few, as each is a stretch of memory that is written to at the same time.
const ROWS: usize = 32;
/// Columns of a tile that is transposed.
const COLUMNS: usize = 256;
/// Elements of a tile below which finding the next tile would take longer than copying one.
pub(super) const SHORT: usize = 64;
/// Elements of one row of a copy that transposes nothing.
const ROW: usize = 4096;

/// Positions of the points of several short axes, from the first of them on.
#[derive(Debug)]
pub(super) struct Table {
    /// Along the destination's narrowest axes.
    columns: Vec<[isize; 2]>,
    /// Along the source's narrowest of the others.
    rows: Vec<[isize; 2]>,
}

impl Table {
    /// Takes the axes of the table out of axes in normal form; the others are the outer ones.
    pub(super) fn choose(mut axes: Vec<Pair>) -> (Table, Vec<Pair>) {
        let columns = Table::take(&mut axes);
        fuse::sort(&mut axes, &[FROM, TO]);
        let rows = Table::take(&mut axes);
        fuse::sort(&mut axes, &[TO, FROM]);
        (Table { columns, rows }, axes)
    }

    /// Positions along as many of the last axes as make up a table of some size.
    fn take(axes: &mut Vec<Pair>) -> Vec<[isize; 2]> {
        let mut taken = Vec::new();
        while let Some(axis) = axes.pop_if(|axis| fuse::points(&taken) * axis.extent <= SHORT) {
            taken.insert(0, axis);
        }
        let mut walk = Odometer::new(&taken, &[0, 0], 0);
        let mut next = || {
            let position = walk.position;
            walk.step();
            position
        };
        (0..fuse::points(&taken)).map(|_| next()).collect()
    }

    pub(super) fn copy<T: Element>(&self, at: [isize; 2], from: &[T], to: Sink<'_, T>, conjugate: bool) {
        for row in &self.rows {
            let (source, target) = (at[FROM] + row[FROM], at[TO] + row[TO]);
            for column in &self.columns {
                let value = from[(source + column[FROM]) as usize];
                let value = if conjugate { value.conj() } else { value };
                // SAFETY: this position belongs to this tile alone and lies inside (see `copy`).
                unsafe { to.write(target + column[TO], value) };
            }
        }
    }
}

/// The two axes of a copy's innermost loops, and the sizes of the tiles into which they are cut.
#[derive(Debug)]
pub(super) struct Plane {
    /// Inner axis: the narrowest in the destination.
    pub(super) column: Pair,
    /// Outer axis: the narrowest in the source where that is another one.
    pub(super) row: Pair,
    columns: usize,
    rows: usize,
    /// Where the tiles of the columns are counted among the outer axes.
    pub(super) column_axis: usize,
    /// Where the tiles of the rows are counted among the outer axes.
    pub(super) row_axis: usize,
}

impl Plane {
    /// Takes the plane out of axes in normal form; what is left, and the tiles of the plane, are the outer axes.
    pub(super) fn choose(mut axes: Vec<Pair>) -> (Plane, Vec<Pair>) {
        let nothing = Axis { extent: 1, strides: [0, 0] };
        let column = axes.pop().unwrap_or(nothing);
        let narrow = |axis: &Pair| if axis.strides[FROM] == 0 { usize::MAX } else { axis.strides[FROM].unsigned_abs() };
        let narrowest = (0..axes.len()).min_by_key(|&n| narrow(&axes[n]));
        let transposes = narrowest.is_some_and(|n| narrow(&axes[n]) < narrow(&column) && column.strides[FROM] != 0);
        let row = match narrowest {
            Some(n) if transposes => axes.remove(n),
            _ => axes.pop().unwrap_or(nothing),
        };
        let (columns, rows) =
            if transposes { (COLUMNS, ROWS.max(COLUMNS / column.extent)) } else { (ROW, ROW.div_ceil(column.extent)) };
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
    pub(super) fn tile(&self, column: usize, row: usize) -> (usize, usize) {
        let rest = |axis: &Pair, size: usize, tile: usize| size.min(axis.extent - tile * size);
        (rest(&self.column, self.columns, column), rest(&self.row, self.rows, row))
    }

    pub(super) fn copy<T: Element>(
        &self,
        columns: usize,
        rows: usize,
        at: [isize; 2],
        from: &[T],
        to: Sink<'_, T>,
        conjugate: bool,
    ) {
        match (self.column.strides, self.row.strides[FROM]) {
            ([1, 1], _) => self.copy_rows(columns, rows, at, from, to, conjugate),
            ([_, 1], 1) if !conjugate => self.transpose(columns, rows, at, from, to),
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

    /// Rows are contiguous in the source, columns in the destination: blocks are transposed in registers.
    fn transpose<T: Element>(&self, columns: usize, rows: usize, at: [isize; 2], from: &[T], to: Sink<'_, T>) {
        let (whole_columns, whole_rows) = (columns - columns % BLOCK, rows - rows % BLOCK);
        for row in (0..whole_rows).step_by(BLOCK) {
            for column in (0..whole_columns).step_by(BLOCK) {
                let sources: [&[T; BLOCK]; BLOCK] = std::array::from_fn(|c| {
                    let source = (at[FROM] + (column + c) as isize * self.column.strides[FROM]) as usize + row;
                    from[source..].first_chunk().expect("the tile lies inside the source")
                });
                let transposed: [[T; BLOCK]; BLOCK] = std::array::from_fn(|r| sources.map(|source| source[r]));
                for (r, values) in transposed.iter().enumerate() {
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
