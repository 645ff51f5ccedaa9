//! Classifies the work of an operation of a graph.

use std::fmt;

use tensorwrapper_core::backend::{Binary, Instruction, Program};
use tensorwrapper_core::graph::{Label, Operation, OperationNode};

/// The kind of work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// `[] = x[i] * y[i]`
    Dot,
    /// A tensor times a number, or the sum of two such tensors.
    Axpy,
    /// `[i, j] = x[i] * y[j]`
    Outer,
    /// `[i] = A[i, k] * x[k]`
    MatVec,
    /// `[i, j] = A[i, k] * B[k, j]`
    MatMul,
    /// A function of the elements at one index.
    ElementWise,
    /// A sum or another reduction over elements of one tensor.
    Reduction,
    /// A copy of elements, perhaps with the axes in another order.
    Permutation,
    /// A decomposition of matrices.
    Decomposition,
    /// Products computed in parts, so that they need less memory.
    Parts,
    /// A change of extents without a copy.
    Reshape,
}

impl Class {
    /// The name of the class, for people.
    pub fn name(self) -> &'static str {
        match self {
            Class::Dot => "dot",
            Class::Axpy => "axpy",
            Class::Outer => "outer",
            Class::MatVec => "matvec",
            Class::MatMul => "matmul",
            Class::ElementWise => "element-wise",
            Class::Reduction => "reduction",
            Class::Permutation => "permutation",
            Class::Decomposition => "decomposition",
            Class::Parts => "in-parts",
            Class::Reshape => "reshape",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The class of an operation, and whether it is batched.
pub(in crate::exec) fn class(node: &OperationNode) -> (Class, bool) {
    match &node.operation {
        Operation::Contract { then, .. } => match &node.inputs[..if then.is_some() { 2 } else { node.inputs.len() }] {
            [a, b] => product(node, &a.labels(), &b.labels()),
            _ if node.outputs[0].axes.len() < node.extents.len() => (Class::Reduction, false),
            [_] if then.is_none() => (Class::Permutation, false),
            _ => (Class::ElementWise, false),
        },
        Operation::Map { program, .. } => {
            let folds = node.outputs[0].axes.len() < node.extents.len();
            // A product of which nothing is summed is element-wise to those who compute it, and has a name all the same.
            if let ([a, b], false) = (&node.inputs[..], folds)
                && is_product(program)
            {
                return product(node, &a.labels(), &b.labels());
            }
            let class = match program.instructions() {
                _ if folds => Class::Reduction,
                [Instruction::Input(0)] => Class::Permutation,
                _ if is_axpy(node, program) => Class::Axpy,
                _ => Class::ElementWise,
            };
            (class, false)
        }
        Operation::Place { .. } => (Class::Reduction, false),
        Operation::Factorise(call) => (Class::Decomposition, call.batch > 0),
        Operation::Sliced { .. } => (Class::Parts, false),
        Operation::Reshape => (Class::Reshape, false),
        Operation::Write { .. } => (Class::Permutation, false),
    }
}

/// The class of a product of two factors. Labels that only one factor has and the result lacks are summed before, and do not
/// count.
fn product(node: &OperationNode, a: &[Label], b: &[Label]) -> (Class, bool) {
    let kept = node.outputs[0].labels();
    let both = |label: &&Label| a.contains(label) && b.contains(label);
    let batched = kept.iter().any(|label| both(&label));
    let summed = a.iter().any(|label| b.contains(label) && !kept.contains(label));
    let own = |labels: &[Label], other: &[Label]| labels.iter().any(|label| kept.contains(label) && !other.contains(label));
    match (summed, own(a, b), own(b, a)) {
        (true, true, true) => (Class::MatMul, batched),
        (true, true, false) | (true, false, true) => (Class::MatVec, batched),
        (true, false, false) => (Class::Dot, batched),
        (false, true, true) => (Class::Outer, batched),
        (false, true, false) | (false, false, true) => (Class::Axpy, batched),
        (false, false, false) => (Class::ElementWise, false),
    }
}

/// Whether a program multiplies its inputs, perhaps with numbers, and does nothing else.
fn is_product(program: &Program) -> bool {
    program.instructions().iter().all(|instruction| match instruction {
        Instruction::Input(_) | Instruction::Constant(_) | Instruction::Negate(_) => true,
        Instruction::Combine(operator, ..) => *operator == Binary::Multiply,
        Instruction::Converted(_)
        | Instruction::Apply(..)
        | Instruction::PowerInteger(..)
        | Instruction::PowerReal(..)
        | Instruction::Compare(..)
        | Instruction::Select(..)
        | Instruction::Call(..) => false,
    })
}

/// Whether a program adds two whole tensors, each perhaps times a number.
fn is_axpy(node: &OperationNode, program: &Program) -> bool {
    let whole = node.inputs.iter().all(|edge| edge.labels().len() == node.extents.len());
    // What each register is: a number, a tensor times a number, a sum of such.
    #[derive(Clone, Copy, PartialEq)]
    enum Is {
        Number,
        Scaled,
        Sum,
        Other,
    }
    let mut registers: Vec<Is> = Vec::new();
    for instruction in program.instructions() {
        registers.push(match *instruction {
            Instruction::Input(_) => Is::Scaled,
            Instruction::Constant(_) => Is::Number,
            Instruction::Negate(a) => registers[a],
            Instruction::Combine(operator, a, b) => match (operator, registers[a], registers[b]) {
                (Binary::Multiply, Is::Scaled, Is::Number) | (Binary::Multiply, Is::Number, Is::Scaled) => Is::Scaled,
                (Binary::Divide, Is::Scaled, Is::Number) => Is::Scaled,
                (Binary::Add | Binary::Subtract, Is::Scaled, Is::Scaled) => Is::Sum,
                _ => Is::Other,
            },
            Instruction::Converted(_)
            | Instruction::Apply(..)
            | Instruction::PowerInteger(..)
            | Instruction::PowerReal(..)
            | Instruction::Compare(..)
            | Instruction::Select(..)
            | Instruction::Call(..) => Is::Other,
        });
    }
    let made = registers.last().copied();
    whole && (made == Some(Is::Sum) || made == Some(Is::Scaled))
}
