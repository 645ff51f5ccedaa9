//! Views without an element type. The floors above see every operand as such a view, whatever type owns the elements.

use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::SliceRef;

/// A tensor borrowed for reading, its element type erased. The layout's span lies inside the elements.
#[derive(Clone, Debug)]
pub(crate) struct AnyRef<'a> {
    pub(crate) data: SliceRef<'a>,
    pub(crate) layout: Strided,
}

impl AnyRef<'_> {
    /// The element type.
    pub(crate) fn dtype(&self) -> Dtype {
        self.data.dtype()
    }
}
