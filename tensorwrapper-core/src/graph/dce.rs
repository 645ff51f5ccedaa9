//! Dead-code elimination: removes operations whose results are neither read nor wanted.

use super::nodes::{OpGraph, OperationNode};
use super::rewrite::Rewriter;

impl OpGraph {
    /// The same graph without operations whose results are neither read nor wanted; `None` if there are no such operations. All sources
    /// stay.
    pub fn without_dead(&self) -> Option<OpGraph> {
        let mut needed = vec![false; self.tensors.len()];
        self.sinks.iter().for_each(|sink| needed[sink.0] = true);
        for (_, node) in self.backwards() {
            if node.outputs.iter().any(|edge| needed[edge.tensor.0]) {
                node.inputs.iter().for_each(|edge| needed[edge.tensor.0] = true);
            }
        }
        let is_needed = |node: &OperationNode| node.outputs.iter().any(|edge| needed[edge.tensor.0]);
        (!self.operations.iter().all(is_needed)).then(|| {
            Rewriter::run(self, |rewriter, _, node| match is_needed(node) {
                true => rewriter.keep(node),
                false => Vec::new(),
            })
        })
    }
}
