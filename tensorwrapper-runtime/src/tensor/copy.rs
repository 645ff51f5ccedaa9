//! Strided elements brought into C order.

use crate::backend;
use crate::element::Element;
use crate::error::Error;
use crate::layout::Strided;
use crate::owned::Owned;

/// The elements that a layout finds, last index running fastest.
///
/// # Errors
/// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the system has none.
pub(super) fn in_c_order<T: Element>(source: &[T], layout: &Strided) -> Result<Owned<T>, Error> {
    if layout.is_row_major() && !layout.is_empty() {
        let mut elements = Owned::with_room(layout.len())?;
        elements.extend(source[layout.offset()..][..layout.len()].iter().copied());
        return Ok(elements);
    }
    let mut elements = Owned::for_results(layout.len())?;
    backend::copy(source, layout, &mut elements, &Strided::row_major(layout.extents())?)?;
    Ok(elements)
}
