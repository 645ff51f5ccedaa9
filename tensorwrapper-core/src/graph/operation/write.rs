//! A tensor written over a part of another.

use std::ops::RangeInclusive;

use super::meaning::Meaning;
use crate::graph::edge::{Edge, EdgeAxis};
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};
use crate::graph::verify::edge_fault;

pub(super) struct Write<'o>(pub(super) &'o [EdgeAxis]);

impl Meaning for Write<'_> {
    fn name(&self) -> &'static str {
        "write"
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=2
    }

    /// A place that does not lie inside of the output, or is not written once by each element of the part.
    fn fault(&self, graph: &OpGraph, node: &OperationNode) -> Option<String> {
        let output = &node.outputs[0];
        let place = Edge { axes: self.0.to_vec(), ..output.clone() };
        if let Some(message) = edge_fault(&place, &graph.tensor(output.tensor).extents, &node.extents) {
            return Some(format!("the place that it writes: {message}"));
        }
        let sorted = |edge: &Edge| {
            let mut labels = edge.labels();
            labels.sort_unstable();
            labels
        };
        let (part, base) = node.inputs.split_last()?;
        if sorted(part) != sorted(&place) {
            return Some("the part that it writes has other labels than its place".to_string());
        }
        let differs = base.iter().any(|base| sorted(base) != sorted(output));
        differs.then(|| "what it writes over has other labels than its output".to_string())
    }

    fn cost(&self, _: &OperationNode) -> f64 {
        0.0
    }

    fn reads_in_any_order(&self) -> bool {
        true
    }

    fn writes_in_any_order(&self) -> bool {
        false
    }

    fn relabelled(&self, new: &dyn Fn(Label) -> Label) -> Option<Operation> {
        Some(Operation::Write { part: self.0.iter().map(|axis| axis.relabelled(new)).collect() })
    }
}
