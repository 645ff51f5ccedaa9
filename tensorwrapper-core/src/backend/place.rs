//! Places of extremes, for devices that find them in one pass.

use super::operand::{LoopNest, Operand, Output};
use super::program::Program;
use super::reduce::Reduction;
use crate::callback::Callback;
use crate::error::Error;
use crate::layout::Strided;

/// Finds at which index the values of a program are largest or smallest.
pub trait FindPlaces {
    /// `output[o] = k`, the index of the last axis of the nest, the only one that is reduced, at which `program(inputs)` is at its largest
    /// ([`Reduction::Max`]) or smallest ([`Reduction::Min`]): the first of equal ones, and the first NaN if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::Undefined`](crate::error::ErrorKind::Undefined) where that axis has no index and the output has an element, and for
    /// elements without an order.
    fn find(
        &self,
        nest: &LoopNest,
        program: &Program,
        extreme: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error>;

    /// Elements that [`find`](FindPlaces::find) keeps beside its operands for an output of this layout, apart from what caches hold.
    fn space(&self, _output: &Strided) -> usize {
        0
    }
}
