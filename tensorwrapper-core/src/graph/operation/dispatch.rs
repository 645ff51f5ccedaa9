//! The methods of operations. Each finds the meaning of the variant and asks it.

use std::ops::RangeInclusive;

use num_complex::Complex;
use tensorwrapper_notation::sentence::counted;

use super::contract::Contract;
use super::factorise::Factorise;
use super::map::Map;
use super::meaning::Meaning;
use super::place::Place;
use super::reshape::Reshape;
use super::sliced::Sliced;
use super::write::Write;
use crate::backend::{Decomposition, Instruction, Program, Reduction};
use crate::graph::edge::Edge;
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

impl Operation {
    /// Copies the elements of the input to a tensor of their own. The input's edge may read them in another order, or read only a part of
    /// them.
    pub fn copy() -> Operation {
        Operation::element_wise(Program::new(vec![Instruction::Input(0)]))
    }

    /// Computes a program for each element. If the output lacks a label, the values along it are added.
    pub fn element_wise(program: Program) -> Operation {
        Operation::Map { program, reduction: Reduction::Sum }
    }

    /// A number times the sum of the product of the inputs, over the labels that the output lacks.
    pub fn product(alpha: Complex<f64>) -> Operation {
        Operation::Contract { alpha, then: None }
    }

    /// The number in front of the sum, if the operation is a sum of products without an epilogue.
    pub fn as_product(&self) -> Option<Complex<f64>> {
        match self {
            Operation::Contract { alpha, then: None } => Some(*alpha),
            _ => None,
        }
    }

    /// The program and the reduction of an element-wise operation, if the operation is one.
    pub fn as_map(&self) -> Option<(&Program, Reduction)> {
        match self {
            Operation::Map { program, reduction } => Some((program, *reduction)),
            _ => None,
        }
    }

    /// The call of linear algebra, if the operation is one.
    pub fn as_factorise(&self) -> Option<&Decomposition> {
        match self {
            Operation::Factorise(call) => Some(call),
            _ => None,
        }
    }

    /// The kind of the operation, in a word.
    pub fn name(&self) -> &'static str {
        self.meaning(|meaning| meaning.name())
    }

    /// The number of slots for functions of the program: one more than the highest slot that it calls.
    pub fn functions(&self) -> usize {
        self.meaning(|meaning| meaning.functions())
    }

    /// Whether an input may be of another element type than the output.
    pub fn converts(&self, input: usize) -> bool {
        self.meaning(|meaning| meaning.converts(input))
    }

    /// Whether the axes of an input may be in any order on its edge, because only their labels count.
    pub fn reads_in_any_order(&self) -> bool {
        self.meaning(|meaning| meaning.reads_in_any_order())
    }

    /// Whether the axes of an output may be in any order on its edge.
    pub fn writes_in_any_order(&self) -> bool {
        self.meaning(|meaning| meaning.writes_in_any_order())
    }

    /// The same operation with other numbers for its labels; `None` if the numbers have a fixed meaning, as in linear algebra.
    pub fn relabelled(&self, new: impl Fn(Label) -> Label) -> Option<Operation> {
        self.meaning(|meaning| meaning.relabelled(&new))
    }

    fn meaning<R>(&self, tell: impl FnOnce(&dyn Meaning) -> R) -> R {
        match self {
            Operation::Contract { alpha, then } => tell(&Contract { alpha: *alpha, then: then.as_ref() }),
            Operation::Map { program, reduction } => tell(&Map { program, reduction: *reduction }),
            Operation::Place { program, extreme } => tell(&Place { program, extreme: *extreme }),
            Operation::Sliced { parts, body } => tell(&Sliced { parts, body }),
            Operation::Factorise(call) => tell(&Factorise(call)),
            Operation::Reshape => tell(&Reshape),
            Operation::Write { part } => tell(&Write(part)),
        }
    }
}

impl OperationNode {
    /// The number of operations on elements. For a product these are its multiplications, pair by pair in the order of its factors;
    /// otherwise the operations on each element of the space of all labels.
    pub fn cost(&self) -> f64 {
        self.operation.meaning(|meaning| meaning.cost(self))
    }

    /// The number of parts in which it is made: 1 if it is made as a whole.
    pub fn parts(&self) -> f64 {
        match &self.operation {
            Operation::Sliced { parts, .. } => {
                parts.iter().map(|&(label, length)| (self.extents[label] / length) as f64).product()
            }
            _ => 1.0,
        }
    }

    /// Whether values are added along labels that the output lacks.
    pub fn sums(&self) -> bool {
        self.outputs.len() == 1
            && self.outputs[0].axes.len() < self.extents.len()
            && self.operation.meaning(|meaning| meaning.adds())
    }

    /// The labels that the first output lacks. Values along these labels are added, or folded in another way.
    pub fn folded_labels(&self) -> Vec<Label> {
        let kept = self.outputs[0].labels();
        (0..self.extents.len()).filter(|label| !kept.contains(label)).collect()
    }

    /// The same operation with other numbers for its labels: label `n` becomes `new[n]`.
    ///
    /// `None` if the numbers of labels have a fixed meaning, as in linear algebra.
    ///
    /// # Panics
    /// When `new` does not name each label once.
    pub fn relabelled(&self, new: &[Label]) -> Option<OperationNode> {
        assert!(super::super::edge::is_permutation(new, self.extents.len()), "{new:?} is no order of the labels");
        let operation = self.operation.relabelled(|label| new[label])?;
        let edges = |edges: &[Edge]| edges.iter().map(|edge| edge.relabelled(|label| new[label])).collect();
        let mut extents = vec![0; new.len()];
        self.extents.iter().zip(new).for_each(|(&extent, &label)| extents[label] = extent);
        Some(OperationNode { operation, inputs: edges(&self.inputs), outputs: edges(&self.outputs), extents })
    }

    /// What is wrong with the node beside its edges.
    pub(in crate::graph) fn fault(&self, graph: &OpGraph) -> Option<String> {
        let (inputs, outputs): (RangeInclusive<usize>, usize) =
            self.operation.meaning(|meaning| (meaning.inputs(), meaning.outputs()));
        if !inputs.contains(&self.inputs.len()) || outputs != self.outputs.len() {
            return Some(format!(
                "{} and {} do not fit it",
                counted(self.inputs.len(), "input"),
                counted(self.outputs.len(), "output")
            ));
        }
        let dtype = graph.tensor(self.outputs[outputs - 1].tensor).dtype;
        let differs = |(n, edge): (usize, &Edge)| graph.tensor(edge.tensor).dtype != dtype && !self.operation.converts(n);
        if self.inputs.iter().enumerate().any(differs) {
            return Some("its element types do not agree".to_string());
        }
        self.operation.meaning(|meaning| meaning.fault(graph, self))
    }
}
