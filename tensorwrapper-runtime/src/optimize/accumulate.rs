//! Computes sums over single-precision data in double precision: operands are widened when a sum reads them, and its result is
//! rounded once.

use tensorwrapper_core::backend::{Instruction, Program};
use tensorwrapper_core::element::{Dtype, EveryDtype};
use tensorwrapper_core::graph::{Edge, Label, OpGraph, Operation, OperationNode, Rewriter, TensorId};

/// The precision in which sums are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accumulate {
    /// The precision of the elements.
    #[default]
    AsElements,
    /// Double precision: every sum over `f32` or `Complex<f32>` is computed in `f64` or `Complex<f64>`, including the
    /// expression inside the sum, and its result is rounded once. So a `cast` to single precision inside a sum does not round,
    /// unless a separate result lies between the two. Functions of `map` still take and return single precision. Sums over
    /// double precision do not change. Sums over block tensors of single precision are
    /// refused where the result is in blocks; linear algebra keeps the precision of its operands.
    Double,
}

/// The same graph with every sum over single precision in double precision.
pub(super) fn accumulate(graph: &OpGraph) -> OpGraph {
    Rewriter::run(graph, |rewriter, _, node| match doubled(graph, node) {
        Some(double) => {
            let inputs = rewriter.inputs(node);
            vec![widened(graph, rewriter.graph_mut(), node, inputs, double)]
        }
        None => rewriter.keep(node),
    })
}

/// The element type in which an operation is to sum, if it sums and has another.
fn doubled(graph: &OpGraph, node: &OperationNode) -> Option<Dtype> {
    let sums = node.sums();
    match graph.tensor(node.outputs[0].tensor).dtype.every() {
        EveryDtype::F32 if sums => Some(Dtype::F64),
        EveryDtype::C32 if sums => Some(Dtype::C64),
        EveryDtype::F32 | EveryDtype::C32 | EveryDtype::F64 | EveryDtype::C64 => None,
    }
}

fn widened(graph: &OpGraph, result: &mut OpGraph, node: &OperationNode, inputs: Vec<Edge>, double: Dtype) -> TensorId {
    let single = graph.tensor(node.outputs[0].tensor).dtype;
    let kept = node.outputs[0].labels();
    let (operation, inputs) = match node.operation.as_map() {
        Some((program, _)) if program.functions() == 0 => (Operation::element_wise(converting(program)), inputs),
        // Functions of the program's are of single precision: their values are stored, then summed.
        Some((program, _)) => {
            let all: Vec<Label> = (0..node.extents.len()).collect();
            let operation = Operation::element_wise(program.clone());
            let values = result.add_operation(operation, inputs, &[(&all, single)], node.extents.clone())[0];
            (conversion(), vec![Edge::whole(values, &all)])
        }
        None => {
            let inputs = inputs.into_iter().map(|edge| converted(result, edge, &node.extents, double)).collect();
            (node.operation.clone(), inputs)
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
    let read = Edge { conjugate: false, ..edge.relabelled(own) };
    let all: Vec<Label> = (0..labels.len()).collect();
    let own_extents = labels.iter().map(|&label| extents[label]).collect();
    let tensor = result.add_operation(conversion(), vec![read], &[(&all, dtype)], own_extents)[0];
    Edge { conjugate: edge.conjugate, ..Edge::whole(tensor, &labels) }
}

/// Elements as those of another type, summed where the result has fewer axes.
fn conversion() -> Operation {
    Operation::element_wise(Program::new(vec![Instruction::Converted(0)]))
}

/// The program with every input converted: what is of the result's own type converts to itself.
fn converting(program: &Program) -> Program {
    let instructions = program.instructions().iter().map(|&instruction| match instruction {
        Instruction::Input(n) => Instruction::Converted(n),
        other => other,
    });
    Program::new(instructions.collect())
}
