//! The values other than tensors that a program uses in an equation: ranges, positions and exponents. Each has its own trait,
//! so that a value of a wrong type is reported in the terms of the language.

use std::ops::{Bound, RangeBounds};

use crate::exec::Number;
use tensorwrapper_core::shape::Tiling;

/// A range of indices.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of indices",
    label = "not a range of `usize`",
    note = "a slice is written `i in 2..5`, with a range of `usize` after `in`; a single position is written `3` or `{{ n }}`; the elements at a list of positions are taken before the equation, `let b = a.take(0, &at)?;`"
)]
pub trait IndexRange {
    /// Its first index, and the one after its last.
    fn bounds(range: &Self) -> Number;
}
#[diagnostic::do_not_recommend]
impl<R: RangeBounds<usize>> IndexRange for R {
    fn bounds(range: &R) -> Number {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => Some(end.saturating_add(1)),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => None,
        };
        Number::Range(start, end)
    }
}

/// A position or extent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position or an extent",
    label = "not a `usize`",
    note = "positions and extents are of type `usize`"
)]
pub trait Count {
    /// The number.
    fn count(self) -> Number;
}
#[diagnostic::do_not_recommend]
impl Count for usize {
    fn count(self) -> Number {
        Number::Count(self)
    }
}

#[diagnostic::do_not_recommend]
impl Count for &Tiling {
    fn count(self) -> Number {
        Number::Cut(self.clone())
    }
}

/// The exponent of `powi`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a whole exponent, which `powi` takes",
    label = "not an `i32`",
    note = "a whole number of another type is converted, `powi(X, {{ p as i32 }})`; for a real exponent write `powf(X, p)`"
)]
pub trait WholeExponent {
    /// The exponent.
    fn exponent(self) -> Number;
}
#[diagnostic::do_not_recommend]
impl WholeExponent for i32 {
    fn exponent(self) -> Number {
        Number::Whole(self)
    }
}

/// The exponent of `powf`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real exponent, which `powf` takes",
    label = "not an `f64`",
    note = "for a whole exponent write `powi(X, n)`"
)]
pub trait RealExponent {
    /// The exponent.
    fn exponent(self) -> Number;
}
#[diagnostic::do_not_recommend]
impl RealExponent for f64 {
    fn exponent(self) -> Number {
        Number::Real(self)
    }
}
#[diagnostic::do_not_recommend]
impl RealExponent for f32 {
    fn exponent(self) -> Number {
        Number::Real(f64::from(self))
    }
}
