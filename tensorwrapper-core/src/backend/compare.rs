//! Comparisons of two elements. Nothing holds of a NaN, except that it differs from everything. Complex numbers are ordered by their real
//! parts; equations order numbers that are real.

use tensorwrapper_notation::Comparison;

use crate::element::Element;

/// `a < b`
#[inline(always)]
pub fn less<T: Element>(a: T, b: T) -> bool {
    a.re() < b.re()
}

/// `a <= b`
#[inline(always)]
pub fn less_or_equal<T: Element>(a: T, b: T) -> bool {
    a.re() <= b.re()
}

/// Whether a comparison holds. What compares many elements chooses the function once, before its loop.
#[inline(always)]
pub fn holds<T: Element>(comparison: Comparison, a: T, b: T) -> bool {
    match comparison {
        Comparison::Less => less(a, b),
        Comparison::LessOrEqual => less_or_equal(a, b),
        Comparison::Greater => less(b, a),
        Comparison::GreaterOrEqual => less_or_equal(b, a),
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
    }
}

/// Whether something holds, as 1 or 0.
#[inline(always)]
pub fn truth<T: Element>(holds: bool) -> T {
    if holds { T::ONE } else { T::ZERO }
}

/// `a` where the condition is not 0, and `b` elsewhere.
#[inline(always)]
pub fn select<T: Element>(condition: T, a: T, b: T) -> T {
    if condition == T::ZERO { b } else { a }
}

/// `x`, but `low` where it is less, and else `high` where it is larger.
#[inline(always)]
pub fn clip<T: Element>(x: T, low: T, high: T) -> T {
    let below = if less(high, x) { high } else { x };
    if less(x, low) { low } else { below }
}
