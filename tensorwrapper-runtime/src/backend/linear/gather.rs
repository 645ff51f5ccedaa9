//! Strided memory ↔ dense matrices: a group of axes is one axis of a matrix.

use super::derived::shows_what_is_not_finite;
use super::{Algorithms, Decomposition, Factorisation, Matrix, Role};
use crate::backend::Output;
use crate::element::Element;
use crate::layout::Strided;

/// Where the matrices of a batch lie: the offsets of rows and columns behind the first element of each.
#[derive(Debug)]
pub(in crate::backend) struct Space {
    start: isize,
    /// Strides of the batch's axes.
    batch: Vec<isize>,
    pub(in crate::backend) rows: Vec<isize>,
    pub(in crate::backend) columns: Vec<isize>,
}

/// Where a matrix lies whose rows and columns go on by one stride each.
#[derive(Clone, Copy, Debug)]
pub(in crate::backend) struct Place {
    pub(in crate::backend) start: isize,
    pub(in crate::backend) row: isize,
    pub(in crate::backend) column: isize,
}

impl Place {
    /// Dense columns.
    fn dense(rows: usize) -> Place {
        Place { start: 0, row: 1, column: rows as isize }
    }

    /// Rows as columns.
    fn turned(self) -> Place {
        Place { start: self.start, row: self.column, column: self.row }
    }

    pub(super) fn position(self, row: usize, column: usize) -> usize {
        (self.start + row as isize * self.row + column as isize * self.column) as usize
    }
}

/// Elements from which on a device copies a matrix.
const LARGE: usize = 1 << 10;

/// The matrices of an argument.
#[derive(Debug)]
pub(in crate::backend) struct Source<'a, T> {
    pub(in crate::backend) data: &'a [T],
    pub(in crate::backend) conjugate: bool,
    pub(in crate::backend) space: Space,
}

impl Space {
    /// The matrices of an operand or output whose axes are the batch's and those of one or two roles, or of none.
    pub(super) fn new(layout: &Strided, call: &Decomposition, roles: &[Role]) -> Space {
        let mut axes = call.batch;
        let mut group = |role: Option<&Role>| {
            let count = role.map_or(0, |role| call.roles[*role as usize]);
            let own = axes..axes + count;
            axes += count;
            offsets(&layout.extents()[own.clone()], &layout.strides()[own])
        };
        let (rows, columns) = (group(roles.first()), group(roles.get(1)));
        Space { start: layout.offset() as isize, batch: layout.strides()[..call.batch].to_vec(), rows, columns }
    }

    /// Position of the first element of an item of the batch.
    fn base(&self, item: &[usize]) -> isize {
        item.iter().zip(&self.batch).fold(self.start, |position, (&i, &stride)| position + i as isize * stride)
    }

    /// Where a large matrix of an item lies, if its axes go on by one stride each.
    fn place(&self, item: &[usize]) -> Option<Place> {
        if self.rows.len() * self.columns.len() < LARGE {
            return None;
        }
        let (row, column) = (step(&self.rows)?, step(&self.columns)?);
        Some(Place { start: self.base(item) + self.rows[0] + self.columns[0], row, column })
    }

    /// Writes one number into some columns of a row.
    pub(super) fn fill<T: Element>(&self, data: &mut [T], item: &[usize], row: usize, columns: std::ops::Range<usize>, x: T) {
        let start = self.base(item) + self.rows[row];
        match (&self.columns[columns.clone()], columns.len()) {
            ([], _) => {}
            ([first, .., last], len) if last - first == len as isize - 1 && step(&self.columns) == Some(1) => {
                data[(start + first) as usize..][..len].fill(x);
            }
            (several, _) => several.iter().for_each(|column| data[(start + column) as usize] = x),
        }
    }

    /// The same for an item by its number, the last axis of the batch fastest.
    pub(in crate::backend) fn base_of(&self, extents: &[usize], item: usize) -> isize {
        let (mut position, mut left) = (self.start, item);
        for (&extent, &stride) in extents.iter().zip(&self.batch).rev() {
            position += (left % extent) as isize * stride;
            left /= extent;
        }
        position
    }
}

/// The offsets of all indices, the last axis fastest.
fn offsets(extents: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut offsets = vec![0];
    for (&extent, &stride) in extents.iter().zip(strides) {
        offsets = offsets.iter().flat_map(|&before| (0..extent).map(move |i| before + i as isize * stride)).collect();
    }
    offsets
}

/// The multi-index of an item, the last axis fastest.
pub(super) fn indices(extents: &[usize], mut item: usize) -> Vec<usize> {
    let mut index = vec![0; extents.len()];
    for (i, &extent) in index.iter_mut().zip(extents).rev() {
        *i = item % extent;
        item /= extent;
    }
    index
}

/// What offsets grow by, if all by the same.
fn step(offsets: &[isize]) -> Option<isize> {
    let step = offsets.get(1).map_or(1, |second| second - offsets[0]);
    offsets.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
}

/// Rows and columns that are copied together, so that both sides stay in the nearest cache.
const TILE: usize = 16;

