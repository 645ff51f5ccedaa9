//! What is to be computed, as a bipartite graph of tensors and operations with labelled edges.
//!
//! todo

mod cost;
mod dce;
mod edge;
mod ids;
mod inputs;
mod names;
mod nodes;
mod operation;
mod origins;
mod permute;
mod query;
mod rewrite;
#[cfg(test)]
mod tests;
mod verify;
mod visit;

pub use crate::backend::{
    Arguments, Binary, Decomposition, Elements, Factorisation, Instruction, Program, Reduction, Register, Role, Unary,
};

pub use edge::{Edge, EdgeAxis};
pub use ids::{Label, OperationId, TensorId};
pub use inputs::Inputs;
pub use nodes::{OpGraph, Operation, OperationNode, Structure, TensorNode};
pub use origins::{LabelNames, Origin};
pub use query::Degree;
pub use rewrite::{Rewrite, Rewriter};
pub use visit::Readers;
