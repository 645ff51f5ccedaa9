//! Rewriting: the trait of passes, and a frame for passes that make a new graph operation by operation.
//!
//! A graph is never changed in place. A rewriter does not know why an operation is replaced.

use std::fmt::Debug;

use tensorwrapper_notation::sentence::{are, counted};

use super::edge::Edge;
use super::ids::{Label, OperationId, TensorId};
use super::nodes::{OpGraph, OperationNode};
use crate::error::{Error, ErrorKind};

/// A pass: it makes another graph that computes the same.
///
/// The graph that a pass returns is checked: it must keep its promises ([`OpGraph::verify`]), and have the same sources and as many
/// results, of the same extents and element types. [`OpGraph::rebuild`] is the easy way to write a pass.
///
/// ```
/// use num_complex::Complex;
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::Error;
/// use tensorwrapper::graph::{OpGraph, Operation, Rewrite};
///
/// /// Products with zero in front are filled with zeros instead.
/// #[derive(Debug)]
/// struct NoProductsByZero;
///
/// impl Rewrite for NoProductsByZero {
///     fn name(&self) -> &str {
///         "no products by zero"
///     }
///
///     fn rewrite(&self, graph: &OpGraph) -> Result<Option<OpGraph>, Error> {
///         use tensorwrapper::graph::{Instruction, Program};
///         let is_zero = |operation: &Operation| operation.as_product() == Some(Complex::ZERO);
///         if !graph.operations().iter().any(|node| is_zero(&node.operation)) {
///             return Ok(None); // nothing to be done
///         }
///         let rebuilt = graph.rebuild(|rewriter, _, node| {
///             if !is_zero(&node.operation) {
///                 return Ok(rewriter.keep(node));
///             }
///             let zero = Operation::element_wise(Program::new(vec![Instruction::Constant(Complex::ZERO)]));
///             let output = &node.outputs[0];
///             let dtype = graph.tensor(output.tensor).dtype;
///             let extents = graph.tensor(output.tensor).extents.clone();
///             let labels: Vec<usize> = (0..extents.len()).collect();
///             Ok(rewriter.graph_mut().add_operation(zero, vec![], &[(&labels, dtype)], extents))
///         })?;
///         Ok(Some(rebuilt))
///     }
/// }
/// ```
pub trait Rewrite: Debug + Send + Sync {
    /// The name of the pass in messages and explanations.
    fn name(&self) -> &str;

    /// Another graph that computes the same; `None` if the pass has nothing to change.
    ///
    /// # Errors
    /// An error if the pass cannot do its work. The computation that the graph was made for reports it.
    fn rewrite(&self, graph: &OpGraph) -> Result<Option<OpGraph>, Error>;
}

/// A new graph that is made from an old one, operation by operation. It begins with all sources of the old graph and the names of its
/// labels.
#[derive(Debug)]
pub struct Rewriter<'g> {
    old: &'g OpGraph,
    new: OpGraph,
    /// For each tensor of the old graph, the tensor of the new graph that replaces it.
    moved: Vec<Option<TensorId>>,
}

impl<'g> Rewriter<'g> {
    /// A new graph with the sources of `old`, and nothing else yet.
    pub fn new(old: &'g OpGraph) -> Rewriter<'g> {
        let mut new = OpGraph::with_capacity(old.sources().len(), old.operations().len());
        let mut moved = vec![None; old.tensors().len()];
        new.names_of(old);
        for source in old.sources() {
            moved[source.0] = Some(new.add_source_like(old.tensor(source)));
        }
        Rewriter { old, new, moved }
    }

    /// Makes a new graph from all operations in the order in which they run. For each operation, `make` adds its replacement to the new
    /// graph and returns the tensors that replace its outputs. It returns none for an operation that is left out, whose outputs nothing
    /// may read then. Nothing is checked; [`OpGraph::rebuild`] does that.
    pub fn run(
        old: &'g OpGraph,
        mut make: impl FnMut(&mut Rewriter<'g>, OperationId, &'g OperationNode) -> Vec<TensorId>,
    ) -> OpGraph {
        let mut rewriter = Rewriter::new(old);
        for (id, node) in old.forwards() {
            let made = make(&mut rewriter, id, node);
            rewriter.set(node, &made);
        }
        rewriter.finish()
    }

    /// The graph that is rewritten.
    pub fn old(&self) -> &'g OpGraph {
        self.old
    }

