//! Reads dense matrices from strided memory, and writes them there.

use tensorwrapper_notation::syntax::Factorisation;

use super::algorithms::{Algorithms, Area};
use super::decomposition::Decomposition;
use super::matrix::Matrix;
use super::properties::shows_what_is_not_finite;
use super::space::{Place, Space};
use super::tiles::tiles;
use crate::backend::Output;
use crate::element::Element;

/// The matrices of an argument.
#[derive(Debug)]
pub struct Source<'a, T> {
    /// The memory.
    pub data: &'a [T],
    /// Whether elements are conjugated as they are read.
    pub conjugate: bool,
    /// Where the matrices lie in the memory.
    pub space: Space,
}

/// Reads one matrix of an operand. Of a Hermitian matrix only the lower triangle counts.
pub(crate) fn read<T: Element>(
    on: &dyn Algorithms<T>,
    source: &Source<'_, T>,
    item: &[usize],
    call: &Decomposition,
) -> Matrix<T> {
    let Source { data, conjugate, space } = source;
    let base = space.base(item);
    let (rows, columns) = space.size();
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
                    let x = data[(base + space.rows.at(row) + space.columns.at(column)) as usize];
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

/// Writes this number of rows and columns of a matrix into an output, at least the elements of the area. Rows and columns that the matrix
/// lacks are set to zero.
pub(crate) fn write_by<T: Element>(
    on: &dyn Algorithms<T>,
    (matrix, area): (&Matrix<T>, Area),
    size: (usize, usize),
    output: &mut Output<'_>,
    space: &Space,
    item: &[usize],
) {
    let place = space.place(item).filter(|_| size == space.size());
    match place {
        Some(place) => {
            on.copy(size, area, (&matrix.data, Place::dense(matrix.rows)), (output.elements::<T>(), place));
        }
        None => write(matrix, output, space, item),
    }
}

/// Reads one matrix of an operand, with its rows in another order.
pub(crate) fn read_in<T: Element>(on: &dyn Algorithms<T>, order: &[usize], source: &Source<'_, T>, item: &[usize]) -> Matrix<T> {
    let Source { data, conjugate, space } = source;
    if let Some(place) = space.place(item) {
        return on.load_in(order, space.size(), data, place, *conjugate);
    }
    let (base, (rows, columns)) = (space.base(item), space.size());
    Matrix::from_fn(rows, columns, |row, column| {
        let x = data[(base + space.rows.at(order[row]) + space.columns.at(column)) as usize];
        if *conjugate { x.conj() } else { x }
    })
}

/// Reads one matrix of an operand, with its rows as columns.
pub(crate) fn read_transposed<T: Element>(on: &dyn Algorithms<T>, source: &Source<'_, T>, item: &[usize]) -> Matrix<T> {
    let Source { data, conjugate, space } = source;
    let (rows, columns) = space.size();
    if let Some(place) = space.place(item) {
        return on.load((columns, rows), data, place.transposed(), *conjugate);
    }
    let base = space.base(item);
    Matrix::from_fn(columns, rows, |column, row| {
        let x = data[(base + space.rows.at(row) + space.columns.at(column)) as usize];
        if *conjugate { x.conj() } else { x }
    })
}

/// Writes a matrix whose rows are columns into an output of that size.
pub(crate) fn write_transposed<T: Element>(
    on: &dyn Algorithms<T>,
    matrix: &Matrix<T>,
    output: &mut Output<'_>,
    space: &Space,
    item: &[usize],
) {
    match space.place(item) {
        Some(place) => {
            let from = (&matrix.data[..], Place::dense(matrix.rows));
            on.copy((matrix.rows, matrix.columns), Area::All, from, (output.elements::<T>(), place.transposed()));
        }
        None => write(&matrix.transposed(), output, space, item),
    }
}

/// Writes one matrix into an output. Rows and columns that the output lacks are left out; those that the matrix lacks are set to zero.
pub(crate) fn write<T: Element>(matrix: &Matrix<T>, output: &mut Output<'_>, space: &Space, item: &[usize]) {
    let (data, base) = (output.elements::<T>(), space.base(item));
    let (rows, columns) = space.size();
    let is_all = (rows, columns) == (matrix.rows, matrix.columns);
    tiles(rows, columns, |row, column| {
        let inside = is_all || row < matrix.rows && column < matrix.columns;
        let x = if inside { matrix.data[column * matrix.rows + row] } else { T::ZERO };
        data[(base + space.rows.at(row) + space.columns.at(column)) as usize] = x;
    });
}

/// Writes one number into an output of numbers.
pub(crate) fn write_number<T: Element>(value: T, output: &mut Output<'_>, space: &Space, item: &[usize]) {
    write(&Matrix::number(value), output, space, item);
}
