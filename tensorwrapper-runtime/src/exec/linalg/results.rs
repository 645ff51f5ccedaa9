//! Computes and records the results of an operation.

use crate::exec::compile::evaluate;
use crate::exec::context::Context;
use crate::expr::{Expr, Factors, Value, only_recorded};
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

impl<'a, T: Element, R: Results> Factors<'a, T, R> {
    /// Computes the results.
    ///
    /// # Errors
    /// All faults in the chain, labels and extents that do not fit, and memory; a matrix that the operation does not accept, or
    /// an iteration that does not converge.
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

    /// Records the results as operands of other chains and of `tensor!`. They are computed when their elements are needed.
    ///
    /// # Errors
    /// All faults in the chain, and labels and extents that do not fit. Also a tolerance of [`svd`](crate::Indexed::svd),
    /// because its extents depend on elements.
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

pub(super) mod sealed {
    pub trait Sealed {}
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
