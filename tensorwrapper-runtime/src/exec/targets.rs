//! Tensors of the program that runs of prepared plans write into.

use super::plan::Plan;
use super::run::{Execution, ResultPlacement};
use crate::tensor::{StaticTensor, Tensor, TensorMut};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, StaticExtents};
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_cpu::copy;

/// A tensor that [`Prepared::run_into`](crate::Prepared::run_into) and [`PreparedBlock::run_into`](crate::PreparedBlock::run_into) can
/// write: of element type `T` and any shape type.
pub trait DynTarget<T> {
    #[doc(hidden)]
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error>;
}

/// A tensor to write, without its shape type. No two indices lead to the same element.
#[doc(hidden)]
#[derive(Debug)]
pub struct DynPlace<'a, T> {
    pub(super) data: &'a mut [T],
    pub(super) layout: &'a Strided,
}

impl<T> DynPlace<'_, T> {
    /// Refuses a place that has other extents than the result of what is called so.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`].
    pub(super) fn check(&self, result: &Strided, name: &dyn Fn() -> String) -> Result<(), Error> {
        if self.layout.extents() == result.extents() {
            return Ok(());
        }
        let (name, found, made) = (name(), self.layout.extents(), result.extents());
        let message = format!("the result of {name} has extents {made:?}, but is written into a tensor of extents {found:?}");
        Err(Error::new(ErrorKind::Shape(message)))
    }
}

impl<T: Numeric, S: Extents> DynTarget<T> for Tensor<T, S> {
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error> {
        let (data, layout) = self.parts_mut();
        write(DynPlace { data, layout })
    }
}

impl<T: Numeric, S: Extents> DynTarget<T> for TensorMut<'_, T, S> {
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error> {
        let (data, layout) = self.parts_mut();
        write(DynPlace { data, layout })
    }
}

impl<T: Element, S: StaticExtents> DynTarget<T> for StaticTensor<T, S> {
    fn write(&mut self, write: &mut dyn FnMut(DynPlace<'_, T>) -> Result<(), Error>) -> Result<(), Error> {
        let (data, layout) = self.parts_mut();
        write(DynPlace { data, layout: &layout })
    }
}

impl Execution<'_> {
    /// Runs a plan that has one result, of this type, and writes it into a tensor: while it is computed if the tensor lies as the result
    /// does and nothing but a lack of memory for intermediates can end the run; otherwise after the run.
    ///
    /// # Errors
    /// As [`run`](Execution::run), and [`ErrorKind::Shape`] when the tensor has other extents.
    pub(super) fn write<T: Numeric>(
        &self,
        sources: &[SliceRef<'_>],
        target: &mut dyn DynTarget<T>,
        name: &dyn Fn() -> String,
    ) -> Result<(), Error> {
        let (plan, result): (&Plan, &Strided) = (self.plan, &self.plan.results[0]);
        target.write(&mut |place| {
            // A run that may be cancelled, whose device may be lost, that calls the program or that may find a singular matrix must not
            // leave a half-written tensor.
            let is_safe = self.observer.is_idle() && self.functions.is_empty() && !plan.may_fail();
            let is_safe = is_safe && self.backend.device().resident().is_none();
            if is_safe && plan.makes_one() && result.steps_like(place.layout) {
                let (len, start) = (plan.result_len(), place.layout.offset());
                let start = if len == 0 { 0 } else { start };
                let target = T::numbers_mut(&mut place.data[start..][..len]);
                return self.run_into(sources, target.unwrap_or_else(|| unreachable!("integers are computed otherwise")));
            }
            place.check(result, name)?;
            let computed = self.run(sources, ResultPlacement::Host)?;
            let (from, Some(to)) = (computed[0].as_ref(), T::numbers_mut(place.data)) else {
                unreachable!("these are no integers")
            };
            dispatch!(from.dtype(), U => match (U::typed(from), U::typed_mut(to)) {
                (Some(from), Some(to)) => copy(from, result, to, place.layout),
                _ => unreachable!("both have this type"),
            })
        })
    }
}
