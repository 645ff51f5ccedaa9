//! Operations of linear algebra on batches of matrices: what all devices share.
//!
//! A device brings [`Algorithms`] on one dense matrix; `derived` makes every operation of the table of them, in the
//! conventions that `conventions` states; this file reads matrices out of strided memory, a group of axes as one, runs the
//! batch on the threads of the device, and writes the results when all of a part of the batch are there. `cut` decides how
//! many singular values are kept.

mod conventions;
mod cut;
mod derived;
pub(super) mod elimination;
mod gather;
mod matrix;

use rayon::prelude::*;
pub use tensorwrapper_notation::syntax::{Elements, Factorisation, Form, Role};

use super::{Operand, Output};
use crate::element::{Dtype, Element};
use crate::error::{Error, ErrorKind};
pub(super) use conventions::epsilon;
use gather::{Space, indices, read, write};
pub(super) use matrix::Matrix;

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
pub(super) enum Failure {
    /// The matrix that has to be positive definite is not: this pivot, counted from 0, is not positive.
    NotPositiveDefinite { pivot: usize },
    /// The matrix has no inverse: this pivot, counted from 0, is zero.
    Singular { pivot: usize },
    /// The result is larger than the numbers of its type.
    Overflow,
    /// An iteration did not converge.
    NoConvergence,
}

/// A result of [`Algorithms::eig`].
pub(super) type Eigen<T> = (Vec<<T as Element>::Complex>, Matrix<<T as Element>::Complex>);
/// The factors of a matrix: U, the singular values, V.
pub(super) type Svd<T> = (Matrix<T>, Vec<<T as Element>::Real>, Matrix<T>);

