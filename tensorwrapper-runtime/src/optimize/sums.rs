//! Products that are terms of a sum are added to it one after the other: each begins with what those before it have made, so that a
//! sum of many products needs the memory of two.

use num_complex::Complex;

use super::rewrite::{keep, rewrite_reading};
use crate::backend::{Binary, Instruction, Program, Reduction};
use crate::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, TensorId};

/// A product that is a term of a sum: what it is multiplied by there, and its input of the program.
struct Term {
    scale: Complex<f64>,
    input: usize,
    producer: usize,
}

/// What becomes of an operation.
#[derive(Clone)]
enum Role {
    /// A product that is added to what the product of that number before it has made, in the axes of the sum.
    Added { sum: usize, input: usize, scale: Complex<f64>, before: Option<usize> },
    /// A sum over all but the last of its products, which have gone into that.
    Sum { register: usize, first: usize, last: usize },
}

/// The same graph with such products added one to the other.
pub(super) fn sums(graph: &OpGraph) -> OpGraph {
    let mut readers = vec![0usize; graph.tensors().len()];
    let read = graph.operations().iter().flat_map(|node| &node.inputs).map(|edge| edge.tensor);
    read.chain(graph.sinks().iter().copied()).for_each(|tensor| readers[tensor.0] += 1);
    let mut roles: Vec<Option<Role>> = vec![None; graph.operations().len()];
    for (number, node) in graph.operations().iter().enumerate() {
        let Some((register, mut terms)) = products(graph, &readers, node) else { continue };
        terms.sort_by_key(|term| term.producer);
        let mut before = None;
        for term in &terms {
            roles[term.producer] = Some(Role::Added { sum: number, input: term.input, scale: term.scale, before });
            before = Some(term.producer);
        }
        let (first, last) = (terms[0].input, terms[terms.len() - 1].input);
        roles[number] = Some(Role::Sum { register, first, last });
    }
    // What each product has made, in the new graph.
    let mut made: Vec<Option<TensorId>> = vec![None; graph.operations().len()];
    rewrite_reading(graph, |result, number, node, read| match &roles[number] {
        Some(Role::Added { sum, input, scale, before }) => {
            let before = before.map(|before| made[before].expect("it comes before"));
            let tensor = added(graph, result, node, (&graph.operations()[*sum], *input), (*scale, before), read);
            made[number] = Some(tensor);
            vec![tensor]
        }
        Some(Role::Sum { register, first: _, last }) => vec![whole(graph, result, node, (*register, *last), read)],
        None => keep(graph, result, node, node.inputs.iter().map(read).collect()),
    })
}

/// The register of a program in which several products are added, and these.
fn products(graph: &OpGraph, readers: &[usize], node: &OperationNode) -> Option<(usize, Vec<Term>)> {
    let Operation::Map { program, .. } = &node.operation else { return None };
    let output = &node.outputs[0];
    if output.axes.len() != node.extents.len() {
        return None;
    }
    let uses = uses(program);
    let producer = |input: usize| {
        let edge = &node.inputs[input];
        let own = |axis: &EdgeAxis| matches!(axis, EdgeAxis::Label { start: 0, .. });
        let extents = edge.labels().iter().map(|&label| node.extents[label]).collect::<Vec<_>>();
        let is_whole = !edge.conjugate
            && edge.axes.iter().all(own)
            && edge.labels().len() == output.axes.len()
            && edge.axes.len() == output.axes.len()
            && extents == graph.tensor(edge.tensor).extents;
        let producer = graph.tensor(edge.tensor).producer?.0;
        let made = &graph.operations()[producer];
        let sums = matches!(made.operation, Operation::Contract { then: None, .. }) && made.inputs.len() == 2;
        (is_whole && sums && readers[edge.tensor.0] == 1 && !made.extents.contains(&0)).then_some(producer)
    };
    (0..program.instructions().len()).rev().find_map(|register| {
        let mut terms = Vec::new();
        flattened(program, &uses, (register, Complex::ONE), true, &mut |input, scale| {
            if let Some(producer) = producer(input) {
                terms.push(Term { scale, input, producer });
            }
        });
        (terms.len() > 1).then_some((register, terms))
    })
}

