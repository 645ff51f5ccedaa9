//! What a graph costs: operations on elements, and bytes of memory.

use super::ids::TensorId;
use super::nodes::OpGraph;

impl OpGraph {
    /// The number of operations on elements, for all operations of the graph; see [`OperationNode::cost`](super::OperationNode::cost).
    pub fn cost(&self) -> f64 {
        self.operations.iter().map(|node| node.cost()).sum()
    }

    /// The number of slots for functions of the program: one more than the highest slot that an operation calls.
    pub fn functions(&self) -> usize {
        self.operations.iter().map(|node| node.operation.functions()).max().unwrap_or(0)
    }

    /// The most bytes that intermediates and results take at the same time, if each intermediate is freed after its last reader.
    pub fn peak_bytes(&self) -> f64 {
        let bytes = |tensor: TensorId| {
            let node = self.tensor(tensor);
            node.extents.iter().map(|&extent| extent as f64).product::<f64>() * node.dtype.size() as f64
        };
        let mut last = vec![None; self.tensors.len()];
        for (number, node) in self.operations.iter().enumerate() {
            node.inputs.iter().chain(&node.outputs).for_each(|edge| last[edge.tensor.0] = Some(number));
        }
        self.sinks.iter().for_each(|sink| last[sink.0] = None);
        let (mut now, mut peak) = (0.0, 0.0f64);
        for (number, node) in self.operations.iter().enumerate() {
            now += node.outputs.iter().map(|edge| bytes(edge.tensor)).sum::<f64>();
            peak = peak.max(now);
            let mut gone: Vec<TensorId> = node.inputs.iter().chain(&node.outputs).map(|edge| edge.tensor).collect();
            gone.sort_unstable();
            gone.dedup();
            gone.retain(|tensor| last[tensor.0] == Some(number) && self.tensor(*tensor).producer.is_some());
            now -= gone.into_iter().map(bytes).sum::<f64>();
        }
        peak
    }
}
