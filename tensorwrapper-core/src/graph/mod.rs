//! What is to be computed, as a graph of tensors and operations with labelled edges.
//!
//! A recorded equation becomes such a graph, passes rewrite the graph, and a plan is made from the last one. The graph describes
//! operations, but not how they are computed: it has no strides, no memory and no device. A program can read it, make it by hand, change
//! it by passes of its own, and run it.
//!
//! # What a graph is
//!
//! A graph is bipartite: [operations](OperationNode) read tensors and write tensors, and an [edge](Edge) is one reading or writing.
//!
//! * A [tensor](TensorNode) has extents, an element type and a [structure](Structure). It is either a *source*, which has a slot and is
//!   given when the graph runs, or the output of one operation.
//! * An [operation](Operation) runs over a space of *labels*, numbered from 0, each with an extent. For each axis of its tensor, an edge
//!   has either the label that the axis runs with, and the index at which it starts, or the position at which the axis is fixed. So
//!   transposes, slices, diagonals and broadcasts are ways of reading, and not operations. Values along a label that the output lacks are
//!   summed, or folded in another way.
//! * Operations are stored in an order in which they can run; [`OperationId`] and [`TensorId`] are positions. Nodes are only added to a
//!   graph, never changed or removed.
//! * The tensors that are *wanted* are the sinks, in the order asked for.
//!
//! Conjugation is part of an edge as well. [`OpGraph::verify`] checks all this, and what each operation demands.
//!
//! # Making and reading one
//!
//! `C[i, k] = A[i, j] * B[j, k]`, and the sum of all elements of `C`:
//!
//! ```
//! use num_complex::Complex;
//! # use tensorwrapper_core as tensorwrapper;
//! use tensorwrapper::Dtype;
//! use tensorwrapper::graph::{Edge, OpGraph, Operation, OperationId};
//!
//! let mut graph = OpGraph::new();
//! let a = graph.add_source(vec![2, 3], Dtype::F64); // slot 0
//! let b = graph.add_source(vec![3, 4], Dtype::F64); // slot 1
//! let (i, k, j) = (0, 1, 2); // labels of the first operation
//! let product = graph.add_operation(
//!     Operation::product(Complex::ONE),
//!     vec![Edge::whole(a, &[i, j]), Edge::whole(b, &[j, k])],
//!     &[(&[i, k], Dtype::F64)], // one output, with its labels and its element type
//!     vec![2, 4, 3],            // the extent of each label
//! )[0];
//! let total = graph.add_operation(
//!     Operation::product(Complex::ONE),
//!     vec![Edge::whole(product, &[0, 1])],
//!     &[(&[], Dtype::F64)],
//!     vec![2, 4],
//! )[0];
//! graph.add_sink(total);
//! graph.verify()?;
//!
//! // Reading: nodes by their numbers, ways along edges in both directions, costs.
//! assert_eq!(graph.tensor(product).extents, [2, 4]);
//! assert_eq!(graph.operation(OperationId(0)).folded_labels(), [j]);
//! assert_eq!(graph.predecessors(OperationId(1)), [OperationId(0)]);
//! assert_eq!(graph.operation(OperationId(0)).cost(), 24.0); // multiplications
//! # Ok::<(), tensorwrapper_core::Error>(())
//! ```
//!
//! # Rewriting one
//!
//! A graph is never changed in place. [`OpGraph::rebuild`] makes another one operation by operation, drops operations that nothing reads
//! any more, and verifies the result. Here a sum over a copy becomes a sum over the tensor that was copied:
//!
//! ```
//! use num_complex::Complex;
//! # use tensorwrapper_core as tensorwrapper;
//! use tensorwrapper::Dtype;
//! use tensorwrapper::graph::{Edge, OpGraph, Operation};
//!
//! let mut graph = OpGraph::new();
//! let a = graph.add_source(vec![2, 3], Dtype::F64);
//! let transposed = graph.add_permuted(a, &[1, 0]);
//! let inputs = vec![Edge::whole(transposed, &[0, 1])];
//! let sums = graph.add_operation(Operation::product(Complex::ONE), inputs, &[(&[1], Dtype::F64)], vec![3, 2])[0];
//! graph.add_sink(sums);
//!
//! let shorter = graph.rebuild(|rewriter, _, node| {
//!     let mut inputs = rewriter.inputs(node);
//!     for (edge, old) in inputs.iter_mut().zip(&node.inputs) {
//!         if old.tensor == transposed {
//!             *edge = Edge { tensor: rewriter.moved(a).expect("a source is there"), ..old.permuted(&[1, 0]) };
//!         }
//!     }
//!     Ok(rewriter.keep_over(node, inputs))
//! })?;
//! assert_eq!(shorter.operations().len(), 1);
//! assert_eq!(shorter.operations()[0].inputs[0].labels(), [1, 0]);
//! # Ok::<(), tensorwrapper_core::Error>(())
//! ```
//!
//! A pass that contexts run on every graph implements [`Rewrite`]. [`OpGraph::with_output_permuted`] lets an operation write its output
//! with its axes in another order, and changes all operations that read it. [`OpGraph::append`] puts one graph into another.
//!
//! # For those who extend this module
//!
//! The meaning of a variant of [`Operation`] is in one file, `operation/<variant>.rs`; rewriting is in `rewrite.rs`. Nothing here knows
//! equations, plans or devices.

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
