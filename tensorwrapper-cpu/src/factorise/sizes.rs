//! What is asked of all elements of a matrix, as loops that are compiled for the processor's instructions. Knows no algorithm.

use crate::multiversion::Loops;
use tensorwrapper_core::backend::linear;
use tensorwrapper_core::element::Element;

/// Whether all elements are finite.
pub(super) struct AreFinite<'e, T>(pub(super) &'e [T]);

impl<T: Element> Loops for AreFinite<'_, T> {
    type Result = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut are = true;
        for &x in self.0 {
            are &= linear::is_finite(x);
        }
        are
    }
}

/// The largest part of an element, or the largest square of its size.
pub(super) struct Largest<'e, T, const SQUARES: bool>(pub(super) &'e [T]);

impl<T: Element, const SQUARES: bool> Loops for Largest<'_, T, SQUARES> {
    type Result = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        if SQUARES { linear::largest_of(self.0, linear::square) } else { linear::largest_of(self.0, linear::part_size) }
    }
}
