//! Places of extremes: at which index of a label the values of a program are largest or smallest.

use std::ops::RangeInclusive;

use super::map::Map;
use super::meaning::{Meaning, space};
use crate::backend::{Program, Reduction};
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

pub(super) struct Place<'o> {
    pub(super) program: &'o Program,
    pub(super) extreme: Reduction,
}

impl Place<'_> {
    /// The reduction to the value that the place is of.
    fn value(&self) -> Map<'_> {
        Map { program: self.program, reduction: self.extreme }
    }
}

impl Meaning for Place<'_> {
    fn name(&self) -> &'static str {
        "place"
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        self.value().inputs()
    }

    fn fault(&self, graph: &OpGraph, node: &OperationNode) -> Option<String> {
        if !matches!(self.extreme, Reduction::Max | Reduction::Min) {
            return Some("sums and products are at no place".to_string());
        }
        match node.folded_labels()[..] {
            [_] => self.value().fault(graph, node),
            _ => Some("a place is the index of one label".to_string()),
        }
    }

    fn converts(&self, input: usize) -> bool {
        self.value().converts(input)
    }

    fn cost(&self, node: &OperationNode) -> f64 {
        space(node) * (self.program.steps() as f64 + 1.0)
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
        Some(Operation::Place { program: self.program.clone(), extreme: self.extreme })
    }
}
