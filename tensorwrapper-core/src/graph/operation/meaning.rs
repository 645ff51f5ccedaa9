//! The trait that the variants of an operation implement.

use std::ops::RangeInclusive;

use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

/// What an operation of one kind means. The implementing types borrow what the variant holds.
pub(super) trait Meaning {
    /// The kind, in a word.
    fn name(&self) -> &'static str;

    /// How many inputs it may have.
    fn inputs(&self) -> RangeInclusive<usize>;

    /// How many outputs it has.
    fn outputs(&self) -> usize {
        1
    }

    /// What is wrong with a node. Its edges fit their tensors, and the numbers of its inputs and outputs are right.
    fn fault(&self, graph: &OpGraph, node: &OperationNode) -> Option<String>;

    /// Whether an input may be of another element type than the output.
    fn converts(&self, _input: usize) -> bool {
        false
    }

    /// Whether values are added along labels that the output lacks.
    fn adds(&self) -> bool {
        false
    }

    /// Operations on elements.
    fn cost(&self, node: &OperationNode) -> f64;

    /// The number of slots for functions of the program: one more than the highest slot that it calls.
    fn functions(&self) -> usize {
        0
    }

    /// Whether the axes of an input may be in any order on its edge.
    fn reads_in_any_order(&self) -> bool;

    /// Whether the axes of an output may be in any order on its edge.
    fn writes_in_any_order(&self) -> bool;

    /// The same operation with other labels, where it holds labels itself and they may be changed.
    fn relabelled(&self, new: &dyn Fn(Label) -> Label) -> Option<Operation>;
}

/// The number of points of the space of all labels.
pub(super) fn space(node: &OperationNode) -> f64 {
    node.extents.iter().map(|&extent| extent as f64).product()
}

/// Whether an operation folds its values along labels that its output lacks.
pub(super) fn folds(node: &OperationNode) -> bool {
    node.outputs[0].axes.len() < node.extents.len()
}
