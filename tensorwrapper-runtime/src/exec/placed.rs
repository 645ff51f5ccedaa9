//! Tensors with a copy on a device, and where equations run that name no context: where all of their operands are.

#[cfg(feature = "cuda")]
mod copied;

use std::borrow::Cow;

#[cfg(feature = "cuda")]
pub(super) use copied::hold_buffer;

use super::context::Context;
use crate::element::Element;
use crate::erased::SliceRef;
use crate::error::Error;
use crate::layout::Strided;
use crate::shape::Extents;
use crate::tensor::Tensor;

impl<T: Element, S: Extents> Tensor<T, S> {
    /// The same tensor with its elements in the memory of the context's device, too: equations there read them where they are, as often as
    /// they run, and equations that name no context run there. On the host nothing changes: elements are read as before, and
    /// the copy is gone as soon as they are borrowed for writing. A clone has none, and neither have results. In a context
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
        #[cfg_attr(not(feature = "cuda"), expect(unused_mut))]
        let mut tensor = self.to_host();
        #[cfg(feature = "cuda")]
        copied::hold(&mut tensor, &context.device)?;
        let _ = context;
        Ok(tensor)
    }

    /// The same tensor without a copy on a device. The host has its elements in any case, so nothing is copied.
    #[must_use]
    pub fn to_host(mut self) -> Tensor<T, S> {
        self.let_go();
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
        #[cfg(feature = "cuda")]
        if !self.is_named && !crate::held::is_empty() {
            return copied::place(self, operands);
        }
        let _ = (operands, self.is_named);
        Ok(Cow::Borrowed(self))
    }
}
