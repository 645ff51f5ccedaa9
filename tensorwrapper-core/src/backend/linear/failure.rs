//! Why an algorithm has no result for a matrix. The sentences for it are made in `faults.rs`.

/// Why there is no result for one matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The matrix that has to be positive definite is not: this pivot, counted from 0, is not positive.
    NotPositiveDefinite {
        /// The number of the pivot.
        pivot: usize,
    },
    /// The matrix has no inverse: this pivot, counted from 0, is zero.
    Singular {
        /// The number of the pivot.
        pivot: usize,
    },
    /// The result is larger than the numbers of its type.
    Overflow,
    /// A derivative depends on the choice of vectors for two equal values.
    EqualValues {
        /// The numbers of the two states.
        states: [usize; 2],
    },
    /// An iteration did not converge.
    NoConvergence,
}
