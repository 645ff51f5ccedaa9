//! The same elements with other extents.

use std::ops::RangeInclusive;

use super::meaning::Meaning;
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

pub(super) struct Reshape;

impl Meaning for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=1
    }

    fn fault(&self, graph: &OpGraph, node: &OperationNode) -> Option<String> {
        let [from, to] = [&node.inputs[0], &node.outputs[0]].map(|edge| &graph.tensor(edge.tensor).extents);
        if !node.inputs[0].is_whole(from, &node.extents) {
            return Some("it reads a part of a tensor".to_string());
        }
        let elements = |extents: &[usize]| extents.iter().fold(1usize, |all, &extent| all.saturating_mul(extent));
        (elements(from) != elements(to)).then(|| "its extents make another number of elements".to_string())
    }

    fn cost(&self, _: &OperationNode) -> f64 {
        0.0
    }

    fn reads_in_any_order(&self) -> bool {
        false
    }

    fn writes_in_any_order(&self) -> bool {
        false
    }

    fn relabelled(&self, _: &dyn Fn(Label) -> Label) -> Option<Operation> {
        Some(Operation::Reshape)
    }
}
