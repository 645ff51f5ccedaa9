//! The program's names for the labels of operations, for showing a graph to people. Nothing is computed from them.

use std::sync::Arc;

use smallvec::SmallVec;

use super::ids::{Label, OperationId};
use super::nodes::{OpGraph, OperationNode};
use super::origins::{LabelNames, Origin};

impl OpGraph {
    /// The name of an operation's label, and a pair of numbers that differs from that of every other label with the same name; `None` for
    /// a label that has no name.
    pub fn label_name(&self, operation: OperationId, label: Label) -> Option<(&str, [u32; 2])> {
        let origin = self.origins.operations.get(operation.0)?.get(label)?;
        let name = self.origins.equations.get(origin.equation as usize)?.get(origin.label as usize)?;
        Some((name, [origin.equation, origin.label]))
    }

    /// Adds the names of one more equation, and returns the number of this equation in the graph.
    pub fn add_names(&mut self, names: &LabelNames) -> usize {
        Arc::make_mut(&mut self.origins.equations).push(names.clone());
        self.origins.equations.len() - 1
    }

    /// Records the origins of the labels of the operation added last: these labels of an equation, whose names were
    /// [added](OpGraph::add_names).
    pub fn name_last(&mut self, equation: usize, labels: &[usize]) {
        let origin = |&label: &usize| Origin { equation: equation as u32, label: label as u32 };
        self.set_last(labels.iter().map(origin).collect());
    }

    /// Gives this graph the equations and names of another graph.
    pub fn names_of(&mut self, other: &OpGraph) {
        self.origins.equations = Arc::clone(&other.origins.equations);
    }

    /// Appends the names of all equations of another graph, and returns the number of the first.
    pub(super) fn append_names(&mut self, other: &OpGraph) -> u32 {
        let first = self.origins.equations.len() as u32;
        Arc::make_mut(&mut self.origins.equations).extend_from_slice(&other.origins.equations);
        first
    }

    /// Records the origins of the labels of the operation added last: those of an operation of another graph, whose names were
    /// [appended](OpGraph::append_names) from number `first` on.
    pub(super) fn name_last_appended(&mut self, other: &OpGraph, node: &OperationNode, first: u32) {
        let known = other.origins_of(node).unwrap_or_default();
        let moved = known.iter().map(|origin| Origin { equation: origin.equation + first, ..*origin });
        self.set_last(moved.collect());
    }

    /// Records the origins of the labels of the operation added last: these labels of an operation of another graph, whose names this
    /// graph [has](OpGraph::names_of).
    pub fn name_last_as(&mut self, other: &OpGraph, node: &OperationNode, labels: impl Iterator<Item = Label>) {
        if let Some(known) = other.origins_of(node) {
            self.name_last_from(known, labels);
        }
    }

    /// Where the labels of an operation come from, if that is known.
    pub fn origins_of(&self, node: &OperationNode) -> Option<&[Origin]> {
        let producer = self.tensor(node.outputs[0].tensor).producer;
        producer.and_then(|id| self.origins.operations.get(id.0)).map(SmallVec::as_slice)
    }

    /// Records the origins of the labels of the operation added last: these entries of `known`.
    pub fn name_last_from(&mut self, known: &[Origin], labels: impl Iterator<Item = Label>) {
        let origins: Option<SmallVec<_>> = labels.map(|label| known.get(label).copied()).collect();
        self.set_last(origins.unwrap_or_default());
    }

    fn set_last(&mut self, origins: SmallVec<[Origin; 6]>) {
        let last = self.operations.len().saturating_sub(1);
        self.origins.operations.resize(last, SmallVec::new());
        self.origins.operations.push(origins);
    }
}
