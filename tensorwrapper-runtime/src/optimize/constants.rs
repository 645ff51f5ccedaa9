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
        let is = |register: usize, value: Complex<f64>| is_same(&instructions[register], &Instruction::Constant(value));
        let place = match value.map_or(instruction, Instruction::Constant) {
            Instruction::Combine(Binary::Multiply, a, b) if number(a) == Some(Complex::ONE) && !dtype.is_complex() => b,
            Instruction::Combine(Binary::Multiply | Binary::Divide, a, b)
                if number(b) == Some(Complex::ONE) && !dtype.is_complex() =>
            {
                a
            }
            // A comparison is 1 or 0 already.
            Instruction::Select(condition, a, b)
                if is(a, Complex::ONE) && is(b, Complex::ZERO) && matches!(instructions[condition], Instruction::Compare(..)) =>
            {
                condition
            }
            other => match instructions.iter().position(|known| is_same(known, &other)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper_core::backend::Comparison;

    fn number(x: f64) -> Instruction {
        Instruction::Constant(x.into())
    }

    fn simpler(instructions: &[Instruction]) -> Vec<Instruction> {
        folded(&Program::new(instructions.to_vec()), Dtype::F64).instructions().to_vec()
    }

    #[test]
    fn a_number_that_is_computed_twice_is_one_number() {
        let less = |a, b| Instruction::Compare(Comparison::Less, a, b);
        let [negate, again] = [1, 4].map(Instruction::Negate);
        let program =
            [Instruction::Input(0), number(0.25), negate, less(0, 2), number(0.25), again, Instruction::Select(3, 5, 0)];
        assert_eq!(simpler(&program), [Instruction::Input(0), number(-0.25), less(0, 1), Instruction::Select(2, 1, 0)]);
    }

    #[test]
    fn one_where_a_comparison_holds_and_zero_elsewhere_is_the_comparison() {
        let greater = Instruction::Compare(Comparison::Greater, 0, 1);
        let counted = |one, zero| [Instruction::Input(0), number(zero), greater, number(one), Instruction::Select(2, 3, 1)];
        assert_eq!(simpler(&counted(1.0, 0.0)), [Instruction::Input(0), number(0.0), greater]);
        // Negative zeros are other numbers, and what is chosen by no comparison may be any number.
        for kept in [counted(1.0, -0.0), counted(2.0, 0.0)] {
            assert_eq!(simpler(&kept), kept);
        }
        let chosen = [Instruction::Input(0), number(1.0), number(0.0), Instruction::Select(0, 1, 2)];
        assert_eq!(simpler(&chosen), chosen);
    }
}
