//! Leaves out what nobody needs.

use super::rewrite::{keep, rewrite_reading};
use tensorwrapper_core::graph::{OpGraph, OperationNode};

/// The same graph without operations of which no result is read or wanted; none where there are no such operations.
pub(super) fn dead(graph: &OpGraph) -> Option<OpGraph> {
    let mut needed = vec![false; graph.tensors().len()];
    graph.sinks().iter().for_each(|sink| needed[sink.0] = true);
    for node in graph.operations().iter().rev() {
        if node.outputs.iter().any(|edge| needed[edge.tensor.0]) {
            node.inputs.iter().for_each(|edge| needed[edge.tensor.0] = true);
        }
    }
    let is_needed = |node: &OperationNode| node.outputs.iter().any(|edge| needed[edge.tensor.0]);
    (!graph.operations().iter().all(is_needed)).then(|| {
        rewrite_reading(graph, |result, _, node, read| match is_needed(node) {
            true => keep(graph, result, node, node.inputs.iter().map(read).collect()),
            false => Vec::new(),
        })
    })
}
