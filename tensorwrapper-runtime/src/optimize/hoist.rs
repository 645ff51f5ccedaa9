//! Splits a graph into a part that is computed once, because it does not depend on the tensors that change, and a part that
//! each run computes from the results of the first.

use tensorwrapper_core::graph::{OpGraph, OperationNode, Rewriter, TensorId};

/// A graph in two parts. Both have all sources of the whole graph; the second also has the sinks of the first as further
/// sources, in order.
pub(crate) struct Hoisted {
    pub(crate) once: OpGraph,
    pub(crate) each: OpGraph,
}

/// Which tensors depend on nothing but the sources that `is_kept` tells by their slots.
pub(super) fn kept(graph: &OpGraph, is_kept: &[bool]) -> Vec<bool> {
    let mut kept = vec![false; graph.tensors().len()];
    for (n, tensor) in graph.tensors().iter().enumerate() {
        kept[n] = tensor.slot.is_some_and(|slot| is_kept.get(slot).copied().unwrap_or(false));
    }
    for node in graph.operations() {
        // A function of the program's may be another one in each run. What is made of numbers alone is filled in each run
        // rather than copied.
        let calls = node.operation.functions() > 0;
        let is_kept = !calls && !node.inputs.is_empty() && node.inputs.iter().all(|edge| kept[edge.tensor.0]);
        node.outputs.iter().for_each(|edge| kept[edge.tensor.0] = is_kept);
    }
    kept
}

/// The graph in two parts, by the slots of the sources that stay as they are.
pub(crate) fn hoist(graph: &OpGraph, is_kept: &[bool]) -> Hoisted {
    let kept = kept(graph, is_kept);
    let makes_kept = |node: &OperationNode| node.outputs.iter().all(|edge| kept[edge.tensor.0]);
    // What the other part reads, or wants.
    let mut is_read = vec![false; graph.tensors().len()];
    let reads = graph.operations().iter().filter(|node| !makes_kept(node)).flat_map(|node| &node.inputs).map(|edge| edge.tensor);
    reads.chain(graph.sinks().iter().copied()).for_each(|tensor| is_read[tensor.0] = true);
    let handed = |tensor: TensorId| kept[tensor.0] && is_read[tensor.0] && graph.tensor(tensor).producer.is_some();
    let (mut once, mut each) = (Rewriter::new(graph), Rewriter::new(graph));
    for tensor in graph.tensor_ids().filter(|&tensor| handed(tensor)) {
        let source = each.graph_mut().add_source_like(graph.tensor(tensor));
        each.replace(tensor, source);
    }
    for node in graph.operations() {
        let part = if makes_kept(node) { &mut once } else { &mut each };
        let made = part.keep(node);
        part.set(node, &made);
    }
    for tensor in graph.tensor_ids().filter(|&tensor| handed(tensor)) {
        once.want(tensor);
    }
    for &sink in graph.sinks() {
        // Each run gives results of its own, those that are kept as copies.
        if handed(sink) {
            let tensor = each.moved(sink).expect("what is handed on is a source");
            let copy = each.graph_mut().add_copy(tensor);
            each.graph_mut().add_sink(copy);
        } else {
            each.want(sink);
        }
    }
    Hoisted { once: once.into_graph(), each: each.into_graph() }
}
