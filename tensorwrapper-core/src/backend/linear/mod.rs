//! Operations of linear algebra on batches of matrices: what all devices share.
//!
//! A device brings [`Algorithms`] on one dense matrix; `derived` makes every operation of the table of them, in the
//! conventions that `conventions` states; `batch` runs a batch on the threads of the device, reads matrices by `gather` out of
//! strided memory, where `space` finds them, and writes the results when all of a part of the batch are there. `cut` decides how
//! many singular values are kept, `faults` says why there is no result.

mod batch;
mod conventions;
mod cut;
mod derived;
mod determinant;
pub mod elimination;
mod factors;
mod faults;
mod gather;
mod matrix;
mod part;
mod scratch;
mod space;

pub use tensorwrapper_notation::syntax::{Elements, Factorisation, Form, Role};

use crate::element::{Dtype, Element};
use batch::ROUND;
pub use batch::{Batch, run};
pub use conventions::power as power_of_two;
pub use conventions::{epsilon, exponent_at, exponent_of, phase_tolerance, rotation, times_power, turn};
pub use cut::discarded;
pub use derived::{is_turned, norm};
pub use determinant::Determinant;
pub use faults::Item;
pub use gather::Source;
pub use matrix::{Matrix, largest_of, part_size, square};
pub use scratch::{One, copies, sizes};
pub use space::indices;
pub use space::{Along, Place, Space};

/// An operation of linear algebra, with everything that decides what is computed.
///
/// The axes of an operand are those of the batch, then those of its roles in the order of the table ([`Form`]); the axes of
/// one role are one axis of the matrix, the first slowest.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// Which one.
    pub kind: Factorisation,
    /// So many singular values are kept at most.
    pub max: Option<usize>,
    /// What does not count.
    pub tol: Option<f64>,
    /// Whether factors are square.
    pub full: bool,
    /// Whether the upper triangle is read.
    pub upper: bool,
    /// Whether the diagonal is ones and is not read.
    pub unit: bool,
    /// The exponent of a power.
    pub exponent: i32,
    /// Number of axes of the batch.
    pub batch: usize,
    /// Number of axes of each role, in the order of [`Role::ALL`].
    pub roles: [usize; 6],
}

impl Decomposition {
    /// An operation without a word.
    pub fn plain(kind: Factorisation, batch: usize, roles: [usize; 6]) -> Decomposition {
        Decomposition { kind, max: None, tol: None, full: false, upper: false, unit: false, exponent: 1, batch, roles }
    }

    /// Its row of the table.
    pub fn form(&self) -> &'static Form {
        self.kind.form(self.full, self.max.is_some() || self.tol.is_some())
    }

    /// The numbers of the labels of an operand's axes, where labels are counted by the batch, then by the roles.
    pub fn labels(&self, roles: &[Role]) -> Vec<usize> {
        let of = |role: &Role| {
            let start = self.batch + self.roles[..*role as usize].iter().sum::<usize>();
            start..start + self.roles[*role as usize]
        };
        (0..self.batch).chain(roles.iter().flat_map(of)).collect()
    }

    /// The element type of a result.
    pub fn dtype(&self, elements: Elements, arguments: Dtype) -> Dtype {
        match elements {
            Elements::Same => arguments,
            Elements::Real => arguments.real(),
            Elements::Complex => arguments.complex(),
        }
    }
}

/// Why there is no result for one matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The matrix that has to be positive definite is not: this pivot, counted from 0, is not positive.
    NotPositiveDefinite { pivot: usize },
    /// The matrix has no inverse: this pivot, counted from 0, is zero.
    Singular { pivot: usize },
    /// The result is larger than the numbers of its type.
    Overflow,
    /// An iteration did not converge.
    NoConvergence,
}

/// Which part of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    All,
    /// What is not above the diagonal.
    Lower,
    /// What is not below it.
    Upper,
}

/// A result of [`Algorithms::eig`].
pub type Eigen<T> = (Vec<<T as Element>::Complex>, Matrix<<T as Element>::Complex>);
/// The factors of a matrix: U, the singular values, V.
pub type Svd<T> = (Matrix<T>, Vec<<T as Element>::Real>, Matrix<T>);

/// What a device computes by itself: on one dense matrix, finite and with rows and columns. Elements are far from the ends of
/// their range where iterations square them. Signs and phases are anybody's: they are set behind this.
pub trait Algorithms<T: Element>: Sync {
    /// Replaces the lower triangle of a Hermitian matrix by its Cholesky factor; what stands above it is not read.
    fn cholesky(&self, a: &mut Matrix<T>) -> Result<(), Failure>;
    /// Replaces a Hermitian matrix, of which the lower triangle is there, by its eigenvectors; the eigenvalues ascend.
    fn eigh(&self, a: &mut Matrix<T>) -> Result<Vec<T::Real>, Failure>;
    /// Eigenvalues in any order, and eigenvectors of any length.
    fn eig(&self, a: &Matrix<T>) -> Result<Eigen<T>, Failure>;
    /// A = Q·R, with as many columns of Q as rows or, unless `full`, as the shorter side. Of the second matrix, which has the
    /// rows of A, the upper triangle is R.
    fn qr(&self, a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>);
    /// A = U·diag(s)·V, s descending; U and V square if `full`.
    fn svd(&self, a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure>;
    /// The part of [`svd`](Algorithms::svd) that belongs to the `count` largest values, for a device that has something faster
    /// for it and has found the result as accurate.
    fn leading(&self, _: &Matrix<T>, _count: usize) -> Option<Svd<T>> {
        None
    }
    /// Replaces a matrix by its factors L, whose ones are not stored, and U; row n of the product is the row of A returned.
    /// A pivot is the largest of its column; zero where that is all zero. `again` makes the matrix once more, for those that find
    /// out late that they need another algorithm.
    fn lu(&self, a: &mut Matrix<T>, again: &dyn Fn() -> Matrix<T>) -> Vec<usize>;
    /// Replaces B by the solution of A·X = B, of a triangle of A whose diagonal has no zero; or has ones and is not read.
    fn solve_triangular(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>);
    /// The same with right side and solution turned: their rows are the columns of memory.
    fn solve_turned(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>) {
        let mut plain = b.turned();
        self.solve_triangular(a, upper, unit, &mut plain);
        *b = plain.turned();
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

/// Whether all of some elements are finite, as many of them at once as vectors hold.
pub fn are_finite<T: Element>(elements: &[T]) -> bool {
    elements.chunks(256).all(|chunk| chunk.iter().fold(true, |are, &x| are & is_finite(x)))
}

#[inline(always)]
pub fn is_finite<T: Element>(x: T) -> bool {
    let x = x.to_complex();
    x.re.is_finite() && x.im.is_finite()
}
