//! Products that are made in parts.

use std::ops::RangeInclusive;

use super::meaning::Meaning;
use crate::graph::edge::Edge;
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

pub(super) struct Sliced<'o> {
    pub(super) parts: &'o [(Label, usize)],
    pub(super) body: &'o OpGraph,
}

impl Meaning for Sliced<'_> {
    fn name(&self) -> &'static str {
        "parts"
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        let sources = self.body.sources().len();
        sources..=sources
    }

    /// A body that does not compute the parts.
    fn fault(&self, _: &OpGraph, node: &OperationNode) -> Option<String> {
        let mut extents = node.extents.clone();
        for &(label, length) in self.parts {
            match extents.get_mut(label) {
                Some(extent) if length > 0 && extent.is_multiple_of(length) => *extent = length,
                _ => return Some(format!("parts of {length} do not make label {label}")),
            }
        }
        let part = |edge: &Edge| edge.labels().iter().map(|&label| extents[label]).collect::<Vec<_>>();
        let sources = self.body.sources().map(|source| &self.body.tensor(source).extents);
        let is_wanted = || self.body.sinks().iter().map(|sink| self.body.tensors().get(sink.0));
        if !sources.eq(&node.inputs.iter().map(part).collect::<Vec<_>>())
            || !is_wanted().map(|sink| sink.map(|node| &node.extents)).eq([Some(&part(&node.outputs[0]))])
        {
            return Some("its body is of other extents than its parts".to_string());
        }
        if is_wanted().flatten().any(|sink| sink.producer.is_none()) {
            return Some("its body computes nothing".to_string());
        }
        if self.body.functions() > 0 {
            return Some("its body calls functions of the program's".to_string());
        }
        self.body.verify().err().map(|error| format!("in its body {error}"))
    }

    fn cost(&self, node: &OperationNode) -> f64 {
        node.parts() * self.body.cost()
    }

    fn reads_in_any_order(&self) -> bool {
        false
    }

    fn writes_in_any_order(&self) -> bool {
        false
    }

    fn relabelled(&self, new: &dyn Fn(Label) -> Label) -> Option<Operation> {
        let parts = self.parts.iter().map(|&(label, length)| (new(label), length)).collect();
        Some(Operation::Sliced { parts, body: Box::new(self.body.clone()) })
    }
}
