//! What a graph costs: operations, and elements that pass through memory.

use std::ops::Range;

use tensorwrapper_core::backend::{Instruction, Program};
use tensorwrapper_core::graph::{Label, OpGraph, Operation, OperationNode, TensorId};

/// Operations of a graph; see [`operation`].
pub(crate) fn operations(graph: &OpGraph) -> f64 {
    graph.operations().iter().map(operation).sum()
}

/// Multiplications of a product, pair by pair as its factors stand: the extents of all its labels. Else what is done with each
/// element of the space.
pub(crate) fn operation(node: &OperationNode) -> f64 {
    let space: f64 = node.extents.iter().map(|&extent| extent as f64).product();
    let result: f64 = node.outputs[0].labels().iter().map(|&label| node.extents[label] as f64).product();
    match &node.operation {
        Operation::Contract { then, .. } => {
            let factors = node.inputs.len() - then.as_ref().map_or(0, |program| program.inputs() - 1);
            space * factors.saturating_sub(1).max(1) as f64 + then.as_ref().map_or(0.0, |program| result * steps(program))
        }
        Operation::Map { program, .. } => {
            let folds = if node.outputs[0].axes.len() < node.extents.len() { 1.0 } else { 0.0 };
            space * (steps(program) + folds)
        }
        // Every one of them is of third order in the extents of its matrices.
        Operation::Factorise(call) => {
            let size = |labels: Range<usize>| node.extents[labels].iter().map(|&extent| extent as f64).product::<f64>();
            let (first, second) = (call.batch + call.roles[0], call.batch + call.roles[0] + call.roles[1]);
            let (rows, columns) = (size(call.batch..first), size(first..second));
            size(0..call.batch) * rows * columns * rows.min(columns)
        }
        Operation::Sliced { parts: cut, body } => parts(node, cut) * operations(body),
        Operation::Reshape | Operation::Write { .. } => 0.0,
    }
}

/// How many parts there are of an operation that is made in parts of these lengths.
pub(crate) fn parts(node: &OperationNode, cut: &[(Label, usize)]) -> f64 {
    cut.iter().map(|&(label, length)| (node.extents[label] / length) as f64).product()
}

/// The most bytes that intermediates and results take at once, where each goes after its last reader.
pub(crate) fn peak_bytes(graph: &OpGraph) -> f64 {
    let bytes = |tensor: TensorId| {
        let node = graph.tensor(tensor);
        node.extents.iter().map(|&extent| extent as f64).product::<f64>() * node.dtype.size() as f64
    };
    let mut last = vec![None; graph.tensors().len()];
    for (number, node) in graph.operations().iter().enumerate() {
        node.inputs.iter().chain(&node.outputs).for_each(|edge| last[edge.tensor.0] = Some(number));
    }
    graph.sinks().iter().for_each(|sink| last[sink.0] = None);
    let (mut now, mut peak) = (0.0, 0.0f64);
    for (number, node) in graph.operations().iter().enumerate() {
        now += node.outputs.iter().map(|edge| bytes(edge.tensor)).sum::<f64>();
        peak = peak.max(now);
        let mut gone: Vec<TensorId> = node.inputs.iter().chain(&node.outputs).map(|edge| edge.tensor).collect();
        gone.sort_unstable();
        gone.dedup();
        gone.retain(|tensor| last[tensor.0] == Some(number) && graph.tensor(*tensor).producer.is_some());
        now -= gone.into_iter().map(bytes).sum::<f64>();
    }
    peak
}

/// Operations of a program on each element.
fn steps(program: &Program) -> f64 {
    let counts = |instruction: &&Instruction| match instruction {
        Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => false,
        Instruction::Negate(_)
        | Instruction::Apply(..)
        | Instruction::PowerInteger(..)
        | Instruction::PowerReal(..)
        | Instruction::Combine(..)
        | Instruction::Call(..) => true,
    };
    program.instructions().iter().filter(counts).count() as f64
}
