//! The tensors that a graph's sources stand for.

use std::sync::Arc;

use crate::tensor::{AnyRef, AnyTensor};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::Structure;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::SliceRef;

/// Element type, length and address of elements, which of a tensor's they are, and where they lie.
pub(super) type SourceKey = ((Dtype, usize, usize), Structure, Strided);

/// A tensor for a source: one of the program, or one that was computed while an equation was recorded.
#[derive(Clone, Debug)]
pub(crate) enum SourceTensor<'a> {
    Borrowed(AnyRef<'a>),
    Computed(Arc<AnyTensor>, Strided),
    /// One that was made of extents alone: the same whatever the elements of operands are.
    Constant(Arc<AnyTensor>, Strided),
}

impl SourceTensor<'_> {
    /// Its elements.
    pub(crate) fn data(&self) -> SliceRef<'_> {
        match self {
            SourceTensor::Borrowed(tensor) => tensor.data,
            SourceTensor::Computed(tensor, _) | SourceTensor::Constant(tensor, _) => tensor.erase().data,
        }
    }

    /// Elements and layout, if it is a tensor of the program.
    pub(crate) fn borrowed(&self) -> Option<(SliceRef<'_>, &Strided)> {
        match self {
            SourceTensor::Borrowed(tensor) => Some((tensor.data, &tensor.layout)),
            SourceTensor::Computed(..) | SourceTensor::Constant(..) => None,
        }
    }

    /// The tensor, if it was made of extents alone.
    pub(crate) fn constant(&self) -> Option<&Arc<AnyTensor>> {
        if let SourceTensor::Constant(tensor, _) = self { Some(tensor) } else { None }
    }

    /// Which of its elements are stored: all, because every tensor of the program is dense.
    pub(crate) fn structure(&self) -> Structure {
        Structure::Dense
    }

    /// What is the same of tensors with the same elements in the same order.
    pub(super) fn identity(&self) -> SourceKey {
        (self.data().identity(), self.structure(), self.layout().clone())
    }

    /// The layout of its elements.
    pub(crate) fn layout(&self) -> &Strided {
        match self {
            SourceTensor::Borrowed(tensor) => &tensor.layout,
            SourceTensor::Computed(_, layout) | SourceTensor::Constant(_, layout) => layout,
        }
    }
}
