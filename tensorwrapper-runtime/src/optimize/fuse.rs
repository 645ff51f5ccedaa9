//! Merges element-wise programs into the element-wise programs that read them, so that their results are not stored. Copies and
//! constant factors are also merged into products. So a transpose only changes how a tensor is read, and a denominator or a
//! number that is repeated along axes is never stored as a tensor.

use num_complex::Complex;

use super::constants::pruned;
use crate::lower::{is_ordinary, times};
use tensorwrapper_core::backend::{Binary, Instruction, Program, Unary};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Inputs, OpGraph, Operation, OperationNode, Readers, Rewriter};

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
    let readers = graph.readers();
    let mut inside: Vec<Option<Inside>> = vec![None; graph.tensors().len()];
    Rewriter::run(graph, |rewriter, _, node| {
        let joined = joined(node, &inside, rewriter);
        let output = node.outputs[0].tensor;
        if let Some((program, _)) = joined.operation.as_map()
            && may_join(graph, &readers, node, program, joined.inputs.len())
        {
            inside[output.0] = Some(Inside { program: program.clone(), inputs: in_axes(&joined) });
            return Vec::new();
        }
        let inputs = joined.inputs.clone();
        rewriter.keep_over(&joined, inputs)
    })
}

/// Whether all who read a program's result take its work on themselves.
fn may_join(graph: &OpGraph, readers: &Readers, node: &OperationNode, program: &Program, inputs: usize) -> bool {
    let output = &node.outputs[0];
    let dtype = graph.tensor(output.tensor).dtype;
    let calls = program.functions() > 0;
    let converts = program.instructions().iter().any(|i| matches!(i, Instruction::Converted(_)));
    // A result that is wanted is stored.
    let (wanted, readers) = (readers.wanted(output.tensor) > 0, readers.of(output.tensor));
    if output.axes.len() != node.extents.len() || calls || node.extents.contains(&0) || wanted || readers.is_empty() {
        return false;
    }
    let number = number(program);
    readers.iter().all(|&(reader, input)| {
        let other = graph.operation(reader);
        let edge = &other.inputs[input];
        if other.operation.as_product().is_some() {
            return number.is_some() && inputs == 1;
        }
        let Some((outer, _)) = other.operation.as_map() else { return false };
        let reads_so = || {
            !outer.instructions().contains(&Instruction::Converted(input)) && graph.tensor(other.outputs[0].tensor).dtype == dtype
        };
        // A program that costs more than reading its result is computed once for each element.
        let spread = edge.labels().len() < other.extents.len();
        let is_small = outer.instructions().len() + program.instructions().len() <= MOST_INSTRUCTIONS
            && other.inputs.len() + inputs <= MOST_INPUTS;
        is_small
            && reads_so()
            && (!spread || is_cheap(program))
            && (readers.len() == 1 || number.is_some() || inputs == 0 && !converts)
    })
}

/// Whether doing it again costs no more than reading a result.
fn is_cheap(program: &Program) -> bool {
    let costs = |instruction: &&Instruction| match instruction {
        Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => false,
        Instruction::Negate(_) | Instruction::Combine(..) | Instruction::Compare(..) | Instruction::Select(..) => true,
        Instruction::Apply(function, _) => *function != Unary::Conj,
        Instruction::PowerInteger(..) | Instruction::PowerReal(..) | Instruction::Call(..) => true,
    };
    let is_plain = |instruction: &Instruction| match instruction {
        Instruction::Combine(operator, ..) => matches!(operator, Binary::Add | Binary::Subtract | Binary::Multiply),
        Instruction::Apply(function, _) => *function == Unary::Conj,
        Instruction::PowerInteger(..) | Instruction::PowerReal(..) | Instruction::Call(..) => false,
        Instruction::Compare(..) | Instruction::Select(..) => true,
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
    let told = |label| output.iter().position(|&l| l == label).expect("nothing is folded");
    node.inputs.iter().map(|edge| edge.relabelled(told)).collect()
}

/// An operation over what is stored, with the work in it that is not.
fn joined(node: &OperationNode, inside: &[Option<Inside>], rewriter: &Rewriter<'_>) -> OperationNode {
    let stored = |edge: &Edge| rewriter.read(edge);
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
        _ => result.inputs = rewriter.inputs(node),
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
        instructions.push(Instruction::Apply(Unary::Conj, instructions.len() - 1));
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
