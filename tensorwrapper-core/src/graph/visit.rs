//! Ways through a graph: from an operation to the operations whose results it reads, and to those that read its results.

use super::ids::{OperationId, TensorId};
use super::nodes::{OpGraph, OperationNode};

/// The readers of each tensor of a graph, collected once. Asking the graph for the readers of one tensor looks at all its operations.
#[derive(Clone, Debug)]
pub struct Readers {
    /// For each tensor the operations and the numbers of their inputs.
    reads: Vec<Vec<(OperationId, usize)>>,
    /// How often each tensor is wanted.
    wanted: Vec<usize>,
}

impl Readers {
    /// The operations that read a tensor, and the numbers of their inputs, in the order in which they run.
    pub fn of(&self, tensor: TensorId) -> &[(OperationId, usize)] {
        &self.reads[tensor.0]
    }

    /// How often a tensor is wanted.
    pub fn wanted(&self, tensor: TensorId) -> usize {
        self.wanted[tensor.0]
    }

    /// How often a tensor is read or wanted.
    pub fn uses(&self, tensor: TensorId) -> usize {
        self.reads[tensor.0].len() + self.wanted[tensor.0]
    }
}

impl OpGraph {
    /// The readers of each tensor.
    pub fn readers(&self) -> Readers {
        let mut readers = Readers { reads: vec![Vec::new(); self.tensors.len()], wanted: vec![0; self.tensors.len()] };
        for (id, node) in self.forwards() {
            node.inputs.iter().enumerate().for_each(|(input, edge)| readers.reads[edge.tensor.0].push((id, input)));
        }
        self.sinks.iter().for_each(|sink| readers.wanted[sink.0] += 1);
        readers
    }

    /// Every operation with its number, each after all operations whose results it reads.
    pub fn forwards(&self) -> impl DoubleEndedIterator<Item = (OperationId, &OperationNode)> + ExactSizeIterator {
        self.operations.iter().enumerate().map(|(n, node)| (OperationId(n), node))
    }

    /// Every operation with its number, each after all operations that read its results.
    pub fn backwards(&self) -> impl DoubleEndedIterator<Item = (OperationId, &OperationNode)> + ExactSizeIterator {
        self.forwards().rev()
    }

    /// The operations whose results an operation reads, each once, in the order in which they run.
    pub fn predecessors(&self, id: OperationId) -> Vec<OperationId> {
        sorted(self.operation(id).inputs.iter().filter_map(|edge| self.tensor(edge.tensor).producer).collect())
    }

    /// The operations that read the results of an operation, each once, in the order in which they run.
    pub fn successors(&self, id: OperationId) -> Vec<OperationId> {
        sorted(self.operation(id).outputs.iter().flat_map(|edge| self.consumers(edge.tensor)).collect())
    }

    /// All operations that have to run before an operation can, in the order in which they run.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::Dtype;
    /// use tensorwrapper::graph::{Edge, OpGraph, Operation, OperationId};
    /// let mut graph = OpGraph::new();
    /// let mut last = graph.add_source(vec![4], Dtype::F64);
    /// for _ in 0..3 {
    ///     last = graph.add_operation(Operation::copy(), vec![Edge::whole(last, &[0])], &[(&[0], Dtype::F64)], vec![4])[0];
    /// }
    /// graph.add_sink(last);
    /// assert_eq!(graph.ancestors(OperationId(2)), [OperationId(0), OperationId(1)]);
    /// assert_eq!(graph.descendants(OperationId(0)), [OperationId(1), OperationId(2)]);
    /// ```
    pub fn ancestors(&self, id: OperationId) -> Vec<OperationId> {
        let mut needed = vec![false; self.operations.len()];
        needed[id.0] = true;
        for (id, node) in self.backwards() {
            if needed[id.0] {
                let producers = node.inputs.iter().filter_map(|edge| self.tensor(edge.tensor).producer);
                producers.for_each(|producer| needed[producer.0] = true);
            }
        }
        self.operation_ids().filter(|&other| needed[other.0] && other != id).collect()
    }

    /// All operations that read the results of an operation, directly or through other operations, in the order in which they run.
    pub fn descendants(&self, id: OperationId) -> Vec<OperationId> {
        let mut depends = vec![false; self.operations.len()];
        depends[id.0] = true;
        for (id, node) in self.forwards() {
            let mut producers = node.inputs.iter().filter_map(|edge| self.tensor(edge.tensor).producer);
            depends[id.0] |= producers.any(|producer| depends[producer.0]);
        }
        self.operation_ids().filter(|&other| depends[other.0] && other != id).collect()
    }
}

fn sorted(mut operations: Vec<OperationId>) -> Vec<OperationId> {
    operations.sort_unstable();
    operations.dedup();
    operations
}
