//! Reductions, for every device: one step, and the value over no elements.

use super::operand::LoopNest;
use crate::element::Element;
use crate::error::Error;

/// How the values at one output element are folded into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum; 0 over no values.
    Sum,
    /// The product; 1 over no values.
    Product,
    /// The largest value (real elements only); an error over no values. If a value is NaN, so is the result.
    Max,
    /// The smallest value (real elements only); an error over no values. If a value is NaN, so is the result.
    Min,
}

impl Reduction {
    /// Folds one more value in. `Max` and `Min` compare real parts; [`check`](Reduction::check) has refused complex numbers.
    pub fn combine<T: Element>(self, folded: T, value: T) -> T {
        match self {
            Reduction::Sum => folded + value,
            Reduction::Product => folded * value,
            Reduction::Max => maximum(folded, value),
            Reduction::Min => minimum(folded, value),
        }
    }

    /// The value over no elements; [`ErrorKind::Undefined`](crate::error::ErrorKind::Undefined) for `Max` and `Min`.
    pub fn of_nothing<T: Element>(self) -> Result<T, Error> {
        match self {
            Reduction::Sum => Ok(T::ZERO),
            Reduction::Product => Ok(T::ONE),
            Reduction::Max | Reduction::Min => Err(Error::over_nothing(None)),
        }
    }

    /// Refuses `Max` and `Min` of complex numbers, and over no values if the output has an element.
    pub fn check_over<T: Element>(self, nest: &LoopNest) -> Result<(), Error> {
        self.check::<T>()?;
        let (kept, reduced) = nest.extents().split_at(nest.kept());
        if reduced.contains(&0) && !kept.contains(&0) {
            self.of_nothing::<T>()?;
        }
        Ok(())
    }

    /// Refuses `Max` and `Min` of complex numbers.
    pub fn check<T: Element>(self) -> Result<(), Error> {
        if matches!(self, Reduction::Max | Reduction::Min) && T::DTYPE.is_complex() {
            return Err(Error::without_order(T::DTYPE));
        }
        Ok(())
    }
}

/// The number with the larger real part; NaN if one of them is.
#[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
pub fn maximum<T: Element>(a: T, b: T) -> T {
    if a.re() >= b.re() || a != a { a } else { b }
}

/// The number with the smaller real part; NaN if one of them is.
#[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
pub fn minimum<T: Element>(a: T, b: T) -> T {
    if a.re() <= b.re() || a != a { a } else { b }
}