    /// The new graph so far.
    pub fn graph(&self) -> &OpGraph {
        &self.new
    }

    /// The new graph so far, to add operations to. They may read any tensor that it has.
    pub fn graph_mut(&mut self) -> &mut OpGraph {
        &mut self.new
    }

    /// The tensor of the new graph that replaces one of the old graph, if there is one yet.
    pub fn moved(&self, tensor: TensorId) -> Option<TensorId> {
        self.moved[tensor.0]
    }

    /// The edge of the new graph that corresponds to an edge of the old one.
    ///
    /// # Panics
    /// When nothing replaces its tensor yet, because the operation that computes it comes later, or was left out.
    pub fn read(&self, edge: &Edge) -> Edge {
        let tensor = self.moved[edge.tensor.0];
        Edge { tensor: tensor.expect("an operation reads what was made before it and not left out"), ..edge.clone() }
    }

    /// The edges of the new graph that correspond to the inputs of an operation of the old one.
    ///
    /// # Panics
    /// As [`read`](Rewriter::read).
    pub fn inputs(&self, node: &OperationNode) -> Vec<Edge> {
        node.inputs.iter().map(|edge| self.read(edge)).collect()
    }

    /// Adds an operation of the old graph as it is.
    ///
    /// # Panics
    /// As [`read`](Rewriter::read).
    pub fn keep(&mut self, node: &OperationNode) -> Vec<TensorId> {
        let inputs = self.inputs(node);
        self.keep_over(node, inputs)
    }

    /// Adds an operation of the old graph with other inputs, which are edges of the new one. The node may be a changed copy that has the
    /// outputs of the original.
    pub fn keep_over(&mut self, node: &OperationNode, inputs: Vec<Edge>) -> Vec<TensorId> {
        let made = self.new.add_operation_like(self.old, node, inputs);
        self.new.name_last_as(self.old, node, 0..node.extents.len());
        made
    }

    /// Replaces a tensor of the old graph by one of the new graph, in everything that is added from here on.
    pub fn replace(&mut self, old: TensorId, new: TensorId) {
        self.moved[old.0] = Some(new);
    }

    /// Replaces the outputs of an operation by tensors of the new graph.
    pub fn set(&mut self, node: &OperationNode, made: &[TensorId]) {
        for (edge, &tensor) in node.outputs.iter().zip(made) {
            self.moved[edge.tensor.0] = Some(tensor);
        }
    }

    /// Wants the tensor that replaces a tensor of the old graph.
    ///
    /// # Panics
    /// When nothing replaces it.
    pub fn want(&mut self, tensor: TensorId) {
        self.new.add_sink(self.moved[tensor.0].expect("something stands for every tensor that is wanted"));
    }

    /// The new graph, which wants only the tensors that [`want`](Rewriter::want) was called for.
    pub fn into_graph(self) -> OpGraph {
        self.new
    }

    /// The new graph, which wants the tensors that replace those wanted by the old one. Nothing is checked.
    ///
    /// # Panics
    /// When nothing replaces one of them.
    pub fn finish(mut self) -> OpGraph {
        self.old.sinks().iter().for_each(|&sink| self.want(sink));
        self.new
    }

    /// Whether tensors can replace the outputs of an operation.
    fn fits(&self, id: OperationId, made: &[TensorId]) -> Result<(), Error> {
        let node = self.old.operation(id);
        let refuse = |message: String| {
            Err(Error::new(ErrorKind::Shape(format!("what is to stand for operation {} of the graph: {message}", id.0))))
        };
        if made.len() != node.outputs.len() {
            return refuse(format!(
                "there {} {} for {}",
                are(made.len()),
                counted(made.len(), "tensor"),
                counted(node.outputs.len(), "output")
            ));
        }
        for (edge, tensor) in node.outputs.iter().zip(made) {
            let old = self.old.tensor(edge.tensor);
            let Some(new) = self.new.tensors().get(tensor.0) else {
                return refuse(format!("tensor {} does not exist", tensor.0));
            };
            if !new.is_like(old) {
                return refuse(format!("a tensor is {new} instead of {old}"));
            }
        }
        Ok(())
    }
}

