//! The tensors that a graph's sources stand for.

use std::sync::Arc;

use crate::tensor::{AnyRef, AnyTensor};
use tensorwrapper_core::erased::SliceRef;
use tensorwrapper_core::layout::Strided;

/// A tensor for a source: the program's, or what was computed while an equation was recorded.
#[derive(Clone, Debug)]
pub(crate) enum Given<'a> {
    Borrowed(AnyRef<'a>),
    Computed(Arc<AnyTensor>, Strided),
}

impl Given<'_> {
    /// Its elements.
    pub(crate) fn data(&self) -> SliceRef<'_> {
        match self {
            Given::Borrowed(tensor) => tensor.data,
            Given::Computed(tensor, _) => tensor.erase().data,
        }
    }

    /// Elements of the program's, and where they lie.
    pub(crate) fn borrowed(&self) -> Option<(SliceRef<'_>, &Strided)> {
        match self {
            Given::Borrowed(tensor) => Some((tensor.data, &tensor.layout)),
            Given::Computed(..) => None,
        }
    }

    /// Where they lie.
    pub(crate) fn layout(&self) -> &Strided {
        match self {
            Given::Borrowed(tensor) => &tensor.layout,
            Given::Computed(_, layout) => layout,
        }
    }
}
