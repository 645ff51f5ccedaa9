//! Tensors whose elements are on a device alone, and contexts whose results are such.

use std::fmt;
use std::sync::Arc;

use crate::exec::context::Context;
use crate::exec::doors::{DeviceOf, DynOperand, EvalAll, RecordedValue};
use crate::exec::replay::with_room;
use crate::exec::run::{Goes, evaluate_to};
use crate::expr::{Expr, Indexed, IntoScalar, Operand, ScalarShape, ScalarValue, TensorLike};
use crate::tensor::{ComputeDevice, Placement, Tensor};
use tensorwrapper_core::backend::{Copied, Device, DeviceMemory};
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::held;
use tensorwrapper_core::owned::Owned;
use tensorwrapper_core::shape::{Extents, Shape};

/// A dense tensor whose elements are in the memory of a device, and nowhere else (but for one number, which comes to the host, too): a
/// result of a context [on its device](Context::on_device).
///
/// It is an operand of every equation: one that names no context runs on its device. What needs its elements on the host takes them
/// there by [`to_host`](DeviceTensor::to_host), which is the only way to read them: an equation in another context says so.
///
/// ```
/// use tensorwrapper_runtime::{Context, DeviceTensor, Error, Tensor};
/// fn power(context: &Context, a: &Tensor<f64>, times: usize) -> Result<Tensor<f64>, Error> {
///     let device = context.on_device()?;
///     let a = device.take(a)?;
///     let mut power: DeviceTensor<f64> = device.einsum("ij,jk->ik", &[&a, &a])?;
///     for _ in 2..times {
///         power = device.einsum("ij,jk->ik", &[&power, &a])?; // nothing is copied to the host and back
///     }
///     power.to_host()
/// }
/// let a = Tensor::filled([2, 2], 1.0)?;
/// // The processor computes in the host's memory.
/// assert!(power(&Context::cpu(), &a, 3).is_err());
/// # Ok::<(), Error>(())
/// ```
pub struct DeviceTensor<T: Element, S: Extents = Shape> {
    /// Extents, and addresses of the host's by which everybody finds the copy. Nobody reads or writes what lies there, so that the system
    /// gives no memory for it, unless it was an earlier result's.
    tensor: Tensor<T, S>,
    device: Arc<dyn Device>,
}

impl<T: Element, S: Extents> DeviceTensor<T, S> {
    /// A tensor whose elements are on this device, at the addresses of this one's.
    pub(crate) fn new(tensor: Tensor<T, S>, device: &Arc<dyn Device>) -> DeviceTensor<T, S> {
        DeviceTensor { tensor, device: Arc::clone(device) }
    }

    /// The elements, copied to the host once all that was asked for before has been done.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] where the host has none for them, and [`ErrorKind::Device`] where the device is lost or what was to
    /// compute them failed.
    pub fn to_host(&self) -> Result<Tensor<T, S>, Error> {
        let mut elements = Owned::<T>::for_results(self.len())?;
        if let Some((memory, resident)) = self.memory().zip(self.device.resident()) {
            resident.fetch(&memory, T::erase_mut(&mut elements))?;
        }
        Ok(Tensor::from_parts(elements, self.tensor.parts().1.clone()))
    }

    /// The memory on the device; `None` where there are no elements.
    fn memory(&self) -> Option<DeviceMemory> {
        let (copy, _) = held::find(self.tensor.parts().0.addresses())?;
        copy.downcast_ref::<Copied>().map(|copied| Arc::clone(&copied.memory))
    }

    /// Number of indices along each axis.
    pub fn extents(&self) -> &[usize] {
        self.tensor.extents()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.tensor.rank()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.tensor.len()
    }

    /// Whether there is no element, because some extent is 0.
    pub fn is_empty(&self) -> bool {
        self.tensor.is_empty()
    }

    /// Rank and extents as a value.
    pub fn shape(&self) -> Shape {
        self.tensor.shape()
    }

    /// The element type, as a value.
    pub fn dtype(&self) -> Dtype {
        T::DTYPE
    }

    /// Where the elements lie.
    pub fn placement(&self) -> Placement {
        Placement::of(ComputeDevice::Cuda { ordinal: self.device.identity().1 })
    }

    /// Forgets what the compiler knows of the extents.
    #[must_use]
    pub fn into_dyn(self) -> DeviceTensor<T> {
        DeviceTensor { tensor: self.tensor.into_dyn(), device: self.device }
    }

    /// Tells the compiler what it shall know of the extents. No element moves.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when rank or a constant extent differs.
    pub fn into_typed<S2: Extents>(self) -> Result<DeviceTensor<T, S2>, Error> {
        Ok(DeviceTensor { tensor: self.tensor.into_typed()?, device: self.device })
    }

    /// The tensor as an operand of a chain, as [`Tensor::at`].
    pub fn at(&self, labels: &str) -> Indexed<'_, T> {
        self.tensor.at(labels)
    }
}

