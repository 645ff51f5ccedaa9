//! Linear algebra without labels: the first axes of a tensor are those of a matrix, the others those of the batch.
//!
//! Each function gives [`Factors`], which [`eval`](Factors::eval) computes. Of a tensor `[n, m, b…]` there is a matrix n×m for
//! each index of the axes `b…`, and results have those axes last as well.
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
//! use tensorwrapper_runtime::{Tensor, linalg};
//! let a = Tensor::<f64>::from_slice([2, 2], &[2.0, 1.0, 1.0, 3.0])?;
//! let b = Tensor::<f64>::from_slice([2], &[3.0, 4.0])?;
//! assert_eq!(linalg::solve(&a, &b).eval()?.as_slice(), [1.0, 1.0]);
//! assert!((linalg::det(&a).eval()?[[]] - 5.0).abs() < 1e-14);
//! let (values, _) = linalg::eigh(&a).eval()?;
//! assert!(values[[0]] < values[[1]]);
//! # Ok::<(), tensorwrapper_runtime::Error>(())
//! ```
//!
//! Of a static matrix, without a batch, results are static ([`StaticFactors`], [`StaticSystem`]), as those of `tensor!` are; but not of
//! [`svd_cut`], [`svd_full`] and [`eigh_in_metric`], nor where one argument is static and the other is not.

mod fixed;
mod functions;
mod made;

pub use self::fixed::{Beside, Matrices, StaticFactors, StaticSystem};
pub use self::functions::{
    cholesky, det, eig, eigh, eigh_in_metric, expm, inv, lq, lstsq, lu, matpow, norm, pinv, qr, rank, slogdet, solve, svd,
    svd_cut, svd_full, trace, triangular_solve,
};

use super::context::Context;
use super::run::evaluate;
pub use crate::expr::Factors;
use crate::expr::{Expr, Value, only_recorded};
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

impl<'a, T: Element, R: Results> Factors<'a, T, R> {
    /// Computes the results.
    ///
    /// # Errors
    /// Everything that was wrong in the chain, labels and extents that do not fit, memory; a matrix that is not as the operation
    /// needs it, or an iteration that does not converge.
    pub fn eval(&self) -> Result<R::Computed, Error> {
        self.eval_in(Context::global())
    }

    /// [`eval`](Factors::eval) in a context.
    ///
    /// # Errors
    /// As [`eval`](Factors::eval).
    pub fn eval_in(&self, context: &Context) -> Result<R::Computed, Error> {
        let values = self.values(&|values| evaluate(context, values))?;
        R::computed(evaluate(context, &values)?)
    }

    /// The results as operands of other chains and of `tensor!`, computed when somebody needs their elements.
    ///
    /// # Errors
    /// Everything that was wrong in the chain, labels and extents that do not fit; and a tolerance of
    /// [`svd`](crate::Indexed::svd), which needs elements to tell extents.
    pub fn record(&self) -> Result<R::Recorded<'a>, Error> {
        let values = self.values(&|_| Err(only_recorded()))?;
        Ok(R::recorded(Recordings(values.into_iter())))
    }
}

/// Recorded results, one after another.
#[doc(hidden)]
#[derive(Debug)]
pub struct Recordings<'a>(std::vec::IntoIter<Link<Value<'a>>>);

impl<'a> Recordings<'a> {
    fn next<T: Element>(&mut self) -> Expr<'a, T> {
        Expr::new(self.0.next().expect("there is a value for each result"))
    }
}

mod sealed {
    pub trait Sealed {}
}

/// What signatures of functions are made of, and nobody needs to name.
#[doc(hidden)]
pub mod marks {
    pub use super::functions::{
        Cholesky, Det, Eig, Eigh, Expm, Inv, Lq, Lstsq, Lu, Matpow, Norm, Operation, Pinv, Qr, Rank, Slogdet, Solve, Svd, System,
        Trace, TriangularSolve,
    };
    pub use super::made::{Made, OfStatic, OfStatics, Right, Tolerates};
}

/// The element types of several results, as a tuple. Sealed.
pub trait Results: sealed::Sealed {
    /// The computed results: one tensor, or a tuple of them.
    type Computed;
    /// The recorded results.
    type Recorded<'a>;
    #[doc(hidden)]
    fn computed(tensors: Vec<AnyTensor>) -> Result<Self::Computed, Error>;
    #[doc(hidden)]
    fn recorded(values: Recordings<'_>) -> Self::Recorded<'_>;
}

impl<A: Element> sealed::Sealed for (A,) {}
impl<A: Element> Results for (A,) {
    type Computed = Tensor<A>;
    type Recorded<'a> = Expr<'a, A>;

    fn computed(mut tensors: Vec<AnyTensor>) -> Result<Tensor<A>, Error> {
        tensors.remove(0).into_tensor()
    }

    fn recorded(mut values: Recordings<'_>) -> Expr<'_, A> {
        values.next()
    }
}

macro_rules! results {
    ($($($E:ident)*;)*) => { $(
        impl<$($E: Element),*> sealed::Sealed for ($($E,)*) {}
        impl<$($E: Element),*> Results for ($($E,)*) {
            type Computed = ($(Tensor<$E>,)*);
            type Recorded<'a> = ($(Expr<'a, $E>,)*);

            fn computed(tensors: Vec<AnyTensor>) -> Result<Self::Computed, Error> {
                let mut tensors = tensors.into_iter();
                let mut next = || tensors.next().expect("there is a tensor for each result");
                Ok(($(next().into_tensor::<$E>()?,)*))
            }

            fn recorded(mut values: Recordings<'_>) -> Self::Recorded<'_> {
                ($(values.next::<$E>(),)*)
            }
        }
    )* };
}
results! {
    A B;
    A B C;
    A B C D;
}
