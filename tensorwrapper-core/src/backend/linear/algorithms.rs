//! The algorithms on one dense matrix that a device implements for linear algebra. Knows neither batches nor conventions of signs.

use super::failure::Failure;
use super::magnitude::{are_finite, largest_of, part_size, square};
use super::matrix::Matrix;
use super::space::Place;
use crate::element::Element;

/// Which part of a matrix is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// All of it.
    All,
    /// The diagonal and what is below it.
    Lower,
    /// The diagonal and what is above it.
    Upper,
}

/// A result of [`Algorithms::eig`]: the eigenvalues, and the eigenvectors as columns.
pub type Eigen<T> = (Vec<<T as Element>::Complex>, Matrix<<T as Element>::Complex>);
/// The factors of a matrix: U, the singular values, V.
pub type Svd<T> = (Matrix<T>, Vec<<T as Element>::Real>, Matrix<T>);

/// The algorithms that a device implements: each works on one dense matrix, which is finite and not empty. For iterations that square
/// elements, the matrix has been scaled so that squares neither overflow nor vanish. Signs and phases of factors are arbitrary; the
/// caller sets them afterwards.
pub trait Algorithms<T: Element>: Sync {
    /// Replaces the lower triangle of a Hermitian matrix by its Cholesky factor. Elements above the diagonal are not read.
    fn cholesky(&self, a: &mut Matrix<T>) -> Result<(), Failure>;
    /// Replaces a Hermitian matrix, of which only the lower triangle is given, by its eigenvectors, and returns the eigenvalues,
    /// ascending.
    fn eigh(&self, a: &mut Matrix<T>) -> Result<Vec<T::Real>, Failure>;
    /// Eigenvalues in any order, and eigenvectors of any length.
    fn eig(&self, a: &Matrix<T>) -> Result<Eigen<T>, Failure>;
    /// A = Q·R. If `full`, Q has as many columns as A has rows, otherwise as many as the shorter side of A. The second matrix has the
    /// rows of A, and its upper triangle is R.
    fn qr(&self, a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>);
    /// A = U·diag(s)·V, s descending; U and V square if `full`.
    fn svd(&self, a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure>;
    /// The `count` largest singular values and their vectors, if the device has a faster algorithm for these alone that is as accurate as
    /// [`svd`](Algorithms::svd) for this matrix.
    fn leading(&self, _: &Matrix<T>, _count: usize) -> Option<Svd<T>> {
        None
    }
    /// Replaces A by its factors L, whose unit diagonal is not stored, and U. Element n of the result is the number of the row of A that
    /// is row n of L·U. Each pivot is the largest element of its column, or zero where all of them are zero. `again` makes A once more,
    /// for devices that find out late that they need another algorithm.
    fn lu(&self, a: &mut Matrix<T>, again: &dyn Fn() -> Matrix<T>) -> Vec<usize>;
    /// Replaces B by the solution of A·X = B, where only the upper or the lower triangle of A counts. Its diagonal has no zero. If
    /// `unit`, the diagonal is taken as ones and is not read.
    fn solve_triangular(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>);
    /// As [`solve_triangular`](Algorithms::solve_triangular), but `b` holds the transpose of B, and then the transpose of the solution.
    fn solve_transposed(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>) {
        let mut plain = b.transposed();
        self.solve_triangular(a, upper, unit, &mut plain);
        *b = plain.transposed();
    }
    /// A·B.
    fn multiply(&self, a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T>;
    /// exp A.
    fn expm(&self, a: Matrix<T>) -> Result<Matrix<T>, Failure>;
    /// Whether all elements are finite.
    fn are_finite(&self, elements: &[T]) -> bool {
        are_finite(elements)
    }
    /// The largest absolute value of a real or imaginary part; NaN is ignored.
    fn largest_part(&self, elements: &[T]) -> f64 {
        largest_of(elements, part_size)
    }
    /// The largest |x|² of the elements; NaN is ignored.
    fn largest_square(&self, elements: &[T]) -> f64 {
        largest_of(elements, square)
    }
    /// Reads a matrix of this number of rows and columns, whose place in memory is `at`, and conjugates it if asked to.
    fn load(&self, (rows, columns): (usize, usize), from: &[T], at: Place, conjugate: bool) -> Matrix<T> {
        let element = |x: T| if conjugate { x.conj() } else { x };
        Matrix::from_fn(rows, columns, |row, column| element(from[at.position(row, column)]))
    }
    /// As [`load`](Algorithms::load), with the rows in the order of `order`.
    fn load_in(&self, order: &[usize], size: (usize, usize), from: &[T], at: Place, conjugate: bool) -> Matrix<T> {
        self.load(size, from, at, conjugate).rows_in(order)
    }
    /// Copies a matrix of this number of rows and columns from one place to another. At least the elements of the area are copied.
    fn copy(&self, size: (usize, usize), _: Area, (from, at): (&[T], Place), (to, there): (&mut [T], Place)) {
        for (row, column) in (0..size.1).flat_map(|column| (0..size.0).map(move |row| (row, column))) {
            to[there.position(row, column)] = from[at.position(row, column)];
        }
    }
}
