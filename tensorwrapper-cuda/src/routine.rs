//! Routines of libraries of linear algebra for GPUs, with exactly the arguments that their manuals name: cuSOLVER's, and of cuBLAS those
//! for batches of small matrices and for triangles. Matrices lie by columns; of Hermitian ones the lower triangle is read.
//!
//! What is given to a routine lies on the device, and so does what it says: an `info` of 0 for each matrix whose result is there.

use crate::memory::Address;
use tensorwrapper_core::element::Dtype;

/// A matrix, or for a batch the place of the addresses of all its matrices; and the stride from a column to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixRef {
    pub(crate) address: Address,
    pub(crate) ld: i32,
}

/// One triangle of a matrix, and on which side of which other it is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divisor {
    /// X·A = B instead of A·X = B.
    pub(crate) from_right: bool,
    pub(crate) upper: bool,
    /// Its adjoint instead of itself.
    pub(crate) adjoint: bool,
    /// Its diagonal is ones, and is not read.
    pub(crate) unit: bool,
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routine {
    /// A lower triangle becomes its Cholesky factor; `info` n: the leading n rows and columns are not positive definite.
    Potrf {
        n: i32,
        a: MatrixRef,
        info: Address,
    },
    PotrfBatched {
        n: i32,
        a: MatrixRef,
        info: Address,
        batch: i32,
    },
    /// Factors L and U in the matrix' place; row k was exchanged with row `pivots[k]`, counted from 1. `info` n: pivot n is zero.
    Getrf {
        m: i32,
        n: i32,
        a: MatrixRef,
        pivots: Address,
        info: Address,
    },
    GetrfBatched {
        n: i32,
        a: MatrixRef,
        pivots: Address,
        info: Address,
        batch: i32,
    },
    /// Solutions in the place of right sides, of factors that `Getrf` made.
    Getrs {
        n: i32,
        columns: i32,
        a: MatrixRef,
        pivots: Address,
        b: MatrixRef,
        info: Address,
    },
    GetrsBatched {
        n: i32,
        columns: i32,
        a: MatrixRef,
        pivots: Address,
        b: MatrixRef,
        batch: i32,
    },
    /// B of m rows and n columns, divided by a triangle.
    Trsm {
        by: Divisor,
        m: i32,
        n: i32,
        a: MatrixRef,
        b: MatrixRef,
    },
    TrsmBatched {
        by: Divisor,
        m: i32,
        n: i32,
        a: MatrixRef,
        b: MatrixRef,
        batch: i32,
    },
    /// R in the upper triangle; below it and in `tau` the k reflections that make it.
    Geqrf {
        m: i32,
        n: i32,
        a: MatrixRef,
        tau: Address,
        info: Address,
    },
    /// The first n columns of the product of k reflections, in their place.
    Orgqr {
        m: i32,
        n: i32,
        k: i32,
        a: MatrixRef,
        tau: Address,
        info: Address,
    },
    /// Eigenvectors in the place of a lower triangle; eigenvalues ascend. `info` n: the iteration did not converge.
    Syevd {
        n: i32,
        a: MatrixRef,
        values: Address,
        info: Address,
    },
    /// The same of matrices one behind the other.
    SyevjBatched {
        n: i32,
        a: MatrixRef,
        values: Address,
        info: Address,
        batch: i32,
    },
    /// A = U·diag(s)·Vᵀ of at least as many rows as columns, Vᵀ conjugated where it is complex; U square where it is full.
    Gesvd {
        full: bool,
        m: i32,
        n: i32,
        a: MatrixRef,
        values: Address,
        u: MatrixRef,
        vt: MatrixRef,
        info: Address,
    },
    /// Square U and V of matrices one behind the other of no more than 32 rows and columns.
    GesvdjBatched {
        m: i32,
        n: i32,
        a: MatrixRef,
        values: Address,
        u: MatrixRef,
        v: MatrixRef,
        info: Address,
        batch: i32,
    },
}

/// Rows and columns that the batched singular values may have.
pub(crate) const MAX_JACOBI_ORDER: usize = 32;

/// How many matrices the routines by rotations are given at once. Their work space grows with the batch, some thousand elements for each
/// matrix even of order 4, and is counted in 32 bits (cupy#7261). Tests have few matrices, and cut batches as well.
pub(crate) const MAX_JACOBI_BATCH: usize = if cfg!(test) { 3 } else { 16_384 };
/// Right-hand columns up to which a batch of systems goes through one call: above eight times the blocks of a grid's second dimension the
/// call fails (pytorch#97211). Tests are not as wide.
pub(crate) const MAX_BATCHED_COLUMNS: usize = if cfg!(test) { 16 } else { 1 << 19 };

/// A routine for matrices of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) dtype: Dtype,
    pub(crate) routine: Routine,
}
