//! What is to be computed, as a bipartite graph of tensors and operations with labelled edges.
//!
//! A graph is built by `lower`, rewritten by the passes of `optimize`, and says nothing of how: backends never see it.
//! Sources are slots, not tensors, so that a graph can be run again on others.

mod inputs;
mod names;
mod query;
#[cfg(test)]
mod tests;
mod verify;

use num_complex::Complex;
use smallvec::SmallVec;

pub use crate::backend::{
    Arguments, Binary, Decomposition, Elements, Factorisation, Instruction, Program, Reduction, Register, Role,
};
use crate::element::Dtype;
use crate::error::Error;

pub use inputs::Inputs;
use names::Origins;
pub use names::{LabelNames, Origin};
pub use query::Degree;

/// Number of a tensor node in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub usize);

/// Number of an operation node in its graph. Operations stand in an order in which they can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub usize);

/// Number of a label in its operation.
pub type Label = usize;

/// A tensor of a graph: a source that is given, or what an operation computes.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorNode {
    /// Its extents.
    pub extents: Vec<usize>,
    /// Its element type.
    pub dtype: Dtype,
    /// The operation that computes it; `None` for a source.
    pub producer: Option<OperationId>,
    /// The position among the tensors given, for a source.
    pub slot: Option<usize>,
}

impl TensorNode {
    /// Its bytes, as many as numbers hold where there are more.
    pub fn bytes(&self) -> u128 {
        self.extents.iter().fold(self.dtype.size() as u128, |bytes, &extent| bytes.saturating_mul(extent as u128))
    }
}

/// What stands for one axis of a tensor on an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeAxis {
    /// The axis runs with the label, whose index 0 is at `start` of the axis. A label on two axes is their diagonal.
    Label {
        /// The label.
        label: Label,
        /// Where it starts.
        start: usize,
    },
    /// The axis is fixed at a position.
    Chip(usize),
}

impl EdgeAxis {
    /// The label that the axis runs with.
    pub fn label(&self) -> Option<Label> {
        match *self {
            EdgeAxis::Label { label, .. } => Some(label),
            EdgeAxis::Chip(_) => None,
        }
    }
}

/// A tensor as an operation reads or writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The tensor.
    pub tensor: TensorId,
    /// One entry for each of its axes.
    pub axes: Vec<EdgeAxis>,
    /// Whether elements are conjugated as they are read.
    pub conjugate: bool,
}

impl Edge {
    /// The whole of a tensor, its axes these labels.
    pub fn whole(tensor: TensorId, labels: &[Label]) -> Edge {
        Edge { tensor, axes: labels.iter().map(|&label| EdgeAxis::Label { label, start: 0 }).collect(), conjugate: false }
    }

    /// The labels on this edge, each once, in order.
    pub fn labels(&self) -> Vec<Label> {
        let mut found = Vec::new();
        for axis in &self.axes {
            if let EdgeAxis::Label { label, .. } = axis
                && !found.contains(label)
            {
                found.push(*label);
            }
        }
        found
    }
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `output = alpha · Σ Π inputs`, summed over the labels that the output has not. Any number of inputs; a label
    /// may be on any number of them.
    Contract {
        /// The factor in front.
        alpha: Complex<f64>,
        /// What is computed with each element then: a program of which the sum is the first input. There are two factors then;
        /// the operation's other inputs, which have none but the output's labels, are the program's.
        then: Option<Program>,
    },
    /// `output = reduction of program(inputs)` over the labels that the output has not.
    Map {
        /// What is computed for each element.
        program: Program,
        /// How elements are folded where the output lacks a label.
        reduction: Reduction,
    },
    /// A product made in parts, so that nothing between is ever there as a whole. The body computes a part of the output from
    /// parts of the inputs: for each label that is cut, so many of its values at a time. Parts that differ in a label which the
    /// output has not are added.
    Sliced {
        /// The labels that are cut, and the length of a part, which divides the extent.
        parts: Vec<(Label, usize)>,
        /// What is done with each part. Its sources are the inputs' parts in their order, with an axis for each label of the
        /// input's edge; it wants one tensor, the output's part.
        body: Box<OpGraph>,
    },
    /// An operation of linear algebra on a batch of matrices, one output for each result. Its labels are those of the batch,
    /// then of its roles in their order; an operand's axes have those of the batch and of its own roles.
    Factorise(Decomposition),
    /// The input's elements in the same order, with other extents.
    Reshape,
    /// The last input written over a part of the output, which is the first input elsewhere, or zero without one.
    Write {
        /// The part of the output that is written; its labels are the axes of the last input.
        part: Vec<EdgeAxis>,
    },
}

