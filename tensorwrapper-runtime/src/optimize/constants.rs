//! Constant folding: the parts of programs that depend only on numbers are computed here, in the arithmetic of the elements,
//! multiplications by one are removed, and what is computed twice is computed once.

use num_complex::Complex;

use tensorwrapper_core::backend::{Binary, Instruction, Program, constant};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{OpGraph, Operation, OperationNode, Rewriter};

/// The graph with the constant parts of its programs folded; `None` if there are none.
pub(super) fn constants(graph: &OpGraph) -> Option<OpGraph> {
    let cheaper = |node: &OperationNode| {
        let (program, reduction) = node.operation.as_map()?;
        let folded = folded(program, graph.tensor(node.outputs[0].tensor).dtype);
        (folded != *program).then_some(Operation::Map { program: folded, reduction })
    };
    let mut cheaper: Vec<Option<Operation>> = graph.operations().iter().map(cheaper).collect();
    cheaper.iter().any(Option::is_some).then(|| {
        Rewriter::run(graph, |rewriter, id, node| match cheaper[id.0].take() {
            Some(operation) => rewriter.keep(&OperationNode { operation, ..node.clone() }),
            None => rewriter.keep(node),
        })
    })
}

/// Whether two instructions compute the same value. Zeros of both signs are different numbers, and a function may be another one in each
/// place.
fn is_same(one: &Instruction, other: &Instruction) -> bool {
    let bits = |value: Complex<f64>| [value.re.to_bits(), value.im.to_bits()];
    match (one, other) {
        (Instruction::Constant(one), Instruction::Constant(other)) => bits(*one) == bits(*other),
        (Instruction::Call(..), _) => false,
        _ => one == other,
    }
}

/// The program with its constant parts computed, and each value computed once. It reads the same inputs.
fn folded(program: &Program, dtype: Dtype) -> Program {
    let mut instructions: Vec<Instruction> = Vec::with_capacity(program.instructions().len());
    let mut places: Vec<usize> = Vec::with_capacity(program.instructions().len());
    for instruction in program.instructions() {
        let instruction = instruction.with_registers(|register| places[register]);
        let number = |register: usize| match instructions[register] {
            Instruction::Constant(value) => Some(value),
            _ => None,
        };
        let used = instruction.registers();
        let numbers: Option<Vec<Complex<f64>>> = used.iter().map(|&register| number(register)).collect();
        let computes = !used.is_empty() && !matches!(instruction, Instruction::Call(..));
        let value = numbers.filter(|_| computes).and_then(|numbers| constant(instruction, &numbers, dtype));
        let place = match (instruction, value) {
            (_, Some(value)) => {
                instructions.push(Instruction::Constant(value));
                instructions.len() - 1
            }
            (Instruction::Combine(Binary::Multiply, a, b), None) if number(a) == Some(Complex::ONE) && !dtype.is_complex() => b,
            (Instruction::Combine(Binary::Multiply | Binary::Divide, a, b), None)
                if number(b) == Some(Complex::ONE) && !dtype.is_complex() =>
            {
                a
            }
            (other, None) => match instructions.iter().position(|known| is_same(known, &other)) {
                Some(known) => known,
                None => {
                    instructions.push(other);
                    instructions.len() - 1
                }
            },
        };
        places.push(place);
    }
    pruned(&instructions, *places.last().expect("a program computes something"))
}

/// A program of those instructions that a register's value needs. Inputs keep their numbers.
pub(super) fn pruned(instructions: &[Instruction], value: usize) -> Program {
    let mut needed = vec![false; instructions.len()];
    needed[value] = true;
    for register in (0..=value).rev().filter(|&register| register == value || !instructions[register].registers().is_empty()) {
        if needed[register] {
            instructions[register].registers().iter().for_each(|&used| needed[used] = true);
        }
    }
    let mut places = vec![0; instructions.len()];
    let mut kept = Vec::new();
    for register in (0..=value).filter(|&register| needed[register]) {
        kept.push(instructions[register].with_registers(|used| places[used]));
        places[register] = kept.len() - 1;
    }
    Program::new(kept)
}
