//! The promises of a graph. They are checked after every pass in debug builds, and always if a graph comes from outside.

use tensorwrapper_notation::sentence::counted;

use super::edge::{Edge, EdgeAxis};
use super::nodes::{OpGraph, OperationNode, Structure};
use crate::error::{Error, ErrorKind};

impl OpGraph {
    /// Checks that the graph keeps its promises. In debug builds this follows every pass.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`], naming the operation and what is wrong with it.
    pub fn verify(&self) -> Result<(), Error> {
        for (n, node) in self.operations.iter().enumerate() {
            if let Some(message) = node_fault(self, n, node) {
                return Err(Error::new(ErrorKind::Shape(format!("operation {n} of the graph: {message}"))));
            }
        }
        match self.sinks.iter().find(|sink| sink.0 >= self.tensors.len()) {
            Some(sink) => Err(Error::new(ErrorKind::Shape(format!("the graph wants tensor {}, which does not exist", sink.0)))),
            None => Ok(()),
        }
    }
}

/// What is wrong with the operation of a number.
fn node_fault(graph: &OpGraph, n: usize, node: &OperationNode) -> Option<String> {
    for edge in &node.inputs {
        let Some(tensor) = graph.tensors.get(edge.tensor.0) else {
            return Some(format!("reads tensor {}, which does not exist", edge.tensor.0));
        };
        if tensor.producer.is_some_and(|p| p.0 >= n) {
            return Some(format!("reads tensor {}, which is not computed before it", edge.tensor.0));
        }
        // Passes lower other structures to dense tensors before anything is planned.
        if tensor.structure != Structure::Dense {
            return Some(format!("reads tensor {}, which is not dense", edge.tensor.0));
        }
        if let Some(message) = edge_fault(edge, &tensor.extents, &node.extents) {
            return Some(message);
        }
    }
    for edge in &node.outputs {
        let tensor = &graph.tensors[edge.tensor.0];
        if tensor.producer.map(|p| p.0) != Some(n) {
            return Some(format!("writes tensor {}, which belongs to another", edge.tensor.0));
        }
        if edge.labels().len() != edge.axes.len()
            || edge.axes.iter().any(|a| matches!(a, EdgeAxis::Chip(_) | EdgeAxis::Label { start: 1.., .. }))
        {
            return Some("writes a part of a tensor".to_string());
        }
        if let Some(message) = edge_fault(edge, &tensor.extents, &node.extents) {
            return Some(message);
        }
    }
    node.fault(graph)
}

/// An edge whose labels do not fit its tensor, given the extents of both.
pub(super) fn edge_fault(edge: &Edge, extents: &[usize], labels: &[usize]) -> Option<String> {
    let tensor = edge.tensor.0;
    if edge.axes.len() != extents.len() {
        return Some(format!("gives {} to tensor {tensor}, whose rank is {}", counted(edge.axes.len(), "index"), extents.len()));
    }
    edge.axes.iter().zip(extents).enumerate().find_map(|(axis, (&index, &extent))| match index {
        EdgeAxis::Label { label, .. } if label >= labels.len() => Some(format!("label {label} does not exist")),
        EdgeAxis::Label { label, start } => {
            let end = start.saturating_add(labels[label]);
            (end > extent)
                .then(|| format!("label {label} runs to {end} on axis {axis} of tensor {tensor}, which has extent {extent}"))
        }
        EdgeAxis::Chip(position) => {
            (position >= extent).then(|| format!("position {position} is outside of axis {axis} of tensor {tensor}"))
        }
    })
}
