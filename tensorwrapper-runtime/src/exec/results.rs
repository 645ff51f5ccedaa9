//! The types of the tensors that several recorded results are computed to.

use std::sync::Arc;

use super::placed::DeviceTensor;
use crate::expr::{Expr, Value};
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::backend::BackendInstance;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Extents;

/// Several recorded results: a tuple of references, or a slice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of recorded results",
    label = "write `eval_all((&x, &y))`, or give a slice of results of one type"
)]
pub trait EvalAll<'a> {
    /// The computed tensors.
    type Output;
    #[doc(hidden)]
    fn values(&self) -> Vec<RecordedValue<'a>>;
    #[doc(hidden)]
    fn typed(tensors: Vec<AnyTensor>) -> Result<Self::Output, Error>;
    /// The computed tensors if they stay on a device.
    type OnDevice;
    #[doc(hidden)]
    fn typed_there(tensors: Vec<AnyTensor>, device: &DeviceOf) -> Result<Self::OnDevice, Error>;
}

/// The backend on whose device results stay.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct DeviceOf(pub(super) Arc<BackendInstance>);

/// A recorded result without its types.
#[doc(hidden)]
#[derive(Debug)]
pub struct RecordedValue<'a>(Link<Value<'a>>);

impl<'a> RecordedValue<'a> {
    pub(super) fn all(results: &impl EvalAll<'a>) -> Vec<Link<Value<'a>>> {
        results.values().into_iter().map(|value| value.0).collect()
    }
}

impl<'a, T: Element, S: Extents> EvalAll<'a> for &[Expr<'a, T, S>] {
    type Output = Vec<Tensor<T, S>>;
    fn values(&self) -> Vec<RecordedValue<'a>> {
        self.iter().map(|expr| RecordedValue(Link::clone(expr.value()))).collect()
    }
    fn typed(tensors: Vec<AnyTensor>) -> Result<Self::Output, Error> {
        tensors.into_iter().map(|tensor| tensor.into_tensor::<T>()?.into_typed()).collect()
    }
    type OnDevice = Vec<DeviceTensor<T, S>>;
    fn typed_there(tensors: Vec<AnyTensor>, device: &DeviceOf) -> Result<Self::OnDevice, Error> {
        tensors.into_iter().map(|tensor| Ok(DeviceTensor::new(tensor.into_tensor::<T>()?.into_typed()?, &device.0))).collect()
    }
}

/// Recorded results whose types are known only at run time.
pub(crate) struct Untyped<'a>(pub(crate) Vec<Link<Value<'a>>>);

impl<'a> EvalAll<'a> for Untyped<'a> {
    type Output = Vec<AnyTensor>;
    fn values(&self) -> Vec<RecordedValue<'a>> {
        self.0.iter().map(|value| RecordedValue(Link::clone(value))).collect()
    }
    fn typed(tensors: Vec<AnyTensor>) -> Result<Self::Output, Error> {
        Ok(tensors)
    }
    type OnDevice = Vec<AnyTensor>;
    fn typed_there(tensors: Vec<AnyTensor>, _: &DeviceOf) -> Result<Self::OnDevice, Error> {
        Ok(tensors)
    }
}

macro_rules! tuples {
    ($($(($T:ident $S:ident $axis:tt))*;)*) => { $(
        impl<'a, $($T: Element, $S: Extents),*> EvalAll<'a> for ($(&Expr<'a, $T, $S>,)*) {
            type Output = ($(Tensor<$T, $S>,)*);
            fn values(&self) -> Vec<RecordedValue<'a>> {
                vec![$(RecordedValue(Link::clone(self.$axis.value()))),*]
            }
            fn typed(tensors: Vec<AnyTensor>) -> Result<Self::Output, Error> {
                let mut results = tensors.into_iter();
                let mut next = || results.next().expect("there is a result for each value");
                Ok(($(next().into_tensor::<$T>()?.into_typed::<$S>()?,)*))
            }
            type OnDevice = ($(DeviceTensor<$T, $S>,)*);
            fn typed_there(tensors: Vec<AnyTensor>, device: &DeviceOf) -> Result<Self::OnDevice, Error> {
                let mut results = tensors.into_iter();
                let mut next = || results.next().expect("there is a result for each value");
                Ok(($(DeviceTensor::new(next().into_tensor::<$T>()?.into_typed::<$S>()?, &device.0),)*))
            }
        }
    )* };
}
tuples! {
    (T0 S0 0);
    (T0 S0 0) (T1 S1 1);
    (T0 S0 0) (T1 S1 1) (T2 S2 2);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4) (T5 S5 5);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4) (T5 S5 5) (T6 S6 6);
    (T0 S0 0) (T1 S1 1) (T2 S2 2) (T3 S3 3) (T4 S4 4) (T5 S5 5) (T6 S6 6) (T7 S7 7);
}
