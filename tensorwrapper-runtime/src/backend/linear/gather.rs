//! Strided memory ↔ dense matrices: a group of axes is one axis of a matrix.

use super::{Decomposition, Factorisation, Matrix, Role};
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

/// Rows and columns that are copied together, so that both sides stay in the nearest cache.
const TILE: usize = 16;

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

/// One matrix of an operand. Hermitian ones are made of their lower triangle.
pub(super) fn read<T: Element>(source: &Source<'_, T>, item: &[usize], call: &Decomposition) -> Matrix<T> {
    let Source { data, conjugate, space } = source;
    let base = space.base(item);
    let (rows, columns) = (space.rows.len(), space.columns.len());
    let mut matrix = Matrix::zeros(rows, columns);
    let at = |row: usize, column: usize| data[(base + space.rows[row] + space.columns[column]) as usize];
    match call.kind {
        Factorisation::Cholesky | Factorisation::Eigh => tiles(rows, columns, |row, column| {
            if column > row {
                return;
            }
            let x = if *conjugate { at(row, column).conj() } else { at(row, column) };
            if row == column {
                // An infinite imaginary part is not to be overlooked.
                let real = if x.im().to_complex().re.is_finite() { T::from_real(x.re()) } else { x };
                matrix.data[column * rows + row] = real;
            } else {
                matrix.data[column * rows + row] = x;
                matrix.data[row * rows + column] = x.conj();
            }
        }),
        _ => {
            tiles(rows, columns, |row, column| matrix.data[column * rows + row] = at(row, column));
            if *conjugate {
                matrix.data.iter_mut().for_each(|x| *x = x.conj());
            }
        }
    }
    matrix
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
