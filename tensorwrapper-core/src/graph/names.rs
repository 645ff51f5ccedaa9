//! What the program calls the labels of operations, for those who show a graph to people. Nothing is computed from it.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{Label, OpGraph, OperationId, OperationNode};

/// The names of an equation's labels in their order, each ended by [`END`]. One allocation, as an equation is recorded quickly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelNames(Arc<str>);

/// What ends a name: no name has it.
const END: char = '\n';

impl LabelNames {
    /// These names.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>) -> LabelNames {
        let mut text = String::with_capacity(64);
        for name in names {
            text.push_str(name);
            text.push(END);
        }
        LabelNames(text.into())
    }

    pub fn get(&self, label: usize) -> Option<&str> {
        self.0.split_terminator(END).nth(label)
    }
}

/// A label of one of the equations of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    equation: u32,
    label: u32,
}

impl Origin {
    /// A label of the first equation of a graph.
    pub fn of_first(label: usize) -> Origin {
        Origin { equation: 0, label: label as u32 }
    }
}

/// Where the labels of operations come from. An operation without an entry has labels that nobody named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origins {
    /// Shared by a graph and those that passes make of it.
    equations: Arc<Vec<LabelNames>>,
    operations: Vec<SmallVec<[Origin; 6]>>,
}

impl OpGraph {
    /// The name of an operation's label, and a number that tells it from other labels of that name; `None` for a label that has no
    /// name.
    pub fn label_name(&self, operation: OperationId, label: Label) -> Option<(&str, [u32; 2])> {
        let origin = self.origins.operations.get(operation.0)?.get(label)?;
        let name = self.origins.equations.get(origin.equation as usize)?.get(origin.label as usize)?;
        Some((name, [origin.equation, origin.label]))
    }

    /// Takes up the names of one more equation, and tells its number here.
    pub fn add_names(&mut self, names: &LabelNames) -> usize {
        Arc::make_mut(&mut self.origins.equations).push(names.clone());
        self.origins.equations.len() - 1
    }

    /// Says that the labels of the operation added last are these of an equation.
    pub fn name_last(&mut self, equation: usize, labels: &[usize]) {
        let origin = |&label: &usize| Origin { equation: equation as u32, label: label as u32 };
        self.set_last(labels.iter().map(origin).collect());
    }

    /// The same names of equations as another graph has.
    pub fn names_of(&mut self, other: &OpGraph) {
        self.origins.equations = Arc::clone(&other.origins.equations);
    }

    /// Says that the labels of the operation added last are these of an operation of another graph, whose names this graph
    /// [has](OpGraph::names_of).
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

    /// Says that the labels of the operation added last are these, by their numbers among `known` ones.
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
