//! Linear algebra without labels: the first axes of a tensor are those of a matrix, the others those of the batch.
//!
//! Each function gives [`Factors`], which [`eval`](Factors::eval) computes. A tensor `[n, m, b…]` has one matrix n×m for each
//! index of the batch axes `b…`; results also have these axes last.
//!
//! | function | arguments | results |
//! |---|---|---|
//! | [`cholesky`] | `[n, n, b…]` | `[n, n, b…]`, A = L·Lᴴ |
//! | [`eigh`] | `[n, n, b…]`, with [`eigh_in_metric`] two | values `[n, b…]`, vectors `[n, n, b…]` |
//! | [`eig`] | `[n, n, b…]` | values `[n, b…]`, vectors `[n, n, b…]`, complex |
//! | [`svd`], [`svd_cut`], [`svd_full`] | `[n, m, b…]` | U `[n, k, b…]`, s `[k, b…]`, V `[k, m, b…]`, discarded weight `[b…]` |
//! | [`qr`], [`lq`] | `[n, m, b…]` | `[n, k, b…]`, `[k, m, b…]` |
//! | [`lu`] | `[n, m, b…]` | P `[n, n, b…]`, L `[n, k, b…]`, U `[k, m, b…]` |
//! | [`solve`], [`triangular_solve`], [`lstsq`] | A `[n, m, b…]`, B `[n, k, b…]` or `[n, b…]` | `[m, k, b…]` or `[m, b…]` |
//! | [`inv`], [`pinv`] | `[n, m, b…]` | `[m, n, b…]` |
//! | [`matpow`], [`expm`] | `[n, n, b…]` | `[n, n, b…]` |
//! | [`det`], [`slogdet`], [`trace`], [`norm`], [`rank`] | `[n, m, b…]` | `[b…]` |
//!
//! ```
//! # use tensorwrapper_runtime as tensorwrapper;
//! use tensorwrapper::{Tensor, linalg};
//! let a = Tensor::<f64>::from_slice([2, 2], &[2.0, 1.0, 1.0, 3.0])?;
//! let b = Tensor::<f64>::from_slice([2], &[3.0, 4.0])?;
//! assert_eq!(linalg::solve(&a, &b).eval()?.as_slice(), [1.0, 1.0]);
//! assert!((linalg::det(&a).eval()?[[]] - 5.0).abs() < 1e-14);
//! let (values, _) = linalg::eigh(&a).eval()?;
//! assert!(values[[0]] < values[[1]]);
//! # Ok::<(), tensorwrapper_runtime::Error>(())
//! ```
//!
//! The results for a static matrix without a batch are static ([`StaticFactors`], [`StaticSystem`]), as in `tensor!`. The
//! exceptions are [`svd_cut`], [`svd_full`] and [`eigh_in_metric`], and functions with one static argument and one that is not.

mod functions;
mod operations;
mod results;
mod static_factors;
mod static_results;

pub use self::functions::{
    cholesky, det, eig, eigh, eigh_in_metric, expm, inv, lq, lstsq, lu, matpow, norm, pinv, qr, rank, slogdet, solve, svd,
    svd_cut, svd_full, trace, triangular_solve,
};
pub use self::results::{Recordings, Results};
pub use self::static_factors::{Matrices, RightHandSide, StaticFactors, StaticSystem};
pub use crate::expr::Factors;

/// Types and traits in the signatures of the functions. Programs need not name them.
#[doc(hidden)]
pub mod marks {
    pub use super::operations::{
        Cholesky, Det, Eig, Eigh, Expm, Inv, Lq, Lstsq, Lu, Matpow, Norm, Operation, Pinv, Qr, Rank, Slogdet, Solve, Svd, System,
        Trace, TriangularSolve,
    };
    pub use super::static_results::{OfStatic, OfStatics, Right, StaticResults, Tolerates};
}
