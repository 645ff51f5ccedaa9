//! What a device brings to linear algebra: algorithms on one dense matrix. Knows neither batches nor conventions of signs.

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

/// A result of [`Algorithms::eig`].
pub type Eigen<T> = (Vec<<T as Element>::Complex>, Matrix<<T as Element>::Complex>);
/// The factors of a matrix: U, the singular values, V.
pub type Svd<T> = (Matrix<T>, Vec<<T as Element>::Real>, Matrix<T>);

/// What a device computes by itself: on one dense matrix, which is finite and not empty. Where iterations square elements, the matrix has
/// been scaled so that squares neither overflow nor vanish. Signs and phases of factors are arbitrary: they are set afterwards.
pub trait Algorithms<T: Element>: Sync {
    /// Replaces the lower triangle of a Hermitian matrix by its Cholesky factor; what stands above it is not read.
    fn cholesky(&self, a: &mut Matrix<T>) -> Result<(), Failure>;
    /// Replaces a Hermitian matrix, of which only the lower triangle is given, by its eigenvectors, and returns the eigenvalues,
    /// ascending.
    fn eigh(&self, a: &mut Matrix<T>) -> Result<Vec<T::Real>, Failure>;
    /// Eigenvalues in any order, and eigenvectors of any length.
    fn eig(&self, a: &Matrix<T>) -> Result<Eigen<T>, Failure>;
    /// A = Q·R, with as many columns of Q as rows or, unless `full`, as the shorter side. Of the second matrix, which has the
    /// rows of A, the upper triangle is R.
    fn qr(&self, a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>);
    /// A = U·diag(s)·V, s descending; U and V square if `full`.
    fn svd(&self, a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure>;
    /// The `count` largest singular values and their vectors, if the device has a faster algorithm for these alone that is as accurate as
    /// [`svd`](Algorithms::svd) for this matrix.
    fn leading(&self, _: &Matrix<T>, _count: usize) -> Option<Svd<T>> {
        None
    }
    /// Replaces a matrix by its factors L, whose ones are not stored, and U; row n of the product is the row of A returned.
    /// A pivot is the largest element of its column, or zero where all of them are zero. `again` makes the matrix once more, for
    /// devices that find out late that they need another algorithm.
    fn lu(&self, a: &mut Matrix<T>, again: &dyn Fn() -> Matrix<T>) -> Vec<usize>;
    /// Replaces B by the solution of A·X = B for a triangle of A. The diagonal has no zero; if `unit`, it is ones and is not read.
    fn solve_triangular(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>);
    /// The same with right side and solution transposed: the rows of B are the columns of the matrix that is given.
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
    /// The size of the largest part of an element; NaN does not count.
    fn largest_part(&self, elements: &[T]) -> f64 {
        largest_of(elements, part_size)
    }
    /// The largest square of an element's size; NaN does not count.
    fn largest_square(&self, elements: &[T]) -> f64 {
        largest_of(elements, square)
    }
    /// Reads so many rows and columns, conjugated on the way if that is asked for.
    fn load(&self, (rows, columns): (usize, usize), from: &[T], at: Place, conjugate: bool) -> Matrix<T> {
        let element = |x: T| if conjugate { x.conj() } else { x };
        Matrix::from_fn(rows, columns, |row, column| element(from[at.position(row, column)]))
    }
    /// The same with the rows in another order.
    fn load_in(&self, order: &[usize], size: (usize, usize), from: &[T], at: Place, conjugate: bool) -> Matrix<T> {
        self.load(size, from, at, conjugate).rows_in(order)
    }
    /// Copies so many rows and columns from one place to another, those of an area at least.
    fn copy(&self, size: (usize, usize), _: Area, (from, at): (&[T], Place), (to, there): (&mut [T], Place)) {
        for (row, column) in (0..size.1).flat_map(|column| (0..size.0).map(move |row| (row, column))) {
            to[there.position(row, column)] = from[at.position(row, column)];
        }
    }
}
