//! What stands in the place of random tensors without the feature `rand`: a sentence of the compiler that names it.

use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::stored::Stored;

use crate::tensor::Tensor;

/// Implemented by nothing.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "random tensors need the feature `rand`",
    label = "the feature `rand` is not enabled",
    note = "in Cargo.toml: `tensorwrapper = {{ …, features = [\"rand\"] }}`"
)]
pub trait WithRandom {}

impl<T: Stored, S: Extents> Tensor<T, S> {
    #[doc(hidden)]
    pub fn random<Shape>(_: Shape, _: u64) -> Result<Self, Error>
    where
        Self: WithRandom,
    {
        unreachable!("no type has this bound")
    }

    #[doc(hidden)]
    pub fn uniform<Shape, Range>(_: Shape, _: Range, _: u64) -> Result<Self, Error>
    where
        Self: WithRandom,
    {
        unreachable!("no type has this bound")
    }

    #[doc(hidden)]
    pub fn normal<Shape>(_: Shape, _: f64, _: f64, _: u64) -> Result<Self, Error>
    where
        Self: WithRandom,
    {
        unreachable!("no type has this bound")
    }
}
