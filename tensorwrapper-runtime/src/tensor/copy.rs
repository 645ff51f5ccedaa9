//! Copies strided elements into C order.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;

/// The elements that a layout addresses, last index running fastest.
///
/// # Errors
/// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) when the system has none.
pub(super) fn in_c_order<T: Element>(source: &[T], layout: &Strided) -> Result<Owned<T>, Error> {
    if layout.is_row_major() && !layout.is_empty() {
        let mut elements = Owned::with_room(layout.len())?;
        elements.extend(source[layout.offset()..][..layout.len()].iter().copied());
        return Ok(elements);
    }
    let mut elements = Owned::for_results(layout.len())?;
    tensorwrapper_cpu::copy(source, layout, &mut elements, &Strided::row_major(layout.extents())?)?;
    Ok(elements)
}
