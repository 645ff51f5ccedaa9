//! Functions of tensors that do not change become operations of their own, so that their results can be kept from run to run:
//! `exp(A[i, j]) * x[j]` with another `x` in each run needs the exponentials once.

use num_complex::Complex;

use super::constants::pruned;
use tensorwrapper_core::backend::{Binary, Instruction, Program, Reduction, Unary};
use tensorwrapper_core::graph::{Edge, Label, OpGraph, Operation, OperationNode, Rewriter};

/// Integer powers up to this are a few products.
const FEW_FACTORS: u32 = 8;

/// The graph in which each function of kept tensors that changing work reads is an operation of its own, if it has no more
/// values than one of these tensors has elements. So a denominator with many labels is still not stored as a tensor.
pub(super) fn hoist_functions(graph: &OpGraph, kept: &[bool]) -> OpGraph {
    Rewriter::run(graph, |rewriter, _, node| {
        let Some((program, reduction)) = node.operation.as_map() else { return rewriter.keep(node) };
        if kept[node.outputs[0].tensor.0] {
            return rewriter.keep(node);
        }
        let found = Kept { node, program, kept }.functions();
        if found.is_empty() {
            return rewriter.keep(node);
        }
        let mut edges: Vec<Edge> = rewriter.inputs(node);
        let mut instructions = program.instructions().to_vec();
        for value in found {
            let (function, inputs) = over(program.instructions(), value);
            let inputs: Vec<&Edge> = inputs.iter().map(|&n| &edges[n]).collect();
            edges.push(alone(graph, rewriter.graph_mut(), node, function, &inputs));
            instructions[value] = Instruction::Input(edges.len() - 1);
        }
        let (program, inputs) = over(&instructions, instructions.len() - 1);
        let edges: Vec<Edge> = inputs.into_iter().map(|n| edges[n].clone()).collect();
        let labels = node.extents.len();
        let operation = match is_product(&program, reduction, (&edges, labels), rewriter.graph()) {
            true => Operation::product(Complex::ONE),
            false => Operation::Map { program, reduction },
        };
        rewriter.keep_over(&OperationNode { operation, ..node.clone() }, edges)
    })
}

/// A program that reads what stays as it is and what does not.
struct Kept<'g> {
    node: &'g OperationNode,
    program: &'g Program,
    kept: &'g [bool],
}

impl Kept<'_> {
    /// The registers that hold the functions which are worth an operation: the last ones of each chain.
    fn functions(&self) -> Vec<usize> {
        let instructions = self.program.instructions();
        let mut stays: Vec<bool> = Vec::with_capacity(instructions.len());
        let mut costs: Vec<bool> = Vec::with_capacity(instructions.len());
        for instruction in instructions {
            let registers = instruction.registers();
            stays.push(match instruction {
                Instruction::Input(n) | Instruction::Converted(n) => self.kept[self.node.inputs[*n].tensor.0],
                // The function behind a slot may be another one in each run.
                Instruction::Call(..) => false,
                _ => registers.iter().all(|&register| stays[register]),
            });
            costs.push(is_function(instruction) || registers.iter().any(|&register| costs[register]));
        }
        let (mut found, mut to_see) = (Vec::new(), vec![instructions.len() - 1]);
        let mut seen = vec![false; instructions.len()];
        while let Some(value) = to_see.pop() {
            if std::mem::replace(&mut seen[value], true) {
                continue;
            }
            match stays[value] && costs[value] && self.is_no_larger(value) {
                true => found.push(value),
                false => to_see.extend(instructions[value].registers()),
            }
        }
        found
    }

    /// Whether one of the tensors that a value is made of has all its labels.
    fn is_no_larger(&self, value: usize) -> bool {
        let (_, read) = over(self.program.instructions(), value);
        let labels: Vec<Vec<Label>> = read.iter().map(|&n| self.node.inputs[n].labels()).collect();
        labels.iter().any(|all| labels.iter().flatten().all(|label| all.contains(label)))
    }
}

/// Whether an instruction costs so much more than reading its result that memory is worth it: what a processor does in a few
/// instructions, divisions and roots included, is rather done again.
fn is_function(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Apply(function, _) => match function {
            Unary::Exp | Unary::Ln | Unary::Sin | Unary::Cos | Unary::Tan | Unary::Tanh => true,
            Unary::Sqrt | Unary::Abs | Unary::Recip | Unary::Conj | Unary::Re | Unary::Im => false,
            Unary::Sign | Unary::IsZero | Unary::IsPositive => false,
        },
        Instruction::PowerReal(..) => true,
        Instruction::PowerInteger(_, exponent) => exponent.unsigned_abs() > FEW_FACTORS,
        Instruction::Input(_)
        | Instruction::Converted(_)
        | Instruction::Constant(_)
        | Instruction::Negate(_)
        | Instruction::Combine(..)
        | Instruction::Compare(..)
        | Instruction::Select(..)
        | Instruction::Call(..) => false,
    }
}

/// The program of a value, and those inputs of the whole program that it reads, in its order.
fn over(instructions: &[Instruction], value: usize) -> (Program, Vec<usize>) {
    let program = pruned(instructions, value);
    let mut inputs = Vec::new();
    let mut place = |n: usize| {
        inputs.iter().position(|&input| input == n).unwrap_or_else(|| {
            inputs.push(n);
            inputs.len() - 1
        })
    };
    let instructions = program.instructions().iter().map(|&instruction| match instruction {
        Instruction::Input(n) => Instruction::Input(place(n)),
        Instruction::Converted(n) => Instruction::Converted(place(n)),
        other => other,
    });
    let program = Program::new(instructions.collect());
    (program, inputs)
}

/// Adds a program over inputs of an operation as an operation of its own; tells how that operation reads it.
fn alone(graph: &OpGraph, result: &mut OpGraph, node: &OperationNode, program: Program, inputs: &[&Edge]) -> Edge {
    let mut labels: Vec<Label> = inputs.iter().flat_map(|edge| edge.labels()).collect();
    labels.sort_unstable();
    labels.dedup();
    let own = |label: Label| labels.binary_search(&label).expect("all labels are there");
    let edges = inputs.iter().map(|edge| edge.relabelled(own)).collect();
    let dtype = graph.tensor(node.outputs[0].tensor).dtype;
    let extents = labels.iter().map(|&label| node.extents[label]).collect();
    let operation = Operation::element_wise(program);
    let numbers: Vec<Label> = (0..labels.len()).collect();
    let made = result.add_operation(operation, edges, &[(&numbers, dtype)], extents)[0];
    result.name_last_as(graph, node, labels.iter().copied());
    Edge::whole(made, &labels)
}

/// Whether a program multiplies two tensors, so that what sums it is a product as any other: one without a label that no factor has.
fn is_product(program: &Program, reduction: Reduction, (edges, labels): (&[Edge], usize), graph: &OpGraph) -> bool {
    let multiplies = [Instruction::Input(0), Instruction::Input(1), Instruction::Combine(Binary::Multiply, 0, 1)];
    let [a, b] = edges else { return false };
    reduction == Reduction::Sum
        && program.instructions() == multiplies
        && graph.tensor(a.tensor).dtype == graph.tensor(b.tensor).dtype
        && (0..labels).all(|label| a.labels().contains(&label) || b.labels().contains(&label))
}
