//! Tensors of truth values as operands: where an equation is computed, they are numbers that live as long as its run.

use super::site::Tensor;
use super::ticket::Ticket;
use crate::expr::{Operand, OperandData, Truth, truth_numbers};

/// Truth values, and the numbers that a run reads in their place. Plans know where these lie, and so are found again.
#[derive(Debug)]
pub struct MaskNumbers<'a, S> {
    numbers: Option<crate::tensor::Tensor<f32>>,
    given: Operand<'a, f32, S, Truth>,
}

impl<'a, S> MaskNumbers<'a, S> {
    pub(super) fn new(given: Operand<'a, f32, S, Truth>) -> Self {
        // Without memory for them the truth values are passed on, and whoever reads them reports that.
        let numbers = if let OperandData::Truth(data, layout) = &given.given { truth_numbers(data, layout).ok() } else { None };
        MaskNumbers { numbers, given }
    }

    /// Its types, and the tensor without them.
    pub fn apart(&self) -> (Ticket<f32, S, Truth>, Tensor<'_>) {
        let given = match &self.numbers {
            Some(numbers) => {
                let (data, layout) = numbers.parts();
                OperandData::Elements(data, layout)
            }
            None => self.given.given.clone(),
        };
        (Ticket::new(usize::MAX), Tensor(given))
    }
}

/// Truth values of a recording, which may be computed long after the block.
#[derive(Debug)]
pub struct RecordedMask<'a, S>(pub(super) Operand<'a, f32, S, Truth>);

impl<'a, S> RecordedMask<'a, S> {
    /// Its types, and the tensor without them.
    pub fn apart(&self) -> (Ticket<f32, S, Truth>, Tensor<'a>) {
        (Ticket::new(usize::MAX), Tensor(self.0.given.clone()))
    }
}
