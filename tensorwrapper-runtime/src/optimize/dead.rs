//! Leaves out what nobody needs.

use super::rewrite::{keep, rewrite_reading};
use crate::graph::OpGraph;

/// The same graph without operations of which no result is read or wanted.
pub(super) fn dead(graph: &OpGraph) -> OpGraph {
    let mut needed = vec![false; graph.tensors().len()];
    graph.sinks().iter().for_each(|sink| needed[sink.0] = true);
    for node in graph.operations().iter().rev() {
        if node.outputs.iter().any(|edge| needed[edge.tensor.0]) {
            node.inputs.iter().for_each(|edge| needed[edge.tensor.0] = true);
        }
    }
    rewrite_reading(graph, |result, _, node, read| match node.outputs.iter().any(|edge| needed[edge.tensor.0]) {
        true => keep(graph, result, node, node.inputs.iter().map(read).collect()),
        false => Vec::new(),
    })
}
