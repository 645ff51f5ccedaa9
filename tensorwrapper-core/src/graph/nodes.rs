//! The nodes of a graph, the graph itself, and how nodes are added.
//!
//! An operation may hold a graph (the body of a product that is made in parts), so both types are in one file. What operations mean is
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
    /// All elements, each by itself.
    #[default]
    Dense,
    /// A structure that no operation knows, so that tests can check that it is refused.
    #[cfg(test)]
    Unknown,
}

/// A tensor of a graph: a source, or the output of an operation.
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
    /// The position of a source among the tensors that are given; `None` for other tensors.
    pub slot: Option<usize>,
}

impl TensorNode {
    /// Its size in bytes, or the largest number if it has more.
    pub fn bytes(&self) -> u128 {
        self.extents.iter().fold(self.dtype.size() as u128, |bytes, &extent| bytes.saturating_mul(extent as u128))
    }
}

impl TensorNode {
    /// Checks that another tensor can be given for this source, which has that slot.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`], with both extents and element types, if it cannot.
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
/// The meaning of an operation to a graph (its cost, what it may read, what is wrong with it) is in its methods, with one file for each
/// variant.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `output = alpha · Σ Π inputs`, summed over the labels that the output lacks. There may be any number of inputs, and a label may be
    /// on any number of them.
    Contract {
        /// The number in front of the sum.
        alpha: Complex<f64>,
        /// The epilogue, which is computed with each element: a program whose first input is the sum. The operation then has two factors.
        /// Its other inputs have labels of the output only, and are the other inputs of the program.
        then: Option<Program>,
    },
    /// `output = reduction of program(inputs)` over the labels that the output lacks.
    Map {
        /// What is computed for each element.
        program: Program,
        /// How elements are folded where the output lacks a label.
        reduction: Reduction,
    },
    /// `output = k` such that `program(inputs)` is at its largest or smallest at the index k of the one label that the output lacks: the
    /// first of equal ones, and the first that is no number, if there is one. Graphs have it for devices that
    /// [find places](crate::backend::Device::places); for others it is two reductions.
    Place {
        /// What is computed for each element.
        program: Program,
        /// Whether the largest or the smallest value is looked for: [`Reduction::Max`] or [`Reduction::Min`].
        extreme: Reduction,
    },
    /// A product made in parts, so that no intermediate is ever stored as a whole. The body computes a part of the output from parts of
    /// the inputs, which have a fixed number of values of each label that is cut. Parts that differ only in labels that the output lacks
    /// are added.
    Sliced {
        /// The labels that are cut, each with the number of its values in a part, which divides the extent.
        parts: Vec<(Label, usize)>,
        /// What is done with each part. The sources of the body are the parts of the inputs in their order, with an axis for each label
        /// of the input's edge. It wants one tensor, the part of the output.
        body: Box<OpGraph>,
    },
    /// An operation of linear algebra on a batch of matrices, with one output for each result. The labels are those of the batch, then
    /// those of each role in their order. An operand's axes have the labels of the batch and of the operand's own roles.
    Factorise(Decomposition),
    /// The input's elements in the same order, with other extents.
    Reshape,
    /// The output is the first input, or zero if there is only one input, with a part of it overwritten by the last input.
    Write {
        /// The part of the output that is written; its labels are those of the last input's axes.
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
    /// What it writes: whole tensors, with each label once.
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

    /// A graph without nodes, with room for this number of sources and of operations with one output.
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

    /// The tensors that are wanted, in the order asked for. A tensor may be in the list twice.
    pub fn sinks(&self) -> &[TensorId] {
        &self.sinks
    }

    /// Adds a dense source, which takes the next slot.
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

    /// Adds a source with the extents, element type and structure of a tensor, which may be one of another graph.
    pub fn add_source_like(&mut self, tensor: &TensorNode) -> TensorId {
        self.add_structured_source(tensor.extents.clone(), tensor.dtype, tensor.structure)
    }

    /// Adds an operation with new tensors as its outputs; `outputs` has the labels and the element type of each.
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

    /// Adds an operation with one new tensor as its output, whose axes have the first labels of the operation, as many as asked for.
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

    /// Adds a tensor to those that are wanted.
    pub fn add_sink(&mut self, tensor: TensorId) {
        self.sinks.push(tensor);
    }
}
