//! The routines of cuSOLVER and cuBLAS that linear algebra uses, with the arguments that the manuals name. Those of cuBLAS are
//! for batches of small matrices and for triangles. Matrices are stored by columns; of Hermitian ones only the lower triangle is
//! read.
//!
//! All arguments and results are on the device, also the `info` of each matrix, which is 0 if there is a result.

use super::memory::Address;
use tensorwrapper_core::element::Dtype;

/// A matrix with its leading dimension. Of a batch, the address is that of a list of the addresses of all matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixRef {
    pub(crate) address: Address,
    pub(crate) ld: i32,
}

/// A triangular matrix A as a divisor of B: A·X = B is solved for X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divisor {
    /// Solves X·A = B instead of A·X = B.
    pub(crate) from_right: bool,
    pub(crate) upper: bool,
    /// A is replaced by its adjoint.
    pub(crate) adjoint: bool,
    /// The diagonal is all ones, and is not read.
    pub(crate) unit: bool,
}

/// One routine with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routine {
    /// Overwrites a lower triangle with its Cholesky factor. `info` n: the leading minor of order n is not positive definite.
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
    /// Overwrites a matrix with L and U; row k was exchanged with row `pivots[k]`, counted from 1. `info` n: pivot n is zero.
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
    /// Overwrites right-hand sides with solutions, from the factors of `Getrf`.
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
    /// Divides B, of m rows and n columns, by a triangle.
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
    /// Overwrites the upper triangle with R, and the rest with the reflections that belong to it, whose factors are in `tau`.
    Geqrf {
        m: i32,
        n: i32,
        a: MatrixRef,
        tau: Address,
        info: Address,
    },
    /// Overwrites k reflections with the first n columns of their product.
    Orgqr {
        m: i32,
        n: i32,
        k: i32,
        a: MatrixRef,
        tau: Address,
        info: Address,
    },
    /// Overwrites a Hermitian matrix with its eigenvectors; eigenvalues ascend. `info` n: the iteration did not converge.
    Syevd {
        n: i32,
        a: MatrixRef,
        values: Address,
        info: Address,
    },
    /// The same for matrices one behind the other.
    SyevjBatched {
        n: i32,
        a: MatrixRef,
        values: Address,
        info: Address,
        batch: i32,
    },
    /// A = U·diag(s)·Vᴴ of at least as many rows as columns; `vt` is Vᴴ; U is square if it is full.
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
    /// Square U and V of matrices one behind the other, with at most 32 rows and columns.
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

/// The most rows and columns of matrices for the batched Jacobi routines.
pub(crate) const MAX_JACOBI_ORDER: usize = 32;

/// The most matrices that a Jacobi routine gets at once. Its work space is some thousand elements for each matrix, even of order
/// 4, and is counted in 32 bits (cupy#7261). Tests have few matrices, and a small number here so that their batches are cut, too.
pub(crate) const MAX_JACOBI_BATCH: usize = if cfg!(test) { 3 } else { 16_384 };
/// The most right-hand columns of a batched call: above eight times the blocks of a grid's second dimension it fails
/// (pytorch#97211). Tests have fewer columns, and a smaller number.
pub(crate) const MAX_BATCHED_COLUMNS: usize = if cfg!(test) { 16 } else { 1 << 19 };

/// A routine for matrices of one element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) dtype: Dtype,
    pub(crate) routine: Routine,
}
