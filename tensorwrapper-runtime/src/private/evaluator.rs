//! What computes the values of a block, at its end or, where an extent depends on them, while it is recorded. It must not know of
//! blocks.

use crate::exec::{Context, Graph, OnDevice, ResultPlacement, evaluate};
use crate::expr::{Value, only_recorded};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::error::Error;

/// Values whose elements the recording itself needs.
#[derive(Debug)]
pub struct Recorded<'v, 'a>(pub(super) &'v [Link<Value<'a>>]);

/// What computes the values that an extent depends on.
#[doc(hidden)]
pub trait ComputesExtents {
    /// Computes values while a block is recorded, if it computes.
    ///
    /// # Errors
    /// What computing them reports, or that nothing is computed here.
    fn compute(&self, values: Recorded<'_, '_>) -> Result<Vec<AnyTensor>, Error>;
}

impl ComputesExtents for Context {
    fn compute(&self, values: Recorded<'_, '_>) -> Result<Vec<AnyTensor>, Error> {
        evaluate(self, values.0)
    }
}

impl ComputesExtents for Graph {
    fn compute(&self, _: Recorded<'_, '_>) -> Result<Vec<AnyTensor>, Error> {
        Err(only_recorded())
    }
}

impl ComputesExtents for OnDevice {
    fn compute(&self, values: Recorded<'_, '_>) -> Result<Vec<AnyTensor>, Error> {
        self.context.compute(values)
    }
}

/// What computes a block at once.
pub trait Computes: ComputesExtents {
    /// Where it computes.
    #[doc(hidden)]
    fn context(&self) -> &Context;
    /// Where results go behind so many that are written into places of the host's.
    #[doc(hidden)]
    fn placement(written: usize) -> ResultPlacement;
}

impl Computes for Context {
    fn context(&self) -> &Context {
        self
    }

    fn placement(_: usize) -> ResultPlacement {
        ResultPlacement::Host
    }
}

impl Computes for OnDevice {
    fn context(&self) -> &Context {
        &self.context
    }

    fn placement(written: usize) -> ResultPlacement {
        ResultPlacement::Device { first: written }
    }
}
