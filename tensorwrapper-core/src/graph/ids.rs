//! Numbers of nodes and labels. They say nothing of what the nodes are.

/// Number of a tensor node in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub usize);

/// Number of an operation node in its graph. Operations are numbered in an order in which they can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub usize);

/// Number of a label in its operation.
pub type Label = usize;
