//! The frame of passes that replace operations one by one.

use crate::graph::{Edge, Label, OpGraph, OperationNode, TensorId};

/// The same graph with each operation made by `make`, which gets the new graph, the operation, and its inputs there, and
/// tells the tensors that stand for its outputs.
pub(super) fn rewrite(
    graph: &OpGraph,
    mut make: impl FnMut(&mut OpGraph, &OperationNode, Vec<Edge>) -> Vec<TensorId>,
) -> OpGraph {
    let mut result = OpGraph::new();
    // Tensors of the old graph by their numbers in the new one.
    let mut moved: Vec<Option<TensorId>> = vec![None; graph.tensors().len()];
    for source in graph.sources() {
        let node = graph.tensor(source);
        moved[source.0] = Some(result.add_source(node.extents.clone(), node.dtype));
    }
    for node in graph.operations() {
        let new = |tensor: TensorId| moved[tensor.0].expect("operations stand in an order in which they can run");
        let inputs: Vec<Edge> = node.inputs.iter().map(|e| Edge { tensor: new(e.tensor), ..e.clone() }).collect();
        let made = make(&mut result, node, inputs);
        for (edge, tensor) in node.outputs.iter().zip(made) {
            moved[edge.tensor.0] = Some(tensor);
        }
    }
    for sink in graph.sinks() {
        result.add_sink(moved[sink.0].expect("every tensor has moved"));
    }
    result
}

/// The operation as it was, over its inputs in the new graph.
pub(super) fn keep(graph: &OpGraph, result: &mut OpGraph, node: &OperationNode, inputs: Vec<Edge>) -> Vec<TensorId> {
    let labels: Vec<Vec<Label>> = node.outputs.iter().map(Edge::labels).collect();
    let outputs: Vec<_> = node.outputs.iter().zip(&labels).map(|(e, l)| (l.as_slice(), graph.tensor(e.tensor).dtype)).collect();
    result.add_operation(node.operation.clone(), inputs, &outputs, node.extents.clone())
}
