//! Sums of products, with or without an epilogue.

use std::ops::RangeInclusive;

use num_complex::Complex;

use super::meaning::{Meaning, space};
use crate::backend::{Instruction, Program};
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

pub(super) struct Contract<'o> {
    pub(super) alpha: Complex<f64>,
    pub(super) then: Option<&'o Program>,
}

impl Contract<'_> {
    /// The number of inputs of the epilogue, without the sum.
    fn others(&self) -> usize {
        self.then.map_or(0, |program| program.inputs().saturating_sub(1))
    }
}

impl Meaning for Contract<'_> {
    fn name(&self) -> &'static str {
        "contract"
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        // What is computed then belongs to two factors.
        let least = if self.then.is_some() { 2 + self.others() } else { 0 };
        least..=usize::MAX
    }

    fn fault(&self, _: &OpGraph, node: &OperationNode) -> Option<String> {
        let program = self.then?;
        let output = node.outputs[0].labels();
        let is_summed = node.inputs[2..].iter().flat_map(|edge| edge.labels()).find(|label| !output.contains(label));
        if let Some(label) = is_summed {
            return Some(format!("label {label} is summed, and what is computed with the sum reads it"));
        }
        let is_foreign = |instruction: &Instruction| matches!(instruction, Instruction::Converted(_) | Instruction::Call(..));
        let message = "what is computed with the sum converts elements or calls functions";
        program.instructions().iter().any(is_foreign).then(|| message.to_string())
    }

    fn adds(&self) -> bool {
        true
    }

    /// Multiplications of the product, pair by pair as its factors stand: the extents of all its labels.
    fn cost(&self, node: &OperationNode) -> f64 {
        let factors = node.inputs.len() - self.others();
        let result: f64 = node.outputs[0].labels().iter().map(|&label| node.extents[label] as f64).product();
        space(node) * factors.saturating_sub(1).max(1) as f64 + self.then.map_or(0.0, |program| result * program.steps() as f64)
    }

    fn functions(&self) -> usize {
        self.then.map_or(0, Program::functions)
    }

    fn reads_in_any_order(&self) -> bool {
        true
    }

    fn writes_in_any_order(&self) -> bool {
        true
    }

    fn relabelled(&self, _: &dyn Fn(Label) -> Label) -> Option<Operation> {
        Some(Operation::Contract { alpha: self.alpha, then: self.then.cloned() })
    }
}
