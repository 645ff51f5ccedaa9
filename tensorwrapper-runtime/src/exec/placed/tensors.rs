//! Copies tensors to devices. Equations that name no context run where all of their operands are.

use super::copied::{self, Placed};
use crate::exec::context::Context;
use crate::tensor::Tensor;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::SliceRef;

impl<T: Element, S: Extents> Tensor<T, S> {
    /// The same tensor with a copy of its elements in the memory of the context's device. Equations on that device read the
    /// copy whenever they run, and equations that name no context run on that device. On the host nothing changes: elements are
    /// read as before, and the copy is dropped as soon as they are borrowed for writing. Clones and results have no copy,
    /// except results that stay only on the device ([`Context::on_device`]). If the context computes in the host's memory, this
    /// does the same as [`to_host`](Tensor::to_host).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Placement, Tensor};
    /// let context = Context::cpu(); // or `Context::cuda(0)?`
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?.to(&context)?;
    /// assert_eq!(context.einsum("ij,jk->ik", &[&a, &a])?.as_slice(), [2.0; 4]);
    /// assert_eq!(a.to_host().placement(), &Placement::HOST);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if the device has no memory for it,
    /// [`ErrorKind::Device`](crate::ErrorKind::Device) if it is lost.
    pub fn to(self, context: &Context) -> Result<Tensor<T, S>, Error> {
        let mut tensor = self.to_host();
        copied::hold(&mut tensor, &context.backend)?;
        Ok(tensor)
    }

    /// The same tensor with its elements in pinned host memory, which the system never moves. When an equation copies the
    /// elements to the context's device, it copies directly from this memory, without an intermediate buffer. They can be read
    /// and written as before, and stay pinned as long as the tensor lives. Clones and results are not pinned. Pinning costs
    /// more than one copy, and pinned memory is not available to other programs, so it is only worthwhile for operands that are
    /// often written and copied to a device. If the context computes in the host's memory, this does the same as
    /// [`to_host`](Tensor::to_host).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Placement, Tensor};
    /// let context = Context::cpu(); // or `Context::cuda(0)?`
    /// let mut a = Tensor::<f64>::filled([2, 2], 1.0)?.to_pinned(&context)?;
    /// a.as_mut_slice()[0] = 2.0;
    /// assert_eq!(a.placement(), &Placement::HOST); // with a GPU `Placement::PINNED`
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) if there is no memory for it,
    /// [`ErrorKind::Device`](crate::ErrorKind::Device) if the system cannot pin it.
    pub fn to_pinned(self, context: &Context) -> Result<Tensor<T, S>, Error> {
        let mut tensor = self.to_host();
        if let Some(resident) = context.backend.device().resident() {
            tensor.pin(|pages| resident.pin(pages))?;
        }
        Ok(tensor)
    }

    /// The same tensor without a copy on a device. The host always has the elements, so nothing is copied.
    #[must_use]
    pub fn to_host(mut self) -> Tensor<T, S> {
        self.drop_mirror();
        self
    }
}

impl Context {
    /// The context in which an equation over these operands runs: this one if the program named it, otherwise one on the device
    /// where the operands are.
    ///
    /// # Errors
    /// [`ErrorKind::Placement`](crate::ErrorKind::Placement) if they are in two places and the program has not named a context.
    #[inline]
    pub(crate) fn placed<'c, 'a, 'l>(
        &'c self,
        operands: impl Iterator<Item = (SliceRef<'a>, &'l Strided)>,
    ) -> Result<Placed<'c>, Error> {
        if !self.is_named && !tensorwrapper_core::storage::device_mirror::is_empty() {
            return copied::place(self, operands);
        }
        Ok(Placed::Same(self))
    }
}
