//! Adds products that are terms of a sum one after the other: each contraction starts from the sum so far, so a sum of many
//! products needs the memory of only two.

use num_complex::Complex;

use super::constants::pruned;
use crate::lower::{is_ordinary, times};
use tensorwrapper_core::backend::{Binary, Instruction, Program};
use tensorwrapper_core::graph::{Edge, Label, OpGraph, Operation, OperationNode, Readers, Rewriter, TensorId};

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
    /// A sum of what its last product makes and what those before have made together.
    Sum { register: usize, ends: [usize; 2], products: Vec<usize> },
}

/// The graph with such products accumulated in a chain; `None` if there are no such products.
pub(super) fn chain_accumulate(graph: &OpGraph) -> Option<OpGraph> {
    let readers = graph.readers();
    let mut roles: Vec<Option<Role>> = vec![None; graph.operations().len()];
    for (number, node) in graph.operations().iter().enumerate() {
        let Some((register, mut terms)) = products(graph, &readers, node) else { continue };
        terms.sort_by_key(|term| term.producer);
        // The last one is left to be finished by the sum.
        let (mut before, last) = (None, terms.len() - 1);
        for (n, term) in terms.iter().enumerate() {
            let before = before.replace(term.producer).filter(|_| n < last);
            roles[term.producer] = Some(Role::Added { sum: number, input: term.input, scale: term.scale, before });
        }
        let products = terms.iter().map(|term| term.input).collect();
        roles[number] = Some(Role::Sum { register, ends: [terms[last].input, terms[last - 1].input], products });
    }
    if roles.iter().all(Option::is_none) {
        return None;
    }
    // What each product has made, in the new graph.
    let mut made: Vec<Option<TensorId>> = vec![None; graph.operations().len()];
    Some(Rewriter::run(graph, |rewriter, id, node| match &roles[id.0] {
        Some(Role::Added { sum, input, scale, before }) => {
            let before = before.map(|before| made[before].expect("it comes before"));
            let tensor = added(rewriter, node, (&graph.operations()[*sum], *input), (*scale, before));
            made[id.0] = Some(tensor);
            vec![tensor]
        }
        Some(Role::Sum { register, ends, products }) => {
            vec![whole(rewriter, node, (*register, *ends, products))]
        }
        None => rewriter.keep(node),
    }))
}

/// The register of a program in which several products are added, and these.
fn products(graph: &OpGraph, readers: &Readers, node: &OperationNode) -> Option<(usize, Vec<Term>)> {
    let (program, _) = node.operation.as_map()?;
    let output = &node.outputs[0];
    if output.axes.len() != node.extents.len() {
        return None;
    }
    let (uses, reads) = (program.uses(), reads(program, node.inputs.len()));
    let producer = |input: usize| {
        let edge = &node.inputs[input];
        let is_whole = edge.axes.len() == output.axes.len() && edge.is_whole(&graph.tensor(edge.tensor).extents, &node.extents);
        let producer = graph.tensor(edge.tensor).producer?.0;
        let made = &graph.operations()[producer];
        let sums = made.operation.as_product().is_some() && made.inputs.len() == 2;
        (is_whole && sums && readers.uses(edge.tensor) == 1 && !made.extents.contains(&0)).then_some(producer)
    };
    let producers: Vec<Option<usize>> = (0..node.inputs.len()).map(|n| producer(n).filter(|_| reads[n] == 1)).collect();
    if producers.iter().flatten().count() < 2 {
        return None;
    }
    (0..program.instructions().len()).rev().find_map(|register| {
        let mut terms = Vec::new();
        flattened(program, &uses, (register, Complex::ONE), true, &mut |input, scale| {
            if let Some(producer) = producers[input] {
                terms.push(Term { scale, input, producer });
            }
        });
        (terms.len() > 1).then_some((register, terms))
    })
}