/// Copies lines that are contiguous to where they lie across: element `k` of line `n` goes to `k · stride + n`.
pub(super) fn turn<'s, T: Copy + 's>(lines: usize, length: usize, line: impl Fn(usize) -> &'s [T], to: &mut [T], stride: usize) {
    for first in (0..length).step_by(TILE) {
        let last = (first + TILE).min(length);
        for start in (0..lines).step_by(TILE) {
            for n in start..(start + TILE).min(lines) {
                let places = to[first * stride + n..].iter_mut().step_by(stride.max(1));
                line(n)[first..last].iter().zip(places).for_each(|(&x, place)| *place = x);
            }
        }
    }
}

/// Visits all places of a matrix in tiles.
fn tiles(rows: usize, columns: usize, mut visit: impl FnMut(usize, usize)) {
    for first_column in (0..columns).step_by(TILE) {
        for first_row in (0..rows).step_by(TILE) {
            for column in first_column..(first_column + TILE).min(columns) {
                for row in first_row..(first_row + TILE).min(rows) {
                    visit(row, column);
                }
            }
        }
    }
}

/// One matrix of an operand. Of Hermitian ones the lower triangle is read, and there are zeros above it.
pub(super) fn read<T: Element>(
    on: &dyn Algorithms<T>,
    source: &Source<'_, T>,
    item: &[usize],
    call: &Decomposition,
) -> Matrix<T> {
    let Source { data, conjugate, space } = source;
    let base = space.base(item);
    let (rows, columns) = (space.rows.len(), space.columns.len());
    let is_lower = matches!(call.kind, Factorisation::Cholesky | Factorisation::Eigh);
    let mut matrix = match space.place(item) {
        Some(place) => {
            let mut matrix = on.load((rows, columns), data, place, *conjugate);
            // A factor of Cholesky clears what stands above it, which is not read before.
            if is_lower && !shows_what_is_not_finite::<T>(call.kind) {
                (1..columns).for_each(|column| matrix.column_mut(column)[..column].fill(T::ZERO));
            }
            matrix
        }
        None => {
            let mut matrix = Matrix::zeros(rows, columns);
            tiles(rows, columns, |row, column| {
                if !is_lower || row >= column {
                    let x = data[(base + space.rows[row] + space.columns[column]) as usize];
                    matrix.data[column * rows + row] = if *conjugate { x.conj() } else { x };
                }
            });
            matrix
        }
    };
    if is_lower && T::DTYPE.is_complex() {
        for n in 0..rows {
            let x = matrix.at_mut(n, n);
            // An infinite imaginary part is not to be overlooked.
            *x = if x.im().to_complex().re.is_finite() { T::from_real(x.re()) } else { *x };
        }
    }
    matrix
}

/// Writes so many rows and columns of a matrix into an output; what is shorter than the output's axes is zeros.
pub(super) fn write_by<T: Element>(
    on: &dyn Algorithms<T>,
    matrix: &Matrix<T>,
    size: (usize, usize),
    output: &mut Output<'_>,
    space: &Space,
    item: &[usize],
) {
    let place = space.place(item).filter(|_| size == (space.rows.len(), space.columns.len()));
    match place {
        Some(place) => {
            on.copy(size, (&matrix.data, Place::dense(matrix.rows)), (output.elements::<T>(), place));
        }
        None => write(matrix, output, space, item),
    }
}

/// One matrix of an operand, with its rows as columns.
pub(super) fn read_turned<T: Element>(on: &dyn Algorithms<T>, source: &Source<'_, T>, item: &[usize]) -> Matrix<T> {
    let Source { data, conjugate, space } = source;
    let (rows, columns) = (space.rows.len(), space.columns.len());
    if let Some(place) = space.place(item) {
        return on.load((columns, rows), data, place.turned(), *conjugate);
    }
    let base = space.base(item);
    Matrix::from_fn(columns, rows, |column, row| {
        let x = data[(base + space.rows[row] + space.columns[column]) as usize];
        if *conjugate { x.conj() } else { x }
    })
}

/// Writes a matrix whose rows are columns into an output of that size.
pub(super) fn write_turned<T: Element>(
    on: &dyn Algorithms<T>,
    matrix: &Matrix<T>,
    output: &mut Output<'_>,
    space: &Space,
    item: &[usize],
) {
    match space.place(item) {
        Some(place) => {
            let from = (&matrix.data[..], Place::dense(matrix.rows));
            on.copy((matrix.rows, matrix.columns), from, (output.elements::<T>(), place.turned()));
        }
        None => write(&matrix.turned(), output, space, item),
    }
}

/// Writes one matrix into an output; what is longer than the output's axes is left out, and what is shorter is zeros.
pub(super) fn write<T: Element>(matrix: &Matrix<T>, output: &mut Output<'_>, space: &Space, item: &[usize]) {
    let (data, base) = (output.elements::<T>(), space.base(item));
    let (rows, columns) = (space.rows.len(), space.columns.len());
    let is_all = (rows, columns) == (matrix.rows, matrix.columns);
    tiles(rows, columns, |row, column| {
        let inside = is_all || row < matrix.rows && column < matrix.columns;
        let x = if inside { matrix.data[column * matrix.rows + row] } else { T::ZERO };
        data[(base + space.rows[row] + space.columns[column]) as usize] = x;
    });
}

/// Writes one number into an output of numbers.
pub(super) fn write_number<T: Element>(value: T, output: &mut Output<'_>, space: &Space, item: &[usize]) {
    write(&Matrix::number(value), output, space, item);
}
