//! Element-wise programs, and reductions of their values.

use std::ops::RangeInclusive;

use super::meaning::{Meaning, folds, space};
use crate::backend::{Instruction, Program, Reduction};
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

pub(super) struct Map<'o> {
    pub(super) program: &'o Program,
    pub(super) reduction: Reduction,
}

impl Meaning for Map<'_> {
    fn name(&self) -> &'static str {
        "map"
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        self.program.inputs()..=usize::MAX
    }

    fn fault(&self, graph: &OpGraph, node: &OperationNode) -> Option<String> {
        let dtype = graph.tensor(node.outputs[0].tensor).dtype;
        let compares = matches!(self.reduction, Reduction::Max | Reduction::Min);
        (compares && folds(node) && dtype.is_complex()).then(|| format!("elements of type {dtype} have no order"))
    }

    fn converts(&self, input: usize) -> bool {
        !self.program.instructions().contains(&Instruction::Input(input))
    }

    fn adds(&self) -> bool {
        self.reduction == Reduction::Sum
    }

    fn cost(&self, node: &OperationNode) -> f64 {
        space(node) * (self.program.steps() as f64 + if folds(node) { 1.0 } else { 0.0 })
    }

    fn functions(&self) -> usize {
        self.program.functions()
    }

    fn reads_in_any_order(&self) -> bool {
        true
    }

    fn writes_in_any_order(&self) -> bool {
        true
    }

    fn relabelled(&self, _: &dyn Fn(Label) -> Label) -> Option<Operation> {
        Some(Operation::Map { program: self.program.clone(), reduction: self.reduction })
    }
}
