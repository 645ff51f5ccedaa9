//! Sums over single-precision data in double precision: operands are widened where a sum reads them, and its result is
//! rounded once.

use super::rewrite::{keep, rewrite};
use tensorwrapper_core::backend::{Instruction, Program, Reduction};
use tensorwrapper_core::element::{Dtype, EveryDtype};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, TensorId};

/// In which precision sums are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accumulate {
    /// In that of the elements.
    #[default]
    AsElements,
    /// In double precision: every sum over `f32` or `Complex<f32>` is taken in `f64` or `Complex<f64>`, with all that is
    /// computed inside of it, and its result is rounded once. So a `cast` to single precision inside of a sum does not
    /// round, unless a result of its own stands between them; functions of `map` still see and give numbers of single
    /// precision. Elements of double precision are summed as ever.
    Double,
}

/// The same graph with every sum over single precision in double precision.
pub(super) fn accumulate(graph: &OpGraph) -> OpGraph {
    rewrite(graph, |result, node, inputs| match doubled(graph, node) {
        Some(double) => vec![widened(graph, result, node, inputs, double)],
        None => keep(graph, result, node, inputs),
    })
}

/// The element type in which an operation is to sum, if it sums and has another.
fn doubled(graph: &OpGraph, node: &OperationNode) -> Option<Dtype> {
    let sums = match &node.operation {
        Operation::Contract { .. } | Operation::Map { reduction: Reduction::Sum, .. } => {
            node.extents.len() > node.outputs[0].axes.len()
        }
        Operation::Map { reduction: Reduction::Product | Reduction::Max | Reduction::Min, .. }
        | Operation::Sliced { .. }
        | Operation::Factorise(_)
        | Operation::Reshape
        | Operation::Write { .. } => false,
    };
    match graph.tensor(node.outputs[0].tensor).dtype.every() {
        EveryDtype::F32 if sums => Some(Dtype::F64),
        EveryDtype::C32 if sums => Some(Dtype::C64),
        EveryDtype::F32 | EveryDtype::C32 | EveryDtype::F64 | EveryDtype::C64 => None,
    }
}

fn widened(graph: &OpGraph, result: &mut OpGraph, node: &OperationNode, inputs: Vec<Edge>, double: Dtype) -> TensorId {
    let single = graph.tensor(node.outputs[0].tensor).dtype;
    let kept = node.outputs[0].labels();
    let (operation, inputs) = match &node.operation {
        Operation::Map { program, reduction } if program.functions() == 0 => {
            let operation = Operation::Map { program: converting(program), reduction: *reduction };
            (operation, inputs)
        }
        // Functions of the program's are of single precision: their values are stored, then summed.
        Operation::Map { program, .. } => {
            let all: Vec<Label> = (0..node.extents.len()).collect();
            let operation = Operation::Map { program: program.clone(), reduction: Reduction::Sum };
            let values = result.add_operation(operation, inputs, &[(&all, single)], node.extents.clone())[0];
            (conversion(), vec![Edge::whole(values, &all)])
        }
        other => {
            let inputs = inputs.into_iter().map(|edge| converted(result, edge, &node.extents, double)).collect();
            (other.clone(), inputs)
        }
    };
    let sum = result.add_operation(operation, inputs, &[(&kept, double)], node.extents.clone())[0];
    result.name_last_as(graph, node, 0..node.extents.len());
    let labels: Vec<Label> = (0..kept.len()).collect();
    converted(result, Edge::whole(sum, &labels), &kept.iter().map(|&label| node.extents[label]).collect::<Vec<_>>(), single)
        .tensor
}

/// The part of a tensor that an edge reads, as a tensor of another element type.
fn converted(result: &mut OpGraph, edge: Edge, extents: &[usize], dtype: Dtype) -> Edge {
    let labels = edge.labels();
    let own = |label: Label| labels.iter().position(|&known| known == label).expect("it is one of the edge's labels");
    let axes = edge.axes.iter().map(|&axis| match axis {
        EdgeAxis::Label { label, start } => EdgeAxis::Label { label: own(label), start },
        chip @ EdgeAxis::Chip(_) => chip,
    });
    let read = Edge { tensor: edge.tensor, axes: axes.collect(), conjugate: false };
    let all: Vec<Label> = (0..labels.len()).collect();
    let own_extents = labels.iter().map(|&label| extents[label]).collect();
    let tensor = result.add_operation(conversion(), vec![read], &[(&all, dtype)], own_extents)[0];
    Edge { conjugate: edge.conjugate, ..Edge::whole(tensor, &labels) }
}

/// Elements as those of another type, summed where the result has fewer axes.
fn conversion() -> Operation {
    Operation::Map { program: Program::new(vec![Instruction::Converted(0)]), reduction: Reduction::Sum }
}

/// The program with every input converted: what is of the result's own type converts to itself.
fn converting(program: &Program) -> Program {
    let instructions = program.instructions().iter().map(|&instruction| match instruction {
        Instruction::Input(n) => Instruction::Converted(n),
        other => other,
    });
    Program::new(instructions.collect())
}
