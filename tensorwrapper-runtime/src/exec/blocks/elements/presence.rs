//! Which boxes of an expression have elements.

use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_notation::Condition;
use tensorwrapper_notation::syntax::Operator;

use super::super::tree::{Tree, keeps_zero};
use super::super::zeros::of_zeros;

/// What a box has of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Has {
    Nothing,
    Elements,
    /// Elements whose sign is turned.
    Negated,
}

/// What is needed to tell it.
#[derive(Clone, Copy)]
pub(super) struct Presence<'p> {
    /// The names of tensors, for messages.
    pub(super) names: &'p [String],
    pub(super) dtype: Dtype,
}

impl Presence<'_> {
    /// Whether an expression has elements in a box that has this of its factors, in their order.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] where a block divides that is zero.
    pub(super) fn is_there(&self, tree: &Tree, has: &mut dyn Iterator<Item = Has>, block: &[usize]) -> Result<bool, Error> {
        let divides = |divisor: &Tree| {
            let names: Vec<String> = divisor.factors().iter().map(|factor| format!("`{}`", self.names[factor.operand])).collect();
            let message = match &names[..] {
                [name] if matches!(divisor, Tree::Factor(_)) => {
                    format!("{name} is zero where it divides, at block {block:?} of the result")
                }
                [] => format!("a number that divides is zero, at block {block:?} of the result"),
                names => format!("what divides ({}) is zero at block {block:?} of the result", names.join(", ")),
            };
            Err(Error::new(ErrorKind::Shape(message)))
        };
        Ok(match tree {
            Tree::Factor(_) => has.next() != Some(Has::Nothing),
            Tree::Number(value) => *value != num_complex::Complex::ZERO,
            Tree::Negate(inner) | Tree::Sum(_, inner) | Tree::Fold(_, _, inner) => self.is_there(inner, has, block)?,
            Tree::Binary(operator, left, right) => {
                let (one, other) = (self.is_there(left, has, block)?, self.is_there(right, has, block)?);
                match operator {
                    Operator::Add | Operator::Subtract => one || other,
                    Operator::Multiply => one && other,
                    Operator::Divide if one && !other => return divides(right),
                    Operator::Divide => one,
                }
            }
            Tree::Apply(function, inner) => match (self.is_there(inner, has, block)?, keeps_zero(*function)) {
                (false, None) => return divides(inner),
                (is_there, keeps) => is_there || keeps == Some(false),
            },
            Tree::PowerInteger(inner, exponent) => match self.is_there(inner, has, block)? {
                false if *exponent < 0 => return divides(inner),
                is_there => is_there || *exponent == 0,
            },
            Tree::PowerReal(inner, exponent) => match self.is_there(inner, has, block)? {
                false if *exponent < 0.0 => return divides(inner),
                is_there => is_there || *exponent == 0.0,
            },
            Tree::Select(condition, values) => {
                let factors: usize = condition.expressions().iter().map(|side| side.factors().len()).sum();
                let of_condition: Vec<Has> = (&mut *has).take(factors).collect();
                let decided = self.decided(condition, &of_condition);
                let mut is_there = false;
                for (value, is_chosen) in values.iter().zip([true, false]) {
                    match decided {
                        // A value that is not chosen may be anything, or nothing.
                        Some(holds) if holds != is_chosen => (&mut *has).take(value.factors().len()).for_each(drop),
                        _ => is_there |= self.is_there(value, has, block)?,
                    }
                }
                is_there
            }
        })
    }

    /// Whether a condition holds in a box that has this of its factors; told where it has nothing of any of them, if at all.
    pub(super) fn decided(&self, condition: &Condition<Tree>, has: &[Has]) -> Option<bool> {
        let is_nothing = has.iter().all(|has| *has == Has::Nothing);
        of_zeros(condition, self.dtype).filter(|_| is_nothing)
    }
}
