//! Copies strided elements into C order.

use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

/// The elements that a layout addresses, last index running fastest.
///
/// # Errors
/// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) when the system has none.
pub(super) fn in_c_order<T: Stored>(source: &[T], layout: &Strided) -> Result<Owned<T>, Error> {
    if layout.is_row_major() && !layout.is_empty() {
        let mut elements = Owned::with_room(layout.len())?;
        elements.extend(source[layout.offset()..][..layout.len()].iter().copied());
        return Ok(elements);
    }
    let mut elements = Owned::for_results(layout.len())?;
    // The kernels that copy know the numbers of equations alone.
    let (Some(from), Some(to)) = (T::numbers(source), T::numbers_mut(&mut elements)) else {
        elements.iter_mut().zip(layout.positions()).for_each(|(element, position)| *element = source[position]);
        return Ok(elements);
    };
    dispatch!(from.dtype(), E => match (E::typed(from), E::typed_mut(to)) {
        (Some(from), Some(to)) => tensorwrapper_cpu::copy(from, layout, to, &Strided::row_major(layout.extents())?)?,
        _ => unreachable!("both are elements of one type"),
    });
    Ok(elements)
}
