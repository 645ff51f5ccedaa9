//! Bounds of what an equation over integers computes, whatever the order of its sums and products.

use smallvec::SmallVec;
use tensorwrapper_core::backend::{Binary, Instruction, Program, Reduction, Unary};
use tensorwrapper_core::graph::{Edge, OpGraph, Operation, OperationNode};

/// Half of what double precision counts to without gaps: bounds are rounded themselves.
const MOST: f64 = (1u64 << 52) as f64;

/// Whether double precision holds everything that a graph computes of integers.
/// `largest` has the largest absolute value of each source.
pub(super) fn fit(graph: &OpGraph, largest: impl Iterator<Item = f64>) -> bool {
    let mut bounds = vec![0.0; graph.tensors().len()];
    graph.sources().zip(largest).for_each(|(source, largest)| bounds[source.0] = largest);
    let sources_fit = graph.sources().all(|source| bounds[source.0] <= MOST);
    sources_fit
        && graph.operations().iter().all(|node| match bound(node, &bounds) {
            Some(bound) if bound <= MOST => {
                node.outputs.iter().for_each(|output| bounds[output.tensor.0] = bound);
                true
            }
            _ => false,
        })
}

/// The largest absolute value that an operation computes on the way to its result, sums and products in any order. Factors count as 1 at
/// least, because a product may be formed before it is multiplied by zero.
fn bound(node: &OperationNode, known: &[f64]) -> Option<f64> {
    let of = |edge: &Edge| known[edge.tensor.0];
    let kept = node.outputs[0].labels();
    let terms = (0..node.extents.len()).filter(|label| !kept.contains(label)).map(|label| node.extents[label].max(1) as f64);
    let terms: f64 = terms.product();
    match &node.operation {
        Operation::Contract { alpha, then } => {
            let (factors, others) = node.inputs.split_at(if then.is_some() { 2 } else { node.inputs.len() });
            let is_whole = alpha.im == 0.0 && alpha.re.fract() == 0.0;
            let product = factors.iter().map(of).fold(alpha.re.abs().max(1.0), product);
            let sum = is_whole.then_some(product * terms)?;
            let Some(program) = then else { return Some(sum) };
            let inputs: Vec<f64> = [sum].into_iter().chain(others.iter().map(of)).collect();
            largest(program, &inputs).map(|bound| bound.max(sum))
        }
        Operation::Map { program, reduction } => {
            let inputs: Vec<f64> = node.inputs.iter().map(of).collect();
            let element = largest(program, &inputs)?;
            Some(match reduction {
                Reduction::Sum => element * terms,
                Reduction::Product => element.max(1.0).powf(terms),
                Reduction::Max | Reduction::Min => element,
            })
        }
        Operation::Reshape | Operation::Write { .. } => Some(node.inputs.iter().map(of).fold(0.0, f64::max)),
        Operation::Place { .. } | Operation::Sliced { .. } | Operation::Factorise(_) => None,
    }
}

fn product(a: f64, b: f64) -> f64 {
    a.max(1.0) * b.max(1.0)
}

/// The largest absolute value of all registers, for inputs of at most these; nothing where that is not known.
pub(super) fn largest(program: &Program, inputs: &[f64]) -> Option<f64> {
    let mut registers = SmallVec::<[f64; 16]>::new();
    for instruction in program.instructions() {
        let bound = match *instruction {
            Instruction::Input(n) | Instruction::Converted(n) => inputs[n],
            Instruction::Constant(c) => (c.im == 0.0 && c.re.fract() == 0.0).then_some(c.re.abs())?,
            Instruction::Negate(a) | Instruction::Apply(Unary::Abs | Unary::Conj | Unary::Re | Unary::Im, a) => registers[a],
            Instruction::PowerInteger(a, exponent) if exponent >= 0 => registers[a].max(1.0).powi(exponent),
            Instruction::Combine(Binary::Add | Binary::Subtract, a, b) => registers[a] + registers[b],
            Instruction::Combine(Binary::Multiply, a, b) => product(registers[a], registers[b]),
            Instruction::Compare(..) => 1.0,
            Instruction::Select(_, a, b) => registers[a].max(registers[b]),
            Instruction::Apply(..)
            | Instruction::PowerInteger(..)
            | Instruction::PowerReal(..)
            | Instruction::Combine(Binary::Divide, ..)
            | Instruction::Call(..) => return None,
        };
        registers.push(bound);
    }
    registers.into_iter().reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper_core::backend::Comparison;
    use tensorwrapper_core::element::Dtype;

    /// The graph of an operation over two vectors, which results in a number.
    fn graph(operation: Operation, terms: usize) -> OpGraph {
        let mut graph = OpGraph::new();
        let inputs = [(); 2].map(|()| Edge::whole(graph.add_source(vec![terms], Dtype::F64), &[0])).to_vec();
        let made = graph.add_operation(operation, inputs, &[(&[], Dtype::F64)], vec![terms]);
        graph.add_sink(made[0]);
        graph
    }

    fn fits(operation: Operation, factors: [i64; 2], terms: usize) -> bool {
        let largest = factors.map(|factor| factor.unsigned_abs() as f64);
        fit(&graph(operation, terms), largest.into_iter())
    }

    fn product(alpha: f64) -> Operation {
        Operation::Contract { alpha: alpha.into(), then: None }
    }

    #[test]
    fn bounds_are_those_of_all_terms_together() {
        assert!(fits(product(1.0), [1 << 25, -(1 << 25)], 4));
        assert!(!fits(product(1.0), [1 << 25, -(1 << 25)], 5));
        assert!(!fits(product(-2.0), [1 << 25, 1 << 25], 4));
        // A product may be formed before it is multiplied by zero.
        assert!(!fits(product(1.0), [0, i64::MIN], 1));
        assert!(!fits(product(1.5), [1, 1], 1));
    }

    #[test]
    fn programs_are_followed_step_by_step() {
        let map = |last: Instruction| {
            let instructions = vec![Instruction::Input(0), Instruction::Input(1), last];
            Operation::Map { program: Program::new(instructions), reduction: Reduction::Sum }
        };
        let combined = |operation| map(Instruction::Combine(operation, 0, 1));
        assert!(fits(combined(Binary::Add), [1 << 50, 1 << 50], 2));
        assert!(!fits(combined(Binary::Subtract), [1 << 50, 1 << 50], 3));
        assert!(fits(map(Instruction::PowerInteger(0, 4)), [1 << 13, 0], 1));
        assert!(!fits(map(Instruction::PowerInteger(0, 5)), [1 << 13, 0], 1));
        assert!(!fits(map(Instruction::PowerInteger(0, -1)), [1, 1], 1));
        assert!(!fits(combined(Binary::Divide), [1, 1], 1));
        // An intermediate counts, too.
        let squared = vec![
            Instruction::Input(0),
            Instruction::Combine(Binary::Multiply, 0, 0),
            Instruction::Compare(Comparison::Less, 1, 0),
        ];
        let operation = Operation::Map { program: Program::new(squared), reduction: Reduction::Sum };
        assert!(!fits(operation, [1 << 30, 0], 1));
    }

    #[test]
    fn products_over_labels_grow_with_every_factor() {
        let operation = |reduction| Operation::Map { program: Program::new(vec![Instruction::Input(0)]), reduction };
        assert!(fits(operation(Reduction::Product), [1 << 13, 0], 4));
        assert!(!fits(operation(Reduction::Product), [1 << 13, 0], 5));
        assert!(fits(operation(Reduction::Max), [1 << 52, 0], 1000));
    }
}
