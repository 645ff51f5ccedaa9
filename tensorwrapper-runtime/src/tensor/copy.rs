//! Strided elements brought into C order.

use crate::backend;
use crate::element::Element;
use crate::erased;
use crate::error::Error;
use crate::layout::Strided;

/// The elements that a layout finds, last index running fastest.
///
/// # Errors
/// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the system has none.
pub(super) fn in_c_order<T: Element>(source: &[T], layout: &Strided) -> Result<Vec<T>, Error> {
    if layout.is_row_major() && !layout.is_empty() {
        let mut elements = erased::reserve(layout.len())?;
        elements.extend_from_slice(&source[layout.offset()..][..layout.len()]);
        return Ok(elements);
    }
    let mut elements = erased::zeros(layout.len())?;
    backend::copy(source, layout, &mut elements, &Strided::row_major(layout.extents())?)?;
    Ok(elements)
}
