//! Questions to a graph.

use super::ids::{OperationId, TensorId};
use super::nodes::{OpGraph, OperationNode, TensorNode};

/// How many edges a tensor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degree {
    /// Edges from operations that compute it: 0 for a source, else 1.
    pub incoming: usize,
    /// Edges to operations that read it.
    pub outgoing: usize,
}

impl OpGraph {
    /// The tensors that are given, in the order of their slots.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = TensorId> + '_ {
        self.sources.iter().copied()
    }

    /// Every tensor.
    pub fn tensor_ids(&self) -> impl Iterator<Item = TensorId> + use<> {
        (0..self.tensors.len()).map(TensorId)
    }

    /// Every operation, in an order in which they can run.
    pub fn operation_ids(&self) -> impl Iterator<Item = OperationId> + use<> {
        (0..self.operations.len()).map(OperationId)
    }

    /// A tensor's node.
    ///
    /// # Panics
    /// When the graph has no such tensor.
    pub fn tensor(&self, id: TensorId) -> &TensorNode {
        &self.tensors[id.0]
    }

    /// An operation's node.
    ///
    /// # Panics
    /// When the graph has no such operation.
    pub fn operation(&self, id: OperationId) -> &OperationNode {
        &self.operations[id.0]
    }

    /// The operations that read a tensor, each as often as it has edges from the tensor.
    pub fn consumers(&self, id: TensorId) -> impl Iterator<Item = OperationId> + '_ {
        self.operation_ids().flat_map(move |o| self.operation(o).inputs.iter().filter(move |e| e.tensor == id).map(move |_| o))
    }

    /// How many edges a tensor has.
    pub fn degree(&self, id: TensorId) -> Degree {
        Degree { incoming: usize::from(self.tensor(id).producer.is_some()), outgoing: self.consumers(id).count() }
    }

    /// Whether `consumer` reads a tensor that `producer` computes.
    pub fn adjacent(&self, producer: OperationId, consumer: OperationId) -> bool {
        self.operation(consumer).inputs.iter().any(|edge| self.tensor(edge.tensor).producer == Some(producer))
    }
}
