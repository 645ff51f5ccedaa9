//! The nodes of a graph, the graph itself, and how nodes are added.
//!
//! An operation may hold a graph (the body of what is done in parts), so both types stand in one file. What operations mean is
//! not known here; see `operation`.

use std::fmt;

use num_complex::Complex;
use smallvec::SmallVec;

use super::edge::{Edge, EdgeAxis};
use super::ids::{Label, OperationId, TensorId};
use super::origins::Origins;
use crate::backend::{Decomposition, Program, Reduction};
use crate::element::Dtype;
use crate::error::{Error, ErrorKind};

/// Which elements of a tensor are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Structure {
    /// All of them, each by itself.
    #[default]
    Dense,
    /// A structure that no operation knows, so that tests see it refused.
    #[cfg(test)]
    Unknown,
}

/// A tensor of a graph: a source that is given, or what an operation computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorNode {
    /// Its extents.
    pub extents: Vec<usize>,
    /// Its element type.
    pub dtype: Dtype,
    /// Which of its elements are stored.
    pub structure: Structure,
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

impl TensorNode {
    /// Whether another tensor can be given for this source, which has that slot.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] naming both extents and element types.
    pub fn accepts(&self, slot: usize, given: &TensorNode) -> Result<(), Error> {
        if self.is_like(given) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Shape(format!("source {slot} of the graph is {self}, and the tensor for it is {given}"))))
    }

    /// Whether another tensor has the same extents, element type and structure.
    pub fn is_like(&self, other: &TensorNode) -> bool {
        (&self.extents, self.dtype, self.structure) == (&other.extents, other.dtype, other.structure)
    }
}

/// Its element type and extents, and its structure where that is not dense.
impl fmt::Display for TensorNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of extents {:?}", self.dtype, self.extents)?;
        match self.structure {
            Structure::Dense => Ok(()),
            #[cfg(test)]
            structure => write!(f, " and structure {structure:?}"),
        }
    }
}

/// What an operation does.
///
/// What an operation means to a graph (its cost, what it may read, what is wrong with it) are methods; they stand in one file
/// for each variant.
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
    /// A product made in parts, so that no intermediate is ever stored as a whole. The body computes a part of the output from
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

/// Tensors and operations, edges between them, and the tensors that are wanted. See the [module](super) for an example.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpGraph {
    pub(super) tensors: Vec<TensorNode>,
    pub(super) operations: Vec<OperationNode>,
    /// The tensors that are given, by their slots.
    pub(super) sources: SmallVec<[TensorId; 4]>,
    pub(super) sinks: Vec<TensorId>,
    pub(super) origins: Origins,
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

    /// Adds a dense source, filled by the tensor given at the next position.
    pub fn add_source(&mut self, extents: Vec<usize>, dtype: Dtype) -> TensorId {
        self.add_structured_source(extents, dtype, Structure::Dense)
    }

    /// Adds a source of a structure.
    pub fn add_structured_source(&mut self, extents: Vec<usize>, dtype: Dtype, structure: Structure) -> TensorId {
        let (source, slot) = (TensorId(self.tensors.len()), Some(self.sources.len()));
        self.tensors.push(TensorNode { extents, dtype, structure, producer: None, slot });
        self.sources.push(source);
        source
    }

    /// Adds a source with extents, element type and structure of a tensor, which may be one of another graph.
    pub fn add_source_like(&mut self, tensor: &TensorNode) -> TensorId {
        self.add_structured_source(tensor.extents.clone(), tensor.dtype, tensor.structure)
    }

    /// Adds an operation with new tensors as its outputs: for each, its labels and its element type.
    ///
    /// Whether the operation fits its edges is checked by [`verify`](OpGraph::verify).
    ///
    /// # Panics
    /// When an output has a label without an extent.
    pub fn add_operation(
        &mut self,
        operation: Operation,
        inputs: Vec<Edge>,
        outputs: &[(&[Label], Dtype)],
        extents: Vec<usize>,
    ) -> Vec<TensorId> {
        let mut edges = Vec::with_capacity(outputs.len());
        for &(labels, dtype) in outputs {
            let tensor = self.add_made(labels.iter().map(|&l| extents[l]).collect(), dtype);
            edges.push(Edge::whole(tensor, labels));
        }
        let made = edges.iter().map(|edge| edge.tensor).collect();
        self.operations.push(OperationNode { operation, inputs, outputs: edges, extents });
        made
    }

    /// Adds an operation with one new tensor as its output, whose labels are the first so many.
    ///
    /// # Panics
    /// When there are fewer labels than that.
    pub fn add_leading(
        &mut self,
        operation: Operation,
        inputs: Vec<Edge>,
        kept: usize,
        dtype: Dtype,
        extents: Vec<usize>,
    ) -> TensorId {
        let tensor = self.add_made(extents[..kept].to_vec(), dtype);
        let labels: SmallVec<[Label; 8]> = (0..kept).collect();
        let outputs = vec![Edge::whole(tensor, &labels)];
        self.operations.push(OperationNode { operation, inputs, outputs, extents });
        tensor
    }

    /// A tensor that the operation computes which is added next.
    fn add_made(&mut self, extents: Vec<usize>, dtype: Dtype) -> TensorId {
        let (tensor, producer) = (TensorId(self.tensors.len()), Some(OperationId(self.operations.len())));
        self.tensors.push(TensorNode { extents, dtype, structure: Structure::Dense, producer, slot: None });
        tensor
    }

    /// Wants a tensor.
    pub fn add_sink(&mut self, tensor: TensorId) {
        self.sinks.push(tensor);
    }
}
