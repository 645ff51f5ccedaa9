//! A dense matrix in column-major order. Knows no algorithm.

use tensorwrapper_notation::syntax::Factorisation;

use super::decomposition::Decomposition;
use super::tiles::transpose;
use crate::element::Element;

/// A dense matrix in column-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The elements, column after column.
    pub data: Vec<T>,
}

impl<T: Element> Matrix<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Matrix<T> {
        Matrix { rows, columns, data: vec![T::ZERO; rows * columns] }
    }

    /// A matrix with ones on the diagonal and zeros elsewhere.
    pub fn unit(rows: usize, columns: usize) -> Matrix<T> {
        let mut unit = Matrix::zeros(rows, columns);
        (0..rows.min(columns)).for_each(|n| unit.data[n * rows + n] = T::ONE);
        unit
    }

    /// A matrix whose elements are a function of row and column.
    pub fn from_fn(rows: usize, columns: usize, element: impl Fn(usize, usize) -> T) -> Matrix<T> {
        let mut data = Vec::with_capacity(rows * columns);
        for j in 0..columns {
            data.extend((0..rows).map(|i| element(i, j)));
        }
        Matrix { rows, columns, data }
    }

    /// A matrix of one column.
    pub(crate) fn column_of(data: Vec<T>) -> Matrix<T> {
        Matrix { rows: data.len(), columns: 1, data }
    }

    /// A matrix of one row and one column.
    pub fn number(value: T) -> Matrix<T> {
        Matrix::column_of(vec![value])
    }

    /// One element.
    #[inline]
    pub fn at(&self, row: usize, column: usize) -> T {
        self.data[column * self.rows + row]
    }

    /// One element, to write.
    #[inline]
    pub fn at_mut(&mut self, row: usize, column: usize) -> &mut T {
        &mut self.data[column * self.rows + row]
    }

    /// The elements of a column.
    pub fn column(&self, column: usize) -> &[T] {
        &self.data[column * self.rows..][..self.rows]
    }

    /// The elements of a column, to write.
    pub fn column_mut(&mut self, column: usize) -> &mut [T] {
        &mut self.data[column * self.rows..][..self.rows]
    }

    /// Aᴴ: transposed and conjugated.
    pub fn adjoint(&self) -> Matrix<T> {
        let mut adjoint = self.transposed();
        if T::DTYPE.is_complex() {
            adjoint.data.iter_mut().for_each(|x| *x = x.conj());
        }
        adjoint
    }

    /// Aᵀ.
    pub fn transposed(&self) -> Matrix<T> {
        let mut transposed = Matrix::zeros(self.columns, self.rows);
        transpose(self.columns, self.rows, |column| self.column(column), &mut transposed.data, self.columns);
        transposed
    }

    /// Fills in the upper triangle of a Hermitian matrix, of which the lower one is given.
    pub fn mirror(&mut self) {
        for column in 0..self.columns {
            for row in column + 1..self.rows {
                *self.at_mut(column, row) = self.at(row, column).conj();
            }
        }
    }

    /// The matrix of the first columns.
    pub fn first_columns(mut self, columns: usize) -> Matrix<T> {
        self.data.truncate(self.rows * columns);
        Matrix { columns, ..self }
    }

    /// The matrix of the first rows.
    pub fn first_rows(self, rows: usize) -> Matrix<T> {
        if rows == self.rows {
            return self;
        }
        Matrix::from_fn(rows, self.columns, |i, j| self.at(i, j))
    }

    /// The matrix with its rows in the order of `order`.
    pub fn rows_in(&self, order: &[usize]) -> Matrix<T> {
        let mut data = Vec::with_capacity(self.data.len());
        for column in 0..self.columns {
            let from = self.column(column);
            data.extend(order.iter().map(|&row| from[row]));
        }
        Matrix { data, ..*self }
    }

    /// The columns in another order.
    pub(crate) fn columns_in(&self, order: &[usize]) -> Matrix<T> {
        let mut data = Vec::with_capacity(self.data.len());
        order.iter().for_each(|&column| data.extend_from_slice(self.column(column)));
        Matrix { data, ..*self }
    }

    /// Multiplies a column by a number.
    pub fn scale_column(&mut self, column: usize, factor: T) {
        self.column_mut(column).iter_mut().for_each(|x| *x *= factor);
    }

    /// Multiplies each of the first rows by its factor.
    pub fn scale_rows(&mut self, factors: &[T]) {
        if factors.iter().any(|&factor| factor != T::ONE) {
            for column in 0..self.columns {
                self.column_mut(column).iter_mut().zip(factors).for_each(|(x, &factor)| *x *= factor);
            }
        }
    }

    /// The elements of an argument that an operation reads. Of a triangular matrix these are the elements of the triangle.
    pub fn counted(&self, call: &Decomposition, argument: usize) -> impl Iterator<Item = T> {
        let (upper, unit) = (call.upper, call.unit);
        let is_triangle = argument == 0 && matches!(call.kind, Factorisation::TriangularSolve | Factorisation::Cholesky);
        let has_diagonal = call.kind == Factorisation::Cholesky || !unit;
        let counts = move |(i, j): (usize, usize)| if i == j { has_diagonal } else { (i < j) == upper };
        let rows = self.rows;
        let place = move |n: usize| (n % rows, n / rows);
        self.data.iter().enumerate().filter(move |(n, _)| !is_triangle || counts(place(*n))).map(|(_, &x)| x)
    }
}
