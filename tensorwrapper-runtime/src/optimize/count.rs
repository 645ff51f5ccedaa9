//! What a graph costs: operations, and elements that pass through memory.

use crate::backend::{Instruction, Program};
use crate::graph::{OpGraph, Operation, OperationNode, TensorId};

/// Multiplications of all products, pair by pair as they stand, and operations of all programs.
pub(crate) fn operations(graph: &OpGraph) -> f64 {
    let of = |node: &OperationNode| {
        let points: f64 = node.extents.iter().map(|&extent| extent as f64).product();
        let results: f64 = node.outputs[0].labels().iter().map(|&label| node.extents[label] as f64).product();
        match &node.operation {
            Operation::Contract { then, .. } => {
                let factors = node.inputs.len() - then.as_ref().map_or(0, |program| program.inputs() - 1);
                points * factors.saturating_sub(1).max(1) as f64 + results * then.as_ref().map_or(0.0, steps)
            }
            Operation::Map { program, .. } => points * steps(program),
            Operation::Factorise(_) => points,
            Operation::Reshape | Operation::Write { .. } => 0.0,
        }
    };
    graph.operations().iter().map(of).sum()
}

/// Elements of all tensors that operations compute.
pub(crate) fn elements(graph: &OpGraph) -> f64 {
    let size = |extents: &[usize]| extents.iter().map(|&extent| extent as f64).product::<f64>();
    graph.tensors().iter().filter(|node| node.producer.is_some()).map(|node| size(&node.extents)).sum()
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
    let computes = |instruction: &&Instruction| {
        !matches!(instruction, Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_))
    };
    program.instructions().iter().filter(computes).count() as f64
}
