//! [`AnyTensor`]: owned elements whose type is known only at run time.

use std::sync::Arc;

use super::dense::Tensor;
use super::located::{Located, metadata, placement};
use super::view::TensorRef;
use super::{AnyRef, Placement};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::{Layout, Strided};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Buffer;

/// A dense tensor whose element type and rank are known only at run time, such as one read from a file.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{AnyTensor, Dtype, Tensor};
/// let any = AnyTensor::from(Tensor::<f32, _>::zeros((2, 3))?);
/// assert_eq!(any.dtype(), Dtype::F32);
/// assert!(any.view::<f64>().is_err());
/// let t: Tensor<f32> = any.into_tensor()?; // no copy
/// assert_eq!(t.extents(), [2, 3]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct AnyTensor {
    /// The layout starts at the first element, and no two indices lead to the same element.
    pub(super) located: Located<Buffer>,
    /// How the elements are stored; `None` means in C order without padding.
    pub(super) layout: Option<Arc<Layout>>,
}

impl AnyTensor {
    /// Puts elements and their layout together. The caller must have checked that they fit: this function checks nothing.
    pub(crate) fn from_buffer(buffer: Buffer, layout: Strided) -> AnyTensor {
        debug_assert!(layout.is_row_major() && layout.offset() == 0, "{layout:?} is not row-major");
        debug_assert_eq!(layout.len(), buffer.as_ref().len(), "{layout:?} does not cover the elements");
        AnyTensor { located: Located::on_host(buffer, layout), layout: None }
    }

    metadata!();
    placement!();

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.located.data.dtype()
    }

    /// The tensor with its element type known to the compiler. No element moves.
    ///
    /// # Errors
    /// [`ErrorKind::Element`] when the elements are of another type.
    pub fn into_tensor<T: Numeric>(self) -> Result<Tensor<T>, Error> {
        let wrong = self.wrong::<T>();
        let Located { data, layout, placement, preferred } = self.located;
        let data = T::of_buffer(data).map_err(|_| wrong)?;
        Ok(Tensor::in_layout(Located { data, layout, placement, preferred }, self.layout))
    }

    /// The tensor, borrowed, with its element type known to the compiler.
    ///
    /// # Errors
    /// [`ErrorKind::Element`] when the elements are of another type.
    pub fn view<T: Element>(&self) -> Result<TensorRef<'_, T>, Error> {
        let data = T::typed(self.located.data.as_ref()).ok_or_else(|| self.wrong::<T>())?;
        Ok(TensorRef::from_located(self.located.with_data(data)))
    }

    fn wrong<T: Numeric>(&self) -> Error {
        Error::new(ErrorKind::Element { expected: T::COMPUTED, found: self.dtype() })
    }

    /// The largest real part of its elements, if it has any.
    pub(crate) fn largest(&self) -> Option<f64> {
        let largest = |largest: Option<f64>, x: f64| Some(largest.map_or(x, |largest| largest.max(x)));
        dispatch!(self.dtype(), T => {
            let elements = T::typed(self.located.data.as_ref()).unwrap_or_default();
            elements.iter().map(|x| x.to_complex().re).fold(None, largest)
        })
    }

    /// Its elements and their layout.
    pub(crate) fn into_buffer(self) -> (Buffer, Strided) {
        (self.located.data, self.located.layout)
    }

    /// The whole tensor, borrowed.
    pub(crate) fn erase(&self) -> AnyRef<'_> {
        AnyRef { data: self.located.data.as_ref(), layout: self.located.layout.clone() }
    }
}

impl<T: Element, S: Extents> From<Tensor<T, S>> for AnyTensor {
    fn from(tensor: Tensor<T, S>) -> AnyTensor {
        // A copy on a device is the typed tensor's: nobody tells here when elements change.
        let mut located = tensor.located;
        located.data.drop_mirror();
        AnyTensor { located: Located { placement: Placement::HOST, ..located.map(T::erase_vec) }, layout: tensor.layout }
    }
}

/// Compares element types, extents and elements.
impl PartialEq for AnyTensor {
    fn eq(&self, other: &AnyTensor) -> bool {
        dispatch!(self.dtype(), T => match (self.view::<T>(), other.view::<T>()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        })
    }
}
