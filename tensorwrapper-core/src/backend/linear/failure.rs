//! Why an algorithm has no result for a matrix. The sentences for it are made in `faults.rs`.

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
