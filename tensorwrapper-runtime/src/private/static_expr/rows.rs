//! Functions on rows of values along one label. Knows no node.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::ConstExtent;

/// Combines two rows.
#[inline(always)]
pub(super) fn pairwise<T: Element, E: ConstExtent>(
    mut left: E::Array<T>,
    right: E::Array<T>,
    combine: impl Fn(T, T) -> T,
) -> E::Array<T> {
    for index in 0..E::LEN {
        let place = E::get_mut(&mut left, index);
        *place = combine(*place, *E::get(&right, index));
    }
    left
}
