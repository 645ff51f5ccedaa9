//! Computes the values of a block, either at its end or, if an extent depends on them, while it is recorded. This file must not
//! know of blocks.

use crate::exec::{Context, Graph, OnDevice, ResultPlacement, evaluate};
use crate::expr::{Value, only_recorded};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::error::Error;

/// Recorded values whose elements are needed while recording.
#[derive(Debug)]
pub struct Recorded<'v, 'a>(pub(super) &'v [Link<Value<'a>>]);

/// Contexts that can be asked to compute the values that an extent depends on.
#[doc(hidden)]
pub trait ComputesExtents {
    /// Computes values while a block is recorded.
    ///
    /// # Errors
    /// Errors of computing them; a [`Graph`] always fails, because it computes nothing.
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

/// Contexts that compute a block immediately.
pub trait Computes: ComputesExtents {
    /// The context in which the block is computed.
    #[doc(hidden)]
    fn context(&self) -> &Context;
    /// Where the results go, of which the first `written` ones are written into tensors on the host.
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
