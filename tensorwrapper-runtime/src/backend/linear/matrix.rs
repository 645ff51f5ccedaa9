//! A dense matrix in columns. Knows no algorithm.

use super::{Decomposition, Factorisation};
use crate::element::Element;

/// A dense matrix, column after column.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::backend) struct Matrix<T> {
    pub(in crate::backend) rows: usize,
    pub(in crate::backend) columns: usize,
    pub(in crate::backend) data: Vec<T>,
}

impl<T: Element> Matrix<T> {
    pub(in crate::backend) fn zeros(rows: usize, columns: usize) -> Matrix<T> {
        Matrix { rows, columns, data: vec![T::ZERO; rows * columns] }
    }

    /// Ones on the diagonal.
    pub(in crate::backend) fn unit(rows: usize, columns: usize) -> Matrix<T> {
        let mut unit = Matrix::zeros(rows, columns);
        (0..rows.min(columns)).for_each(|n| unit.data[n * rows + n] = T::ONE);
        unit
    }

    /// One element in each place.
    pub(in crate::backend) fn from_fn(rows: usize, columns: usize, element: impl Fn(usize, usize) -> T) -> Matrix<T> {
        let data = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).map(|(i, j)| element(i, j)).collect();
        Matrix { rows, columns, data }
    }

    /// One column.
    pub(super) fn column_of(data: Vec<T>) -> Matrix<T> {
        Matrix { rows: data.len(), columns: 1, data }
    }

    /// One number.
    pub(super) fn number(value: T) -> Matrix<T> {
        Matrix::column_of(vec![value])
    }

    #[inline]
    pub(in crate::backend) fn at(&self, row: usize, column: usize) -> T {
        self.data[column * self.rows + row]
    }

    #[inline]
    pub(in crate::backend) fn at_mut(&mut self, row: usize, column: usize) -> &mut T {
        &mut self.data[column * self.rows + row]
    }

    pub(in crate::backend) fn column(&self, column: usize) -> &[T] {
        &self.data[column * self.rows..][..self.rows]
    }

    pub(in crate::backend) fn column_mut(&mut self, column: usize) -> &mut [T] {
        &mut self.data[column * self.rows..][..self.rows]
    }

    pub(in crate::backend) fn adjoint(&self) -> Matrix<T> {
        Matrix::from_fn(self.columns, self.rows, |i, j| self.at(j, i).conj())
    }

    /// The first columns.
    pub(in crate::backend) fn first_columns(mut self, columns: usize) -> Matrix<T> {
        self.data.truncate(self.rows * columns);
        Matrix { columns, ..self }
    }

    /// The first rows.
    pub(in crate::backend) fn first_rows(self, rows: usize) -> Matrix<T> {
        if rows == self.rows {
            return self;
        }
        Matrix::from_fn(rows, self.columns, |i, j| self.at(i, j))
    }

    /// Multiplies a column.
    pub(in crate::backend) fn scale_column(&mut self, column: usize, factor: T) {
        self.column_mut(column).iter_mut().for_each(|x| *x *= factor);
    }

    /// Multiplies a row.
    pub(in crate::backend) fn scale_row(&mut self, row: usize, factor: T) {
        (0..self.columns).for_each(|column| *self.at_mut(row, column) *= factor);
    }

    /// The size of the largest part of an element.
    pub(in crate::backend) fn largest(&self) -> f64 {
        let parts = self.data.iter().map(|x| x.to_complex()).flat_map(|x| [x.re.abs(), x.im.abs()]);
        parts.fold(0.0, f64::max)
    }

    /// The elements of an argument that count: of a triangle no others.
    pub(super) fn counted(&self, call: &Decomposition, argument: usize) -> impl Iterator<Item = T> {
        let (upper, unit, is_triangle) = (call.upper, call.unit, argument == 0 && call.kind == Factorisation::TriangularSolve);
        let counts = move |(i, j): (usize, usize)| match is_triangle {
            false => true,
            true if i == j => !unit,
            true => (i < j) == upper,
        };
        let rows = self.rows;
        let place = move |n: usize| (n % rows, n / rows);
        self.data.iter().enumerate().filter(move |(n, _)| !is_triangle || counts(place(*n))).map(|(_, &x)| x)
    }
}
