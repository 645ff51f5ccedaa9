//! Comparisons of two elements: 1 where they hold, 0 elsewhere. Nothing holds of a NaN, except that it differs from everything.
//! Complex numbers are ordered by their real parts; equations order numbers that are real.

use crate::element::Element;

/// A statement as a number.
#[inline(always)]
fn truth<T: Element>(holds: bool) -> T {
    if holds { T::ONE } else { T::ZERO }
}

/// `a < b`
#[inline(always)]
pub fn less<T: Element>(a: T, b: T) -> T {
    truth(a.re() < b.re())
}

/// `a <= b`
#[inline(always)]
pub fn less_or_equal<T: Element>(a: T, b: T) -> T {
    truth(a.re() <= b.re())
}

/// `a == b`
#[inline(always)]
pub fn equal<T: Element>(a: T, b: T) -> T {
    truth(a == b)
}

/// `a != b`
#[inline(always)]
pub fn not_equal<T: Element>(a: T, b: T) -> T {
    truth(a != b)
}

/// `a` where the condition is not 0, and `b` elsewhere.
#[inline(always)]
pub fn select<T: Element>(condition: T, a: T, b: T) -> T {
    if condition == T::ZERO { b } else { a }
}
