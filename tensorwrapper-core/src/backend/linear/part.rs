//! Results for one matrix, and how they are written. A triangle or a permutation is not first stored as a matrix that is mostly zeros.

use std::sync::Arc;

use super::algorithms::{Algorithms, Area};
use super::gather::{write, write_by, write_transposed};
use super::magnitude::are_finite;
use super::matrix::Matrix;
use super::space::Space;
use crate::backend::Output;
use crate::element::Element;

/// One result for one matrix.
#[derive(Debug)]
pub(crate) enum Part<T: Element> {
    Same(Matrix<T>),
    /// The same with its rows as columns.
    Transposed(Matrix<T>),
    Real(Matrix<T::Real>),
    Complex(Matrix<T::Complex>),
    /// A triangle of the first rows and columns of a matrix; zeros beside it.
    Triangle(Arc<Matrix<T>>, Triangle),
    /// P, of which column n has its one in this row.
    Permutation(Vec<usize>),
}

/// Which triangle of a matrix, and how much of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub upper: bool,
    /// Whether the diagonal is ones.
    pub unit: bool,
    pub rows: usize,
    pub columns: usize,
}

impl<T: Element> Part<T> {
    /// Whether it has neither NaN nor infinity. The elements outside of a triangle count as well, because they belong to factors, too.
    pub(crate) fn is_finite(&self, on: &dyn Algorithms<T>) -> bool {
        match self {
            Part::Same(matrix) | Part::Transposed(matrix) => on.are_finite(&matrix.data),
            Part::Real(matrix) => are_finite(&matrix.data),
            Part::Complex(matrix) => are_finite(&matrix.data),
            Part::Triangle(matrix, _) => on.are_finite(&matrix.data),
            Part::Permutation(_) => true,
        }
    }

    /// Writes it for an item of the batch.
    pub(crate) fn write(&self, on: &dyn Algorithms<T>, output: &mut Output<'_>, space: &Space, item: &[usize]) {
        match self {
            Part::Same(matrix) => write_by(on, (matrix, Area::All), (matrix.rows, matrix.columns), output, space, item),
            Part::Transposed(matrix) => write_transposed(on, matrix, output, space, item),
            Part::Real(matrix) => write(matrix, output, space, item),
            Part::Complex(matrix) => write(matrix, output, space, item),
            Part::Triangle(matrix, shape) => {
                let area = if shape.upper { Area::Upper } else { Area::Lower };
                write_by(on, (matrix, area), (shape.rows, shape.columns), output, space, item);
                let data = output.elements::<T>();
                for row in 0..shape.rows {
                    let beside =
                        if shape.upper { 0..row.min(shape.columns) } else { (row + 1).min(shape.columns)..shape.columns };
                    space.fill(data, item, row, beside, T::ZERO);
                    if shape.unit && row < shape.columns {
                        space.fill(data, item, row, row..row + 1, T::ONE);
                    }
                }
            }
            Part::Permutation(order) => {
                let data = output.elements::<T>();
                space.clear(data, item);
                for (column, &row) in order.iter().enumerate() {
                    space.fill(data, item, row, column..column + 1, T::ONE);
                }
            }
        }
    }
}