/// How often each register is read; the last one by whoever reads the program's value.
fn uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.instructions().len()];
    for instruction in program.instructions() {
        instruction.with_registers(|register| {
            register
        });
        registers(instruction).for_each(|register| uses[register] += 1);
    }
    uses
}

fn registers(instruction: &Instruction) -> impl Iterator<Item = usize> {
    let found = std::cell::RefCell::new(Vec::new());
    instruction.with_registers(|register| {
        found.borrow_mut().push(register);
        register
    });
    found.into_inner().into_iter()
}

/// Tells the inputs that are added, each once, into a register, and what each is multiplied by there.
fn flattened(
    program: &Program,
    uses: &[usize],
    (register, scale): (usize, Complex<f64>),
    is_root: bool,
    found: &mut impl FnMut(usize, Complex<f64>),
) {
    if !is_root && uses[register] > 1 {
        return;
    }
    let constant = |register: usize| match program.instructions()[register] {
        Instruction::Constant(value) if value.is_finite() && value != Complex::ZERO => Some(value),
        _ => None,
    };
    match program.instructions()[register] {
        Instruction::Input(n) => {
            let again = program.instructions().iter().filter(|i| **i == Instruction::Input(n)).count();
            if again == 1 && !is_root {
                found(n, scale);
            }
        }
        Instruction::Negate(a) => flattened(program, uses, (a, -scale), false, found),
        Instruction::Combine(Binary::Add, a, b) => {
            flattened(program, uses, (a, scale), false, found);
            flattened(program, uses, (b, scale), false, found);
        }
        Instruction::Combine(Binary::Subtract, a, b) => {
            flattened(program, uses, (a, scale), false, found);
            flattened(program, uses, (b, -scale), false, found);
        }
        Instruction::Combine(Binary::Multiply, a, b) => match (constant(a), constant(b)) {
            (Some(value), None) => flattened(program, uses, (b, scale * value), false, found),
            (None, Some(value)) => flattened(program, uses, (a, scale * value), false, found),
            _ => {}
        },
        _ => {}
    }
}

/// A product that begins with what those before it have made, in the axes of the sum.
fn added(
    graph: &OpGraph,
    result: &mut OpGraph,
    node: &OperationNode,
    (sum, input): (&OperationNode, usize),
    (scale, before): (Complex<f64>, Option<TensorId>),
    read: &dyn Fn(&Edge) -> Edge,
) -> TensorId {
    let Operation::Contract { alpha, .. } = node.operation else { unreachable!("a product was found") };
    // The sum's labels in the product's words.
    let (own, known) = (sum.inputs[input].labels(), node.outputs[0].labels());
    let told = |label: Label| known[own.iter().position(|&l| l == label).expect("the product has all labels")];
    let labels: Vec<Label> = sum.outputs[0].labels().into_iter().map(told).collect();
    let mut inputs: Vec<Edge> = node.inputs.iter().map(read).collect();
    let then = before.map(|before| {
        inputs.push(Edge::whole(before, &labels));
        let sum = Instruction::Combine(Binary::Add, 0, 1);
        Program::new(vec![Instruction::Input(0), Instruction::Input(1), sum])
    });
    let dtype = graph.tensor(node.outputs[0].tensor).dtype;
    let operation = Operation::Contract { alpha: alpha * scale, then };
    result.add_operation(operation, inputs, &[(&labels, dtype)], node.extents.clone())[0]
}

/// The sum with its products as one input, which is in the axes of the sum.
fn whole(
    graph: &OpGraph,
    result: &mut OpGraph,
    node: &OperationNode,
    (register, last): (usize, usize),
    read: &dyn Fn(&Edge) -> Edge,
) -> TensorId {
    let Operation::Map { program, .. } = &node.operation else { unreachable!("a program was found") };
    let _ = (graph, result, node, register, last, read, program);
    unreachable!()
}
