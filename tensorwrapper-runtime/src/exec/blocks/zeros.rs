//! Conditions on operands of which a box has nothing: whether they hold, where that can be told.

use tensorwrapper_core::backend::compare;
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_notation::{Comparison, Condition, ConditionBuilder};

use super::tree::Tree;

/// Whether a condition on elements of this type holds where all operands that it compares are zero.
pub(super) fn of_zeros(condition: &Condition<Tree>, dtype: Dtype) -> Option<bool> {
    condition.build(&mut OfZeros { dtype }).map(|number| number != 0.0)
}

struct OfZeros {
    dtype: Dtype,
}

impl ConditionBuilder<Tree> for OfZeros {
    type Value = Option<f64>;

    fn compare(&mut self, comparison: Comparison, left: &Tree, right: &Tree) -> Option<f64> {
        let (left, right) = (left.number_of_zeros()?, right.number_of_zeros()?);
        // Numbers as a run has them: a small one may be zero in single precision.
        let holds = dispatch!(self.dtype, T => compare::holds(comparison, T::from_complex(left), T::from_complex(right)));
        Some(compare::truth(holds))
    }

    fn holds(&mut self, of: &Tree) -> Option<f64> {
        of.number_of_zeros().map(|number| number.norm())
    }

    fn number(&mut self, value: f64) -> Option<f64> {
        Some(value)
    }

    fn select(&mut self, condition: Option<f64>, chosen: Option<f64>, other: Option<f64>) -> Option<f64> {
        if condition? == 0.0 { other } else { chosen }
    }
}
