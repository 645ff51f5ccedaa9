//! What does not depend on the tensors that change is computed once: a graph is cut into what is computed before all runs, and
//! what each run computes from that.

use super::rewrite::{begun, keep};
use tensorwrapper_core::backend::{Instruction, Program, Reduction};
use tensorwrapper_core::graph::{Edge, Label, OpGraph, Operation, OperationNode, TensorId};

/// A graph in two parts. Both have all sources of the whole; what the first part's sinks are, the second has as further sources, in
/// their order.
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
        // What is made of numbers alone is filled in each run rather than copied.
        let is_kept = !calls(node) && !node.inputs.is_empty() && node.inputs.iter().all(|edge| kept[edge.tensor.0]);
        node.outputs.iter().for_each(|edge| kept[edge.tensor.0] = is_kept);
    }
    kept
}

/// A function of the program's may be another one in each run.
fn calls(node: &OperationNode) -> bool {
    match &node.operation {
        Operation::Map { program, .. } | Operation::Contract { then: Some(program), .. } => program.functions() > 0,
        Operation::Contract { then: None, .. }
        | Operation::Sliced { .. }
        | Operation::Factorise(_)
        | Operation::Reshape
        | Operation::Write { .. } => false,
    }
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
    let (mut once, mut first) = begun(graph);
    let (mut each, mut second) = begun(graph);
    for tensor in graph.tensor_ids().filter(|&tensor| handed(tensor)) {
        let node = graph.tensor(tensor);
        second[tensor.0] = Some(each.add_source(node.extents.clone(), node.dtype));
    }
    for node in graph.operations() {
        let (result, moved) = if makes_kept(node) { (&mut once, &mut first) } else { (&mut each, &mut second) };
        let new = |edge: &Edge| Edge { tensor: moved[edge.tensor.0].expect("it is computed before"), ..edge.clone() };
        let inputs = node.inputs.iter().map(new).collect();
        for (edge, tensor) in node.outputs.iter().zip(keep(graph, result, node, inputs)) {
            moved[edge.tensor.0] = Some(tensor);
        }
    }
    for tensor in graph.tensor_ids().filter(|&tensor| handed(tensor)) {
        once.add_sink(first[tensor.0].expect("what is handed on is computed"));
    }
    for sink in graph.sinks() {
        let tensor = second[sink.0].expect("what is wanted is computed or handed on");
        // Each run gives results of its own, those that are kept as copies.
        let tensor = if handed(*sink) { copied(&mut each, tensor) } else { tensor };
        each.add_sink(tensor);
    }
    Hoisted { once, each }
}

/// The same elements in memory of their own.
fn copied(graph: &mut OpGraph, tensor: TensorId) -> TensorId {
    let (extents, dtype) = (graph.tensor(tensor).extents.clone(), graph.tensor(tensor).dtype);
    let labels: Vec<Label> = (0..extents.len()).collect();
    let operation = Operation::Map { program: Program::new(vec![Instruction::Input(0)]), reduction: Reduction::Sum };
    graph.add_operation(operation, vec![Edge::whole(tensor, &labels)], &[(&labels, dtype)], extents)[0]
}
