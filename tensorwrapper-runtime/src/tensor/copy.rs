//! Copies strided elements, into C order or to any other places.

use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

/// Elements up to which plain loops take less time than a device takes to prepare its copy.
const FEW: usize = 1 << 11;

/// The elements that a layout addresses, last index running fastest.
///
/// # Errors
/// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) when the system has none.
pub(crate) fn in_c_order<T: Stored>(source: &[T], layout: &Strided) -> Result<Owned<T>, Error> {
    if layout.is_row_major() && !layout.is_empty() {
        let mut elements = Owned::with_room(layout.len())?;
        elements.extend(source[layout.offset()..][..layout.len()].iter().copied());
        return Ok(elements);
    }
    if (1..=FEW).contains(&layout.len())
        && let Some(last) = layout.rank().checked_sub(1)
    {
        let (extent, stride) = (layout.extents()[last], layout.strides()[last]);
        let mut elements = Owned::with_room(layout.len())?;
        for start in layout.chip(last, 0).positions() {
            elements.extend((0..extent).map(|n| source[start.wrapping_add_signed(stride.wrapping_mul(n as isize))]));
        }
        return Ok(elements);
    }
    let mut elements = Owned::for_results(layout.len())?;
    copy_between(source, layout, &mut elements, &Strided::row_major(layout.extents())?)?;
    Ok(elements)
}

/// Appends something of each element that a layout addresses, last index running fastest.
pub(crate) fn extend_from<T: Copy, R>(into: &mut impl Extend<R>, source: &[T], layout: &Strided, of: impl Fn(T) -> R) {
    match layout.is_row_major() {
        true => into.extend(source[layout.start()..][..layout.len()].iter().map(|&element| of(element))),
        false => into.extend(layout.positions().map(|position| of(source[position]))),
    }
}

/// Copies all elements that `from` finds in `source` to where `to`, of the same extents, finds them in `target`.
///
/// # Errors
/// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) for work space.
pub(crate) fn copy_between<T: Stored>(source: &[T], from: &Strided, target: &mut [T], to: &Strided) -> Result<(), Error> {
    // The kernels that copy know the numbers of equations alone.
    let (Some(numbers), Some(places)) = (T::numbers(source), T::numbers_mut(target)) else {
        to.positions().zip(from.positions()).for_each(|(to, from)| target[to] = source[from]);
        return Ok(());
    };
    dispatch!(numbers.dtype(), E => match (E::typed(numbers), E::typed_mut(places)) {
        (Some(numbers), Some(places)) => tensorwrapper_cpu::copy(numbers, from, places, to),
        _ => unreachable!("both are elements of one type"),
    })
}