/// An operation of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationNode {
    /// What it does.
    pub operation: Operation,
    /// What it reads.
    pub inputs: Vec<Edge>,
    /// What it writes; whole tensors, each label once.
    pub outputs: Vec<Edge>,
    /// The extent of each label.
    pub extents: Vec<usize>,
}

/// Tensors and operations, edges between them, and the tensors that are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpGraph {
    tensors: Vec<TensorNode>,
    operations: Vec<OperationNode>,
    /// The tensors that are given, by their slots.
    sources: SmallVec<[TensorId; 4]>,
    sinks: Vec<TensorId>,
    origins: Origins,
}

impl OpGraph {
    /// A graph without nodes.
    pub fn new() -> OpGraph {
        OpGraph::default()
    }

    /// The same, with room for so many sources and operations of one output.
    pub fn with_capacity(sources: usize, operations: usize) -> OpGraph {
        let (tensors, sinks) = (Vec::with_capacity(sources + operations), Vec::with_capacity(1));
        let sources = SmallVec::with_capacity(sources);
        OpGraph { tensors, operations: Vec::with_capacity(operations), sources, sinks, origins: Origins::default() }
    }

    /// All tensors; a [`TensorId`] is a position here.
    pub fn tensors(&self) -> &[TensorNode] {
        &self.tensors
    }

    /// All operations in an order in which they can run; an [`OperationId`] is a position here.
    pub fn operations(&self) -> &[OperationNode] {
        &self.operations
    }

    /// The tensors that are wanted, in the order asked for; one may be wanted twice.
    pub fn sinks(&self) -> &[TensorId] {
        &self.sinks
    }

    /// Adds a source, filled by the tensor given at the next position.
    pub fn add_source(&mut self, extents: Vec<usize>, dtype: Dtype) -> TensorId {
        let (source, slot) = (TensorId(self.tensors.len()), Some(self.sources.len()));
        self.tensors.push(TensorNode { extents, dtype, producer: None, slot });
        self.sources.push(source);
        source
    }

    /// Adds an operation with new tensors as its outputs: for each, its labels and its element type.
    pub fn add_operation(
        &mut self,
        operation: Operation,
        inputs: Vec<Edge>,
        outputs: &[(&[Label], Dtype)],
        extents: Vec<usize>,
    ) -> Vec<TensorId> {
        let producer = Some(OperationId(self.operations.len()));
        let mut edges = Vec::with_capacity(outputs.len());
        for &(labels, dtype) in outputs {
            let tensor = TensorId(self.tensors.len());
            self.tensors.push(TensorNode { extents: labels.iter().map(|&l| extents[l]).collect(), dtype, producer, slot: None });
            edges.push(Edge::whole(tensor, labels));
        }
        let made = edges.iter().map(|edge| edge.tensor).collect();
        self.operations.push(OperationNode { operation, inputs, outputs: edges, extents });
        made
    }

    /// Adds an operation with one new tensor as its output, whose labels are the first so many.
    pub fn add_leading(
        &mut self,
        operation: Operation,
        inputs: Vec<Edge>,
        kept: usize,
        dtype: Dtype,
        extents: Vec<usize>,
    ) -> TensorId {
        let (tensor, producer) = (TensorId(self.tensors.len()), Some(OperationId(self.operations.len())));
        self.tensors.push(TensorNode { extents: extents[..kept].to_vec(), dtype, producer, slot: None });
        let axes = (0..kept).map(|label| EdgeAxis::Label { label, start: 0 }).collect();
        self.operations.push(OperationNode {
            operation,
            inputs,
            outputs: vec![Edge { tensor, axes, conjugate: false }],
            extents,
        });
        tensor
    }

    /// Wants a tensor.
    pub fn add_sink(&mut self, tensor: TensorId) {
        self.sinks.push(tensor);
    }

    /// Whether the graph keeps its promises; every pass is followed by this in debug builds.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::error::ErrorKind::Shape) naming the operation and what is wrong with it.
    pub fn verify(&self) -> Result<(), Error> {
        verify::verify(self)
    }
}
