//! Contexts whose results stay on their device.

use std::sync::Arc;

use super::device_tensor::DeviceTensor;
use crate::exec::compile::evaluate_to;
use crate::exec::context::Context;
use crate::exec::operands::DynOperand;
use crate::exec::results::{DeviceOf, EvalAll, RecordedValue};
use crate::exec::run::{ResultPlacement, copied, with_room};
use crate::expr::Expr;
use crate::tensor::Tensor;
use tensorwrapper_core::backend::{BackendInstance, Copied, Resident};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;

/// A context whose results stay in the memory of its device, as [`DeviceTensor`]s. Made by [`Context::on_device`].
///
/// The results of a block that starts with `in &device;` stay on the device, too: they are [`DeviceTensor`]s, or plain numbers
/// if their left side has no brackets. Results that the block writes into a tensor on the host are copied to the host.
#[derive(Clone, Debug)]
pub struct OnDevice {
    pub(crate) context: Context,
}

impl Context {
    /// This context with results that stay on the device.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] if its device computes in the host's memory.
    pub fn on_device(&self) -> Result<OnDevice, Error> {
        has_memory(&self.backend)?;
        Ok(OnDevice { context: Context { is_named: true, ..self.clone() } })
    }
}

/// Returns an error for a device on which results cannot stay.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if the device computes in the host's memory.
pub(in crate::exec) fn has_memory(backend: &BackendInstance) -> Result<(), Error> {
    let device = backend.device();
    if device.resident().is_some() {
        return Ok(());
    }
    let message = format!("{} computes in the host's memory, where results are in any case", device.described());
    Err(Error::new(ErrorKind::Unsupported(message)))
}

impl OnDevice {
    fn resident(&self) -> &dyn Resident {
        self.context.backend.device().resident().expect("a context on its device has a device with memory of its own")
    }

    /// Puts a tensor's elements in C order on the device. They are copied there, unless the device [has a copy](Tensor::to).
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if the device has no memory for them, [`ErrorKind::Device`] if it is lost.
    pub fn take<T: Element, S: Extents>(&self, tensor: &Tensor<T, S>) -> Result<DeviceTensor<T, S>, Error> {
        if !tensor.is_plain() {
            return self.take(&tensor.view().to_tensor()?);
        }
        let backend = &self.context.backend;
        let resident = self.resident();
        let (elements, layout) = tensor.parts();
        let known = copied(elements, |copied, before| (before == 0).then(|| Arc::clone(&copied.memory)));
        let memory = match known.flatten().filter(|memory| resident.has(memory)) {
            Some(memory) => memory,
            None => with_room(backend, || resident.hold(elements))?,
        };
        let mut there = Owned::<T>::for_addresses(tensor.len())?;
        there.set_mirror(Arc::new(Copied { backend: Arc::clone(backend), memory, is_only: true }));
        Ok(DeviceTensor::new(Tensor::from_parts(there, layout.clone()), backend))
    }

    /// Waits until all work that was queued on the device is done. Equations whose results stay on the device return as soon as
    /// their work is queued, so a program that measures times must call this. Nothing else needs it, because work that reads a
    /// result is queued after the work that computes it.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Error, OnDevice, Tensor};
    /// fn time_of_square(device: &OnDevice, a: &Tensor<f64>) -> Result<Duration, Error> {
    ///     let a = device.take(a)?;
    ///     device.einsum("ij,jk->ik", &[&a, &a])?; // the first call plans
    ///     device.finish()?;
    ///     let begun = Instant::now();
    ///     device.einsum("ij,jk->ik", &[&a, &a])?;
    ///     device.finish()?;
    ///     Ok(begun.elapsed())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device is lost or queued work failed.
    pub fn finish(&self) -> Result<(), Error> {
        self.resident().finish()
    }

    /// As [`Context::einsum`].
    ///
    /// # Errors
    /// As [`einsum`](crate::einsum()).
    pub fn einsum<T: Element>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<DeviceTensor<T>, Error> {
        let tensor = self.context.einsum_to(subscripts, operands, ResultPlacement::Device { first: 0 })?;
        Ok(DeviceTensor::new(tensor, &self.context.backend))
    }

    /// As [`Context::eval`].
    ///
    /// # Errors
    /// As [`Context::eval`].
    pub fn eval<T: Element, S: Extents>(&self, expr: &Expr<'_, T, S>) -> Result<DeviceTensor<T, S>, Error> {
        let tensor = self.context.eval_to(expr, ResultPlacement::Device { first: 0 })?;
        Ok(DeviceTensor::new(tensor, &self.context.backend))
    }

    /// As [`Context::eval_all`].
    ///
    /// # Errors
    /// As [`Context::eval_all`].
    pub fn eval_all<'a, R: EvalAll<'a, OnDevice = X>, X>(&self, results: R) -> Result<X, Error> {
        let computed = evaluate_to(&self.context, &RecordedValue::all(&results), ResultPlacement::Device { first: 0 })?;
        R::typed_there(computed, &DeviceOf(Arc::clone(&self.context.backend)))
    }
}
