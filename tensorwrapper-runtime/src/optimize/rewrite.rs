//! The frame of passes that replace operations one by one.

use tensorwrapper_core::graph::{Edge, Label, OpGraph, OperationNode, TensorId};

/// The same graph with each operation made by `make`, which gets the new graph, the operation, and its inputs there, and
/// tells the tensors that stand for its outputs.
pub(super) fn rewrite(
    graph: &OpGraph,
    mut make: impl FnMut(&mut OpGraph, &OperationNode, Vec<Edge>) -> Vec<TensorId>,
) -> OpGraph {
    rewrite_reading(graph, |result, _, node, read| make(result, node, node.inputs.iter().map(read).collect()))
}

/// The same where `make` also gets the operation's number, and says itself what it reads in the new graph. It tells no tensors for
/// an operation that is left out, whose outputs nothing may read then.
pub(super) fn rewrite_reading(
    graph: &OpGraph,
    mut make: impl FnMut(&mut OpGraph, usize, &OperationNode, &dyn Fn(&Edge) -> Edge) -> Vec<TensorId>,
) -> OpGraph {
    let (mut result, mut moved) = begun(graph);
    for (number, node) in graph.operations().iter().enumerate() {
        let new = |tensor: TensorId| moved[tensor.0].expect("operations stand in an order in which they can run");
        let made = make(&mut result, number, node, &|edge| Edge { tensor: new(edge.tensor), ..edge.clone() });
        for (edge, tensor) in node.outputs.iter().zip(made) {
            moved[edge.tensor.0] = Some(tensor);
        }
    }
    for sink in graph.sinks() {
        result.add_sink(moved[sink.0].expect("every wanted tensor has moved"));
    }
    result
}

/// The operation as it was, over its inputs in the new graph.
pub(super) fn keep(graph: &OpGraph, result: &mut OpGraph, node: &OperationNode, inputs: Vec<Edge>) -> Vec<TensorId> {
    let labels: Vec<Vec<Label>> = node.outputs.iter().map(Edge::labels).collect();
    let outputs: Vec<_> = node.outputs.iter().zip(&labels).map(|(e, l)| (l.as_slice(), graph.tensor(e.tensor).dtype)).collect();
    let made = result.add_operation(node.operation.clone(), inputs, &outputs, node.extents.clone());
    result.name_last_as(graph, node, 0..node.extents.len());
    made
}

/// A graph of all sources of another, with the names of its labels, and which of its tensors these are.
pub(super) fn begun(graph: &OpGraph) -> (OpGraph, Vec<Option<TensorId>>) {
    let mut result = OpGraph::with_capacity(graph.sources().len(), graph.operations().len());
    let mut moved = vec![None; graph.tensors().len()];
    result.names_of(graph);
    for source in graph.sources() {
        let node = graph.tensor(source);
        moved[source.0] = Some(result.add_source(node.extents.clone(), node.dtype));
    }
    (result, moved)
}
