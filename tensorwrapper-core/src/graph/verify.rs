//! The promises of a graph, checked after every pass in debug builds.

use super::{Edge, EdgeAxis, Instruction, Label, OpGraph, Operation, OperationNode};
use crate::error::{Error, ErrorKind};

pub fn verify(graph: &OpGraph) -> Result<(), Error> {
    for (n, node) in graph.operations.iter().enumerate() {
        let refuse = |message: String| Err(Error::new(ErrorKind::Shape(format!("operation {n} of the graph: {message}"))));
        for edge in &node.inputs {
            let Some(tensor) = graph.tensors.get(edge.tensor.0) else {
                return refuse(format!("reads tensor {}, which does not exist", edge.tensor.0));
            };
            if tensor.producer.is_some_and(|p| p.0 >= n) {
                return refuse(format!("reads tensor {}, which is not computed before it", edge.tensor.0));
            }
            if let Some(message) = edge_fault(edge, &tensor.extents, &node.extents) {
                return refuse(message);
            }
        }
        for edge in &node.outputs {
            let tensor = &graph.tensors[edge.tensor.0];
            if tensor.producer.map(|p| p.0) != Some(n) {
                return refuse(format!("writes tensor {}, which belongs to another", edge.tensor.0));
            }
            if edge.labels().len() != edge.axes.len()
                || edge.axes.iter().any(|a| matches!(a, EdgeAxis::Chip(_) | EdgeAxis::Label { start: 1.., .. }))
            {
                return refuse("writes a part of a tensor".to_string());
            }
            if let Some(message) = edge_fault(edge, &tensor.extents, &node.extents) {
                return refuse(message);
            }
        }
        if let Some(message) = operation_fault(graph, node) {
            return refuse(message);
        }
    }
    match graph.sinks.iter().find(|sink| sink.0 >= graph.tensors.len()) {
        Some(sink) => Err(Error::new(ErrorKind::Shape(format!("the graph wants tensor {}, which does not exist", sink.0)))),
        None => Ok(()),
    }
}

/// An edge whose labels do not fit its tensor.
fn edge_fault(edge: &Edge, extents: &[usize], labels: &[usize]) -> Option<String> {
    let tensor = edge.tensor.0;
    if edge.axes.len() != extents.len() {
        return Some(format!("{} axes are labelled of tensor {tensor}, which has {}", edge.axes.len(), extents.len()));
    }
    edge.axes.iter().zip(extents).enumerate().find_map(|(axis, (&index, &extent))| match index {
        EdgeAxis::Label { label, .. } if label >= labels.len() => Some(format!("label {label} does not exist")),
        EdgeAxis::Label { label, start } if start + labels[label] > extent => Some(format!(
            "label {label} runs to {} on axis {axis} of tensor {tensor}, which has extent {extent}",
            start + labels[label]
        )),
        EdgeAxis::Chip(position) if position >= extent => {
            Some(format!("position {position} is outside of axis {axis} of tensor {tensor}"))
        }
        _ => None,
    })
}

/// Inputs and outputs that do not fit the operation.
fn operation_fault(graph: &OpGraph, node: &OperationNode) -> Option<String> {
    let (inputs, outputs) = match &node.operation {
        Operation::Contract { then, .. } => {
            let least = then.as_ref().map_or(0, |program| 1 + program.inputs());
            (node.inputs.len().max(least), 1)
        }
        Operation::Map { program, .. } => (program.inputs().max(node.inputs.len()), 1),
        Operation::Sliced { body, .. } => (body.sources().count(), 1),
        Operation::Reshape => (1, 1),
        Operation::Factorise(call) => {
            let form = call.form();
            (node.inputs.len().clamp(form.least_arguments, form.arguments.len()), form.results.len())
        }
        Operation::Write { .. } => (node.inputs.len().clamp(1, 2), 1),
    };
    if (inputs, outputs) != (node.inputs.len(), node.outputs.len()) {
        return Some(format!("{} inputs and {} outputs do not fit it", node.inputs.len(), node.outputs.len()));
    }
    let elements =
        |edge: &Edge| graph.tensors[edge.tensor.0].extents.iter().fold(1usize, |all, &extent| all.saturating_mul(extent));
    if node.operation == Operation::Reshape && elements(&node.inputs[0]) != elements(&node.outputs[0]) {
        return Some("its extents make another number of elements".to_string());
    }
    if let Operation::Sliced { parts, body } = &node.operation
        && let Some(message) = body_fault(node, parts, body)
    {
        return Some(message);
    }
    let converts = |n: usize| match &node.operation {
        Operation::Map { program, .. } => !program.instructions().contains(&Instruction::Input(n)),
        Operation::Factorise(_) => true,
        Operation::Contract { .. } | Operation::Sliced { .. } | Operation::Reshape | Operation::Write { .. } => false,
    };
    let dtype = graph.tensors[node.outputs[outputs - 1].tensor.0].dtype;
    let differs = |(n, edge): (usize, &Edge)| graph.tensors[edge.tensor.0].dtype != dtype && !converts(n);
    if node.inputs.iter().enumerate().any(differs) {
        return Some("its element types do not agree".to_string());
    }
    None
}

/// A body that does not compute the parts.
fn body_fault(node: &OperationNode, parts: &[(Label, usize)], body: &OpGraph) -> Option<String> {
    let mut extents = node.extents.clone();
    for &(label, length) in parts {
        match extents.get_mut(label) {
            Some(extent) if length > 0 && extent.is_multiple_of(length) => *extent = length,
            _ => return Some(format!("parts of {length} do not make label {label}")),
        }
    }
    let part = |edge: &Edge| edge.labels().iter().map(|&label| extents[label]).collect::<Vec<_>>();
    let made = body.sinks.iter().map(|sink| &body.tensors[sink.0].extents);
    if !body.sources().map(|source| &body.tensors[source.0].extents).eq(&node.inputs.iter().map(part).collect::<Vec<_>>())
        || !made.eq([&part(&node.outputs[0])])
    {
        return Some("its body is of other extents than its parts".to_string());
    }
    verify(body).err().map(|error| format!("in its body {error}"))
}
