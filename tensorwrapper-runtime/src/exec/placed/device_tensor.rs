//! Tensors whose elements are only on a device.
//!
//! The elements are found by host addresses, which belong to memory that is never accessed (`Owned::for_addresses`). The system
//! allocates no pages for it, unless the memory comes from the pool, and it is not cleared. A separate type is needed because
//! methods such as `as_slice` could not report the error of a copy.

use std::fmt;
use std::sync::Arc;

use super::copied::compute_device;
use crate::exec::run::copied;
use crate::expr::{Indexed, IntoScalar, Operand, ScalarShape, ScalarValue, TensorLike, Whole};
use crate::tensor::{Placement, Tensor};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::backend::{BackendInstance, DeviceMemory};
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{Extents, Shape};
use tensorwrapper_core::storage::Owned;

/// A dense tensor whose elements are only in the memory of a device; a single number is also copied to the host. It is a result
/// of a context [on its device](crate::Context::on_device).
///
/// It can be an operand of any equation; an equation that names no context runs on its device.
/// [`to_host`](DeviceTensor::to_host) is the only way to read its elements on the host; an equation in a context of another
/// device fails with an error that says so.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Context, DeviceTensor, Error, Tensor};
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
pub struct DeviceTensor<T: Numeric, S: Extents = Shape> {
    /// Extents, and host addresses by which the copy is found. The memory at these addresses is never accessed, so the system
    /// allocates no pages for it, unless it held an earlier result.
    tensor: Tensor<T, S>,
    backend: Arc<BackendInstance>,
}

impl<T: Numeric, S: Extents> DeviceTensor<T, S> {
    /// A tensor whose elements are on this backend's device, found by the addresses of `tensor`.
    pub(crate) fn new(tensor: Tensor<T, S>, backend: &Arc<BackendInstance>) -> DeviceTensor<T, S> {
        DeviceTensor { tensor, backend: Arc::clone(backend) }
    }
}

impl<T: Element, S: Extents> DeviceTensor<T, S> {
    /// Copies the elements to the host, after all work that was queued before is done.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if the host has no memory for them, and
    /// [`ErrorKind::Device`](crate::ErrorKind::Device) if the device is lost or the computation of the elements failed.
    pub fn to_host(&self) -> Result<Tensor<T, S>, Error> {
        let mut elements = Owned::<T>::for_results(self.len())?;
        if let Some((memory, resident)) = self.memory().zip(self.backend.device().resident()) {
            resident.fetch(&memory, T::erase_mut(&mut elements))?;
        }
        Ok(Tensor::from_parts(elements, self.tensor.parts().1.clone()))
    }

    /// The memory on the device; `None` if there are no elements.
    fn memory(&self) -> Option<DeviceMemory> {
        copied(self.tensor.parts().0, |copied, _| Arc::clone(&copied.memory))
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

    /// Where the elements are.
    pub fn placement(&self) -> Placement {
        Placement::of(compute_device(&self.backend))
    }

    /// Converts to the shape type [`Shape`], with which the compiler knows nothing of the extents.
    #[must_use]
    pub fn into_dyn(self) -> DeviceTensor<T> {
        DeviceTensor { tensor: self.tensor.into_dyn(), backend: self.backend }
    }

    /// Converts to another shape type `S2`, which says what the compiler knows of the extents. No element moves.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the rank or a constant extent differs.
    pub fn into_typed<S2: Extents>(self) -> Result<DeviceTensor<T, S2>, Error> {
        Ok(DeviceTensor { tensor: self.tensor.into_typed()?, backend: self.backend })
    }

    /// Labels the axes, for use in a chain of operators, as [`Tensor::at`] does.
    pub fn at(&self, labels: &str) -> Indexed<'_, T> {
        self.tensor.at(labels)
    }
}

impl<T: Element, S: Extents> fmt::Debug for DeviceTensor<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "DeviceTensor<{}> of extents {:?} in the memory of {}",
            T::DTYPE,
            self.extents(),
            self.backend.device().described()
        )
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element, S: Extents> TensorLike for DeviceTensor<T, S> {
    type Elem = T;
    type Shape = S;
    type Form = Whole;
    fn operand(&self) -> Operand<'_, T, S> {
        self.tensor.operand()
    }
}

#[diagnostic::do_not_recommend]
impl<'r: 'x, 'x, T: Element, S: ScalarShape> IntoScalar<'r, 'x, T> for DeviceTensor<T, S> {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        self.tensor.to_scalar()
    }
}

#[diagnostic::do_not_recommend]
impl<'r, 'x, T: Element, S: ScalarShape> IntoScalar<'r, 'x, T> for &'x DeviceTensor<T, S> {
    fn to_scalar(&'r self) -> ScalarValue<'x> {
        self.tensor.to_scalar()
    }
}