/// How often each input is read as it is.
fn reads(program: &Program, inputs: usize) -> Vec<usize> {
    let mut reads = vec![0; inputs];
    for instruction in program.instructions() {
        if let Instruction::Input(n) = instruction {
            reads[*n] += 1;
        }
    }
    reads
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
        Instruction::Constant(value) if is_ordinary(value) => Some(value),
        _ => None,
    };
    match program.instructions()[register] {
        Instruction::Input(n) if !is_root => found(n, scale),
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
    rewriter: &mut Rewriter<'_>,
    node: &OperationNode,
    (sum, input): (&OperationNode, usize),
    (scale, before): (Complex<f64>, Option<TensorId>),
) -> TensorId {
    let alpha = node.operation.as_product().expect("a product was found");
    // The sum's labels as the product numbers them.
    let (own, known) = (sum.inputs[input].labels(), node.outputs[0].labels());
    let told = |label: Label| known[own.iter().position(|&l| l == label).expect("the product has all labels")];
    let labels: Vec<Label> = sum.outputs[0].labels().into_iter().map(told).collect();
    let mut inputs: Vec<Edge> = rewriter.inputs(node);
    let then = before.map(|before| {
        inputs.push(Edge::whole(before, &labels));
        let sum = Instruction::Combine(Binary::Add, 0, 1);
        Program::new(vec![Instruction::Input(0), Instruction::Input(1), sum])
    });
    let dtype = rewriter.old().tensor(node.outputs[0].tensor).dtype;
    let operation = Operation::Contract { alpha: times(alpha, scale), then };
    rewriter.graph_mut().add_operation(operation, inputs, &[(&labels, dtype)], node.extents.clone())[0]
}

/// The sum with its products as one input, which is in the axes of the sum.
fn whole(
    rewriter: &mut Rewriter<'_>,
    node: &OperationNode,
    (register, ends, products): (usize, [usize; 2], &[usize]),
) -> TensorId {
    let (program, _) = node.operation.as_map().expect("a program was found");
    let read = |edge: &Edge| rewriter.read(edge);
    let mut inputs: Vec<Edge> = Vec::new();
    let mut add = |edge: Edge| {
        inputs.push(edge);
        Instruction::Input(inputs.len() - 1)
    };
    let mut instructions: Vec<Instruction> = Vec::new();
    let mut push = |instruction: Instruction| {
        instructions.push(instruction);
        instructions.len() - 1
    };
    let mut known: Vec<Option<usize>> = vec![None; node.inputs.len()];
    // Registers without the products; nothing where there was nothing else.
    let mut places: Vec<Option<usize>> = Vec::with_capacity(program.instructions().len());
    for (number, instruction) in program.instructions().iter().enumerate() {
        let place = match *instruction {
            Instruction::Input(n) if products.contains(&n) => None,
            Instruction::Input(n) => Some(*known[n].get_or_insert_with(|| push(add(read(&node.inputs[n]))))),
            Instruction::Converted(n) => {
                let Instruction::Input(new) = add(read(&node.inputs[n])) else { unreachable!("an input was added") };
                Some(push(Instruction::Converted(new)))
            }
            Instruction::Negate(a) => places[a].map(|a| push(Instruction::Negate(a))),
            Instruction::Combine(operator, a, b) => match (operator, places[a], places[b]) {
                (_, Some(a), Some(b)) => Some(push(Instruction::Combine(operator, a, b))),
                (Binary::Subtract, None, Some(b)) => Some(push(Instruction::Negate(b))),
                (Binary::Add | Binary::Subtract, a, b) => a.or(b),
                (Binary::Multiply | Binary::Divide, ..) => None,
            },
            other => Some(push(other.with_registers(|register| places[register].expect("only sums lack a value")))),
        };
        places.push(match number == register {
            true => {
                let labels = node.outputs[0].labels();
                let [last, before] = ends.map(|end| push(add(Edge::whole(read(&node.inputs[end]).tensor, &labels))));
                let products = push(Instruction::Combine(Binary::Add, last, before));
                Some(place.map_or(products, |rest| push(Instruction::Combine(Binary::Add, rest, products))))
            }
            false => place,
        });
    }
    let program = pruned(&instructions, places[places.len() - 1].expect("a program has a value"));
    let output = &node.outputs[0];
    let dtype = rewriter.old().tensor(output.tensor).dtype;
    let outputs = [(&output.labels()[..], dtype)];
    rewriter.graph_mut().add_operation(Operation::element_wise(program), inputs, &outputs, node.extents.clone())[0]
}