impl<T: Element, S: Extents> fmt::Debug for DeviceTensor<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceTensor<{}> of extents {:?} in the memory of {}", T::DTYPE, self.extents(), self.device.described())
    }
}

impl<T: Element, S: Extents> TensorLike for DeviceTensor<T, S> {
    type Elem = T;
    type Shape = S;
    fn operand(&self) -> Operand<'_, T, S> {
        self.tensor.operand()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: ScalarShape> IntoScalar<T> for DeviceTensor<T, S> {
    fn to_scalar(&self) -> ScalarValue<'_> {
        self.tensor.to_scalar()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: ScalarShape> IntoScalar<T> for &DeviceTensor<T, S> {
    fn to_scalar(&self) -> ScalarValue<'_> {
        self.tensor.to_scalar()
    }
}

/// A context whose results stay in the memory of its device, as [`DeviceTensor`]s. Made by [`Context::on_device`].
///
/// A block that starts with `in &device;` has them, too: what leaves it is a [`DeviceTensor`], and a plain number where there are no
/// brackets. What it writes into a tensor of the host's comes to the host.
#[derive(Clone, Debug)]
pub struct OnDevice {
    pub(crate) context: Context,
}

impl Context {
    /// This context with results that stay on the device.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where it computes in the host's memory.
    pub fn on_device(&self) -> Result<OnDevice, Error> {
        has_memory(&*self.device)?;
        Ok(OnDevice { context: Context { is_named: true, ..self.clone() } })
    }
}

/// Says so where results cannot stay on a device.
///
/// # Errors
/// [`ErrorKind::Unsupported`] where it computes in the host's memory.
pub(in crate::exec) fn has_memory(device: &dyn Device) -> Result<(), Error> {
    if device.resident().is_some() {
        return Ok(());
    }
    let message = format!("{} computes in the host's memory, where results are in any case", device.described());
    Err(Error::new(ErrorKind::Unsupported(message)))
}

impl OnDevice {
    /// A tensor's elements in C order on the device; they are copied there, unless they [are there](Tensor::to).
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] where the device has no room for them, [`ErrorKind::Device`] where it is lost.
    pub fn take<T: Element, S: Extents>(&self, tensor: &Tensor<T, S>) -> Result<DeviceTensor<T, S>, Error> {
        if !tensor.is_plain() {
            return self.take(&tensor.view().to_tensor()?);
        }
        let device = &self.context.device;
        let resident = device.resident().expect("a context on its device has one");
        let (elements, layout) = tensor.parts();
        let known = held::find(elements.addresses()).filter(|(_, before)| *before == 0);
        let known = known.and_then(|(copy, _)| Some(Arc::clone(&copy.downcast_ref::<Copied>()?.memory)));
        let memory = match known.filter(|memory| resident.has(memory)) {
            Some(memory) => memory,
            None => with_room(&**device, || resident.hold(elements))?,
        };
        let mut there = Owned::<T>::for_addresses(tensor.len())?;
        there.hold(Arc::new(Copied { device: Arc::clone(device), memory, is_only: true }));
        Ok(DeviceTensor::new(Tensor::from_parts(there, layout.clone()), device))
    }

    /// Waits until all that was asked for on the device is done. Equations whose results stay there return when their work is queued, so
    /// a program that takes times needs it; nothing else does, because whatever reads a result comes behind what computes it.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use tensorwrapper_runtime::{Context, Error, OnDevice, Tensor};
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
    /// [`ErrorKind::Device`] where the device is lost or what was asked for failed.
    pub fn finish(&self) -> Result<(), Error> {
        self.context.device.resident().expect("a context on its device has one").finish()
    }

    /// As [`Context::einsum`].
    ///
    /// # Errors
    /// As [`einsum`](crate::einsum()).
    pub fn einsum<T: Element>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<DeviceTensor<T>, Error> {
        let tensor = self.context.einsum_to(subscripts, operands, Goes::There { first: 0 })?;
        Ok(DeviceTensor::new(tensor, &self.context.device))
    }

    /// As [`Context::eval`].
    ///
    /// # Errors
    /// As [`Context::eval`].
    pub fn eval<T: Element, S: Extents>(&self, expr: &Expr<'_, T, S>) -> Result<DeviceTensor<T, S>, Error> {
        let tensor = self.context.eval_to(expr, Goes::There { first: 0 })?;
        Ok(DeviceTensor::new(tensor, &self.context.device))
    }

    /// As [`Context::eval_all`].
    ///
    /// # Errors
    /// As [`Context::eval_all`].
    pub fn eval_all<'a, R: EvalAll<'a>>(&self, results: R) -> Result<R::OnDevice, Error> {
        let computed = evaluate_to(&self.context, &RecordedValue::all(&results), Goes::There { first: 0 })?;
        R::typed_there(computed, &DeviceOf(Arc::clone(&self.context.device)))
    }
}
