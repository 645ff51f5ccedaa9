//! Element-wise work joins the element-wise work that reads it, and is never stored; copies, and numbers in front, join products,
//! too. So a transpose is a way of reading, and a denominator or a number that is spread over axes is nowhere as a tensor.

use num_complex::Complex;
use tensorwrapper_notation::Function;

use super::constants::pruned;
use super::rewrite::{begun, keep};
use crate::lower::{is_ordinary, times};
use tensorwrapper_core::backend::{Binary, Instruction, Program};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Inputs, OpGraph, Operation, OperationNode, TensorId};

/// Instructions of a program that others may join.
const MOST_INSTRUCTIONS: usize = 96;

/// Inputs of a program that others may join.
const MOST_INPUTS: usize = 16;

/// Work that is not stored: a program over inputs in the new graph, whose labels are the axes of the tensor that it stands for.
#[derive(Clone, Debug)]
struct Inside {
    program: Program,
    inputs: Vec<Edge>,
}

/// The same graph with fewer element-wise operations.
pub(super) fn fuse(graph: &OpGraph) -> OpGraph {
    let readers = readers(graph);
    let (mut result, mut moved) = begun(graph);
    let mut inside: Vec<Option<Inside>> = vec![None; graph.tensors().len()];
    for (number, node) in graph.operations().iter().enumerate() {
        let joined = joined(node, &inside, &moved);
        let output = node.outputs[0].tensor;
        if let Operation::Map { program, .. } = &joined.operation
            && may_join(graph, &readers[output.0], (number, node), program, joined.inputs.len())
        {
            inside[output.0] = Some(Inside { program: program.clone(), inputs: in_axes(&joined) });
            continue;
        }
        let inputs = joined.inputs.clone();
        for (edge, tensor) in node.outputs.iter().zip(keep(graph, &mut result, &joined, inputs)) {
            moved[edge.tensor.0] = Some(tensor);
        }
    }
    for sink in graph.sinks() {
        result.add_sink(moved[sink.0].expect("what is wanted is stored"));
    }
    result
}

/// For each tensor who reads it: operation and input; a result that is wanted is read by nobody that could join.
fn readers(graph: &OpGraph) -> Vec<Vec<Option<(usize, usize)>>> {
    let mut readers = vec![Vec::new(); graph.tensors().len()];
    for (number, node) in graph.operations().iter().enumerate() {
        node.inputs.iter().enumerate().for_each(|(input, edge)| readers[edge.tensor.0].push(Some((number, input))));
    }
    graph.sinks().iter().for_each(|sink| readers[sink.0].push(None));
    readers
}

/// Whether all who read a program's result take its work on themselves.
fn may_join(
    graph: &OpGraph,
    readers: &[Option<(usize, usize)>],
    (_, node): (usize, &OperationNode),
    program: &Program,
    inputs: usize,
) -> bool {
    let output = &node.outputs[0];
    let dtype = graph.tensor(output.tensor).dtype;
    let calls = program.functions() > 0;
    let converts = program.instructions().iter().any(|i| matches!(i, Instruction::Converted(_)));
    if output.axes.len() != node.extents.len() || calls || node.extents.contains(&0) || readers.is_empty() {
        return false;
    }
    let number = number(program);
    readers.iter().all(|reader| {
        let Some((reader, input)) = *reader else { return false };
        let other = &graph.operations()[reader];
        let edge = &other.inputs[input];
        match &other.operation {
            Operation::Contract { then: None, .. } => number.is_some() && inputs == 1,
            Operation::Map { program: outer, .. } => {
                let reads_so = || {
                    !outer.instructions().contains(&Instruction::Converted(input))
                        && graph.tensor(other.outputs[0].tensor).dtype == dtype
                };
                // Work that costs more than reading is done once for each element.
                let spread = edge.labels().len() < other.extents.len();
                let is_small = outer.instructions().len() + program.instructions().len() <= MOST_INSTRUCTIONS
                    && other.inputs.len() + inputs <= MOST_INPUTS;
                is_small
                    && reads_so()
                    && (!spread || is_cheap(program))
                    && (readers.len() == 1 || number.is_some() || inputs == 0 && !converts)
            }
            Operation::Contract { then: Some(_), .. }
            | Operation::Sliced { .. }
            | Operation::Factorise(_)
            | Operation::Reshape
            | Operation::Write { .. } => false,
        }
    })
}

/// Whether doing it again costs no more than reading a result.
fn is_cheap(program: &Program) -> bool {
    let costs = |instruction: &&Instruction| match instruction {
        Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => false,
        Instruction::Negate(_) | Instruction::Combine(..) => true,
        Instruction::Apply(function, _) => *function != Function::Conj,
        Instruction::PowerInteger(..) | Instruction::PowerReal(..) | Instruction::Call(..) => true,
    };
    let is_plain = |instruction: &Instruction| match instruction {
        Instruction::Combine(operator, ..) => matches!(operator, Binary::Add | Binary::Subtract | Binary::Multiply),
        Instruction::Apply(function, _) => *function == Function::Conj,
        Instruction::PowerInteger(..) | Instruction::PowerReal(..) | Instruction::Call(..) => false,
        Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) | Instruction::Negate(_) => true,
    };
    program.instructions().iter().filter(costs).count() <= 4 && program.instructions().iter().all(is_plain)
}

