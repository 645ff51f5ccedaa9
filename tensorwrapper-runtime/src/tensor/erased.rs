//! Views without an element type. The floors above see every operand as such a view, whatever type owns the elements.

use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// A tensor borrowed for reading, its element type erased. The layout's span lies inside the elements.
#[derive(Clone, Debug)]
pub(crate) struct AnyRef<'a> {
    pub(crate) data: SliceRef<'a>,
    pub(crate) layout: Strided,
}

/// A tensor borrowed for writing, its element type erased. The layout's span lies inside the elements, and no two indices lead
/// to the same element.
#[derive(Debug)]
pub(crate) struct AnyMut<'a> {
    pub(crate) data: SliceMut<'a>,
    pub(crate) layout: Strided,
}

impl AnyRef<'_> {
    /// The element type.
    pub(crate) fn dtype(&self) -> Dtype {
        self.data.dtype()
    }
}
