//! Converts elements to numbers of another type.

use super::{Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::CastInto;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

impl<T: Stored, S: Extents> TensorRef<'_, T, S> {
    /// A tensor of the same elements as numbers of type `U`; see [`Tensor::cast`].
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for it.
    #[doc(alias("astype", "convert"))]
    pub fn cast<U: Stored>(&self) -> Result<Tensor<U, S>, Error>
    where
        T: CastInto<U>,
    {
        let layout = Strided::row_major(self.extents())?;
        let mut elements = Owned::with_room(layout.len())?;
        match self.as_slice() {
            Some(slice) => elements.extend(slice.iter().map(|x| x.cast_into())),
            None => elements.extend(self.elements().map(|x| x.cast_into())),
        }
        Ok(Tensor::from_located(self.located.with_both(elements, layout)))
    }
}

impl<T: Stored, S: Extents> TensorMut<'_, T, S> {
    /// A tensor of the same elements as numbers of type `U`; see [`Tensor::cast`].
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for it.
    pub fn cast<U: Stored>(&self) -> Result<Tensor<U, S>, Error>
    where
        T: CastInto<U>,
    {
        self.view().cast()
    }
}

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// A tensor of the same elements converted to type `U`: to another precision, from real to complex, or from and to integers as `as`
    /// converts numbers. Inside an equation, `cast(A[i, j])` converts elements as they are read.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let single = Tensor::<f32>::from_slice([2], &[0.5, 2.0])?;
    /// let double = single.cast::<f64>()?;
    /// assert_eq!(double.as_slice(), [0.5, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn cast<U: Stored>(&self) -> Result<Tensor<U, S>, Error>
    where
        T: CastInto<U>,
    {
        self.view().cast()
    }
}