/// The number that a program multiplies its only input by.
fn number(program: &Program) -> Option<Complex<f64>> {
    match *program.instructions() {
        [Instruction::Input(0)] => Some(Complex::ONE),
        [Instruction::Input(0), Instruction::Negate(0)] => Some(-Complex::<f64>::ONE),
        [Instruction::Constant(value), Instruction::Input(0), Instruction::Combine(Binary::Multiply, 0 | 1, 0 | 1)]
        | [Instruction::Input(0), Instruction::Constant(value), Instruction::Combine(Binary::Multiply, 0 | 1, 0 | 1)]
            if is_ordinary(value) && !repeats(program) =>
        {
            Some(value)
        }
        _ => None,
    }
}

/// Whether the last instruction combines a value with itself.
fn repeats(program: &Program) -> bool {
    matches!(program.instructions().last(), Some(Instruction::Combine(_, a, b)) if a == b)
}

/// The inputs of an operation with the axes of its output as labels.
fn in_axes(node: &OperationNode) -> Vec<Edge> {
    let output = node.outputs[0].labels();
    let told = |axis: &EdgeAxis| match *axis {
        EdgeAxis::Label { label, start } => {
            EdgeAxis::Label { label: output.iter().position(|&l| l == label).expect("nothing is folded"), start }
        }
        chip @ EdgeAxis::Chip(_) => chip,
    };
    node.inputs.iter().map(|edge| Edge { axes: edge.axes.iter().map(told).collect(), ..edge.clone() }).collect()
}

/// An operation over what is stored, with the work in it that is not.
fn joined(node: &OperationNode, inside: &[Option<Inside>], moved: &[Option<TensorId>]) -> OperationNode {
    let stored = |edge: &Edge| Edge { tensor: moved[edge.tensor.0].expect("it is computed before"), ..edge.clone() };
    let mut result = node.clone();
    match &mut result.operation {
        Operation::Contract { alpha, .. } => {
            for edge in &mut result.inputs {
                let Some(work) = &inside[edge.tensor.0] else {
                    *edge = stored(edge);
                    continue;
                };
                let number = number(&work.program).expect("only copies and numbers join products");
                *alpha = times(*alpha, if edge.conjugate { number.conj() } else { number });
                *edge = read_through(edge, &work.inputs[0]);
            }
        }
        Operation::Map { program, .. } => {
            let (mut inputs, mut instructions) = (Inputs::default(), Vec::new());
            let mut add = |edge: Edge| inputs.place(edge);
            let mut values: Vec<Option<usize>> = vec![None; node.inputs.len()];
            let mut places = Vec::with_capacity(program.instructions().len());
            for instruction in program.instructions() {
                let place = match *instruction {
                    Instruction::Input(n) => match &inside[node.inputs[n].tensor.0] {
                        Some(work) => {
                            *values[n].get_or_insert_with(|| splice(&mut instructions, work, &node.inputs[n], &mut add))
                        }
                        None => {
                            instructions.push(Instruction::Input(add(stored(&node.inputs[n]))));
                            instructions.len() - 1
                        }
                    },
                    Instruction::Converted(n) => {
                        instructions.push(Instruction::Converted(add(stored(&node.inputs[n]))));
                        instructions.len() - 1
                    }
                    other => {
                        instructions.push(other.with_registers(|register| places[register]));
                        instructions.len() - 1
                    }
                };
                places.push(place);
            }
            *program = pruned(&instructions, *places.last().expect("a program computes something"));
            result.inputs = inputs.into_edges();
        }
        Operation::Sliced { .. } | Operation::Factorise(_) | Operation::Reshape | Operation::Write { .. } => {
            result.inputs = node.inputs.iter().map(stored).collect();
        }
    }
    result
}

/// Adds work as it is read on an edge; tells where its value is.
fn splice(instructions: &mut Vec<Instruction>, work: &Inside, edge: &Edge, add: &mut impl FnMut(Edge) -> usize) -> usize {
    let offset = instructions.len();
    for instruction in work.program.instructions() {
        instructions.push(match *instruction {
            Instruction::Input(n) => {
                Instruction::Input(add(read_through(&Edge { conjugate: false, ..edge.clone() }, &work.inputs[n])))
            }
            Instruction::Converted(n) => {
                Instruction::Converted(add(read_through(&Edge { conjugate: false, ..edge.clone() }, &work.inputs[n])))
            }
            other => other.with_registers(|register| register + offset),
        });
    }
    if edge.conjugate {
        instructions.push(Instruction::Apply(Function::Conj, instructions.len() - 1));
    }
    instructions.len() - 1
}

/// What an edge reads of a tensor whose axes are the labels of `inner`.
fn read_through(edge: &Edge, inner: &Edge) -> Edge {
    let axes = inner.axes.iter().map(|&axis| match axis {
        EdgeAxis::Label { label, start } => match edge.axes[label] {
            EdgeAxis::Label { label, start: more } => EdgeAxis::Label { label, start: start + more },
            EdgeAxis::Chip(position) => EdgeAxis::Chip(start + position),
        },
        chip @ EdgeAxis::Chip(_) => chip,
    });
    Edge { tensor: inner.tensor, axes: axes.collect(), conjugate: edge.conjugate ^ inner.conjugate }
}