impl OpGraph {
    /// Another graph with the same sources and results, made operation by operation in the order in which they run. For each operation,
    /// `make` adds its replacement to the new graph and returns one tensor for each of its outputs: those of [`keep`](Rewriter::keep), or
    /// any others of the same extents and element type. Operations that nothing reads then are left out, names of labels are kept, and
    /// the new graph is [verified](OpGraph::verify).
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::Dtype;
    /// use tensorwrapper::graph::{Edge, OpGraph, Operation};
    ///
    /// // Two copies, one of the other.
    /// let mut graph = OpGraph::new();
    /// let source = graph.add_source(vec![4], Dtype::F64);
    /// let copy = |graph: &mut OpGraph, tensor| {
    ///     graph.add_operation(Operation::copy(), vec![Edge::whole(tensor, &[0])], &[(&[0], Dtype::F64)], vec![4])[0]
    /// };
    /// let once = copy(&mut graph, source);
    /// let twice = copy(&mut graph, once);
    /// graph.add_sink(twice);
    ///
    /// // Whoever copies a copy may read what was copied first.
    /// let shorter = graph.rebuild(|rewriter, _, node| {
    ///     let mut inputs = rewriter.inputs(node);
    ///     if node.operation == Operation::copy()
    ///         && let Some(before) = graph.tensor(node.inputs[0].tensor).producer
    ///         && graph.operation(before).operation == Operation::copy()
    ///     {
    ///         inputs = rewriter.inputs(graph.operation(before));
    ///     }
    ///     Ok(rewriter.keep_over(node, inputs))
    /// })?;
    /// assert_eq!((graph.operations().len(), shorter.operations().len()), (2, 1));
    /// # Ok::<(), tensorwrapper_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of `make`, tensors that cannot replace the outputs of an operation, and a graph that breaks its promises.
    pub fn rebuild<'g>(
        &'g self,
        mut make: impl FnMut(&mut Rewriter<'g>, OperationId, &'g OperationNode) -> Result<Vec<TensorId>, Error>,
    ) -> Result<OpGraph, Error> {
        let mut rewriter = Rewriter::new(self);
        for (id, node) in self.forwards() {
            let made = make(&mut rewriter, id, node)?;
            rewriter.fits(id, &made)?;
            rewriter.set(node, &made);
        }
        let new = rewriter.finish();
        let new = new.without_dead().unwrap_or(new);
        new.verify()?;
        Ok(new)
    }

    /// Adds all operations of another graph. `sources` has the tensors of this graph that take the place of the other graph's sources, in
    /// the order of their slots. Returns the tensors that the other graph wants; this graph does not want them yet.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the number of tensors is not that of the sources, or one has other extents or another element type.
    pub fn append(&mut self, other: &OpGraph, sources: &[TensorId]) -> Result<Vec<TensorId>, Error> {
        if sources.len() != other.sources().len() {
            let message = format!(
                "there {} {} for {} of a graph",
                are(sources.len()),
                counted(sources.len(), "tensor"),
                counted(other.sources().len(), "source")
            );
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let mut moved = vec![None; other.tensors().len()];
        for (slot, (source, &tensor)) in other.sources().zip(sources).enumerate() {
            other.tensor(source).accepts(slot, self.tensor(tensor))?;
            moved[source.0] = Some(tensor);
        }
        let first = self.append_names(other);
        for node in other.operations() {
            let new = |tensor: TensorId| moved[tensor.0].expect("operations stand in an order in which they can run");
            let inputs = node.inputs.iter().map(|edge| Edge { tensor: new(edge.tensor), ..edge.clone() }).collect();
            let made = self.add_operation_like(other, node, inputs);
            self.name_last_appended(other, node, first);
            node.outputs.iter().zip(made).for_each(|(edge, tensor)| moved[edge.tensor.0] = Some(tensor));
        }
        Ok(other.sinks().iter().map(|sink| moved[sink.0].expect("what is wanted is computed or given")).collect())
    }

    /// Adds an operation of another graph, with inputs of this one. Its labels have no names yet.
    fn add_operation_like(&mut self, other: &OpGraph, node: &OperationNode, inputs: Vec<Edge>) -> Vec<TensorId> {
        let labels: Vec<Vec<Label>> = node.outputs.iter().map(Edge::labels).collect();
        let outputs: Vec<_> =
            node.outputs.iter().zip(&labels).map(|(e, l)| (l.as_slice(), other.tensor(e.tensor).dtype)).collect();
        self.add_operation(node.operation.clone(), inputs, &outputs, node.extents.clone())
    }
}