/// What a device computes by itself: on one dense matrix, finite and with rows and columns. The largest element is about 1
/// where iterations square it. Signs and phases are anybody's: they are set behind this.
pub(super) trait Algorithms<T: Element>: Sync {
    /// Replaces the lower triangle of a Hermitian matrix, of which both triangles are there, by its Cholesky factor.
    fn cholesky(&self, a: &mut Matrix<T>) -> Result<(), Failure>;
    /// Replaces a Hermitian matrix by its eigenvectors; the eigenvalues ascend.
    fn eigh(&self, a: &mut Matrix<T>) -> Result<Vec<T::Real>, Failure>;
    /// Eigenvalues in any order, and eigenvectors of any length.
    fn eig(&self, a: &Matrix<T>) -> Result<Eigen<T>, Failure>;
    /// A = Q·R, with as many columns of Q as rows or, unless `full`, as the shorter side.
    fn qr(&self, a: Matrix<T>, full: bool) -> (Matrix<T>, Matrix<T>);
    /// A = U·diag(s)·V, s descending; U and V square if `full`.
    fn svd(&self, a: Matrix<T>, full: bool) -> Result<Svd<T>, Failure>;
    /// The part of [`svd`](Algorithms::svd) that belongs to the `count` largest values, for a device that has something faster
    /// for it and has found the result as accurate.
    fn leading(&self, _: &Matrix<T>, _count: usize) -> Option<Svd<T>> {
        None
    }
    /// Replaces a matrix by its factors L, whose ones are not stored, and U; row n of the product is the row of A returned.
    /// A pivot is the largest of its column; zero where that is all zero.
    fn lu(&self, a: &mut Matrix<T>) -> Vec<usize>;
    /// Replaces B by the solution of A·X = B, of a triangle of A whose diagonal has no zero; or has ones and is not read.
    fn solve_triangular(&self, a: &Matrix<T>, upper: bool, unit: bool, b: &mut Matrix<T>);
    /// A·B.
    fn multiply(&self, a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T>;
    /// exp A.
    fn expm(&self, a: Matrix<T>) -> Result<Matrix<T>, Failure>;
}

/// One result for one matrix.
#[derive(Debug)]
enum Part<T: Element> {
    Same(Matrix<T>),
    Real(Matrix<T::Real>),
    Complex(Matrix<T::Complex>),
}

/// Matrices that are decomposed before anything is written: enough for threads, few enough to stay in the caches.
pub(crate) const ROUND: usize = 256;

/// Runs an operation on a batch.
///
/// # Errors
/// [`ErrorKind::LinearAlgebra`], for the first item of the batch that has no result.
pub(super) fn run<T: Element>(
    threads: usize,
    call: &Decomposition,
    inputs: &[Operand<'_>],
    mut outputs: Vec<Output<'_>>,
    algorithms: impl Fn(bool) -> Box<dyn Algorithms<T>>,
) -> Result<(), Error> {
    let form = call.form();
    let spaces: Vec<Space> =
        inputs.iter().zip(form.arguments).map(|(input, roles)| Space::new(input.layout(), call, roles)).collect();
    let places: Vec<Space> =
        outputs.iter().zip(form.results).map(|(output, result)| Space::new(output.layout(), call, result.roles)).collect();
    let batch = inputs[0].layout().extents()[..call.batch].to_vec();
    let items: usize = batch.iter().product();
    let one = algorithms(items == 1);
    let compute = |item: usize| -> Result<Vec<Part<T>>, Error> {
        let index = indices(&batch, item);
        let mut arguments = Vec::with_capacity(inputs.len());
        for (n, (input, space)) in inputs.iter().zip(&spaces).enumerate() {
            let matrix = read::<T>(input, space, &index, call);
            if !derived::takes_anything(call.kind) && !matrix.counted(call, n).all(is_finite) {
                return Err(wrong(&format!("{} holds NaN or infinity", subject(call, inputs.len(), n)), &index));
            }
            arguments.push(matrix);
        }
        derived::compute(&*one, call, arguments).map_err(|failure| wrong(&sentence(call, inputs.len(), &failure), &index))
    };
    let mut cuts = cut::Cuts::new(call);
    for start in (0..items).step_by(ROUND) {
        let round = start..(start + ROUND).min(items);
        let computed: Vec<Result<Vec<Part<T>>, Error>> = match threads > 1 && round.len() > 1 {
            true => round.clone().into_par_iter().with_min_len(round.len().div_ceil(threads)).map(compute).collect(),
            false => round.clone().map(compute).collect(),
        };
        for (item, parts) in round.zip(computed) {
            let mut parts = parts?;
            cuts.note(&mut parts, item);
            let index = indices(&batch, item);
            for ((part, output), place) in parts.iter().zip(&mut outputs).zip(&places) {
                match part {
                    Part::Same(matrix) => write(matrix, output, place, &index),
                    Part::Real(matrix) => write(matrix, output, place, &index),
                    Part::Complex(matrix) => write(matrix, output, place, &index),
                }
            }
        }
    }
    cuts.finish::<T>(&mut outputs, &places, &batch);
    Ok(())
}

pub(super) fn is_finite<T: Element>(x: T) -> bool {
    let x = x.to_complex();
    x.re.is_finite() && x.im.is_finite()
}

/// What messages call an argument.
fn subject(call: &Decomposition, given: usize, argument: usize) -> String {
    let name = call.form().name;
    let noun = if call.form().arguments[0].len() == 1 { "tensor" } else { "matrix" };
    match (given, call.kind) {
        (1, _) => format!("the {noun} of `{name}`"),
        (_, Factorisation::Eigh) => format!("the {} matrix of `{name}`", ["first", "second"][argument]),
        _ => format!("the {} of `{name}`", ["matrix", "right side"][argument]),
    }
}

fn sentence(call: &Decomposition, given: usize, failure: &Failure) -> String {
    let name = call.form().name;
    match failure {
        // Of two matrices the second is the one that has to be.
        Failure::NotPositiveDefinite { pivot } => {
            format!("{} is not positive definite (pivot {pivot})", subject(call, given, given - 1))
        }
        Failure::Singular { pivot } => format!("{} is singular (pivot {pivot})", subject(call, given, 0)),
        Failure::Overflow => format!("the result of `{name}` is larger than the numbers of its type"),
        Failure::NoConvergence => format!("the iteration of `{name}` did not converge"),
    }
}

fn wrong(what: &str, item: &[usize]) -> Error {
    let message = if item.is_empty() { what.to_string() } else { format!("{what} (batch item {item:?})") };
    Error::new(ErrorKind::LinearAlgebra { message })
}
