//! Tensors with a copy on a device, and where equations run that name no context: where all of their operands are.

use std::borrow::Cow;

use super::copied;
use crate::exec::context::Context;
use crate::tensor::Tensor;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::SliceRef;

impl<T: Element, S: Extents> Tensor<T, S> {
    /// The same tensor with its elements in the memory of the context's device, too: equations there read them where they are, as often as
    /// they run, and equations that name no context run there. On the host nothing changes: elements are read as before, and
    /// the copy is gone as soon as they are borrowed for writing. A clone has none, and neither have results, unless they
    /// stay on the device alone ([`Context::on_device`]). In a context
    /// that computes in the host's memory this is [`to_host`](Tensor::to_host).
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Placement, Tensor};
    /// let context = Context::cpu(); // or `Context::cuda(0)?`
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?.to(&context)?;
    /// assert_eq!(context.einsum("ij,jk->ik", &[&a, &a])?.as_slice(), [2.0; 4]);
    /// assert_eq!(a.to_host().placement(), &Placement::HOST);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) where the device has no room for it, [`ErrorKind::Device`](crate::ErrorKind::Device) where it is lost.
    pub fn to(self, context: &Context) -> Result<Tensor<T, S>, Error> {
        let mut tensor = self.to_host();
        copied::hold(&mut tensor, &context.backend)?;
        Ok(tensor)
    }

    /// The same tensor with its elements in memory of the host that the system never moves: each time that an equation copies them to the
    /// context's device, it copies from there directly, without a step between. They may be read and written as before, and are
    /// pinned as long as the tensor lives. A clone is not, and neither are results. Pinning costs more than copying once, and takes memory
    /// from everybody else on the machine: it is for operands that are written and taken to a device again and again. In a context that
    /// computes in the host's memory this is [`to_host`](Tensor::to_host).
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Placement, Tensor};
    /// let context = Context::cpu(); // or `Context::cuda(0)?`
    /// let mut a = Tensor::<f64>::filled([2, 2], 1.0)?.to_pinned(&context)?;
    /// a.as_mut_slice()[0] = 2.0;
    /// assert_eq!(a.placement(), &Placement::HOST); // with a GPU `Placement::PINNED`
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) where there is none for it, [`ErrorKind::Device`](crate::ErrorKind::Device) where
    /// the system pins none.
    pub fn to_pinned(self, context: &Context) -> Result<Tensor<T, S>, Error> {
        let mut tensor = self.to_host();
        if let Some(resident) = context.backend.device().resident() {
            tensor.pin(|pages| resident.pin(pages))?;
        }
        Ok(tensor)
    }

    /// The same tensor without a copy on a device. The host has its elements in any case, so nothing is copied.
    #[must_use]
    pub fn to_host(mut self) -> Tensor<T, S> {
        self.drop_mirror();
        self
    }
}

impl Context {
    /// Where an equation over these operands runs: here, if the program named this context, else where the operands are.
    ///
    /// # Errors
    /// [`ErrorKind::Placement`](crate::ErrorKind::Placement) where they are in two places and nobody has named one.
    #[inline]
    pub(crate) fn placed<'c, 'a, 'l>(
        &'c self,
        operands: impl Iterator<Item = (SliceRef<'a>, &'l Strided)>,
    ) -> Result<Cow<'c, Context>, Error> {
        if !self.is_named && !tensorwrapper_core::storage::device_mirror::is_empty() {
            return copied::place(self, operands);
        }
        Ok(Cow::Borrowed(self))
    }
}
