//! Copies of tensors, and the order of their axes: permuted for one reader, or where the tensor is computed.

use tensorwrapper_notation::sentence::counted;

use super::edge::{Edge, is_permutation};
use super::ids::{Label, OperationId, TensorId};
use super::nodes::{OpGraph, Operation, OperationNode};
use super::rewrite::Rewriter;
use crate::error::{Error, ErrorKind};

impl OpGraph {
    /// Adds a tensor with the same elements in memory of its own.
    ///
    /// # Panics
    /// When the graph has no such tensor.
    pub fn add_copy(&mut self, tensor: TensorId) -> TensorId {
        let axes: Vec<usize> = (0..self.tensor(tensor).extents.len()).collect();
        self.add_permuted(tensor, &axes)
    }

    /// For each source that is wanted as it is, wants a copy instead, because a plan computes every result.
    pub fn copy_wanted_sources(&mut self) {
        for place in 0..self.sinks.len() {
            let sink = self.sinks[place];
            if self.tensor(sink).producer.is_none() {
                self.sinks[place] = self.add_copy(sink);
            }
        }
    }

    /// Adds a tensor with the same elements, whose axis `n` is axis `axes[n]` of the given one. If all its readers can read the given
    /// tensor in its own order, a pass removes the copy.
    ///
    /// # Panics
    /// When the graph has no such tensor, or `axes` does not name each of its axes once.
    pub fn add_permuted(&mut self, tensor: TensorId, axes: &[usize]) -> TensorId {
        let node = self.tensor(tensor);
        assert!(is_permutation(axes, node.extents.len()), "{axes:?} is no order of {}", counted(node.extents.len(), "axis"));
        let (dtype, extents) = (node.dtype, node.extents.clone());
        let labels: Vec<Label> = (0..extents.len()).collect();
        self.add_operation(Operation::copy(), vec![Edge::whole(tensor, &labels)], &[(axes, dtype)], extents)[0]
    }

    /// The same graph, but one output of an operation has its axes in another order: axis `n` is what was axis `axes[n]`. Operations that
    /// read the output read it in the new order. If the output is wanted, the graph wants a copy in the old order.
    ///
    /// ```
    /// use num_complex::Complex;
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::Dtype;
    /// use tensorwrapper::graph::{Edge, OpGraph, Operation, OperationId};
    /// let mut graph = OpGraph::new();
    /// let a = graph.add_source(vec![2, 3], Dtype::F64);
    /// let product = |graph: &mut OpGraph, a, b| {
    ///     let inputs = vec![Edge::whole(a, &[0, 2]), Edge::whole(b, &[1, 2])];
    ///     graph.add_operation(Operation::product(Complex::ONE), inputs, &[(&[0, 1], Dtype::F64)], vec![2, 2, 3])[0]
    /// };
    /// let square = product(&mut graph, a, a);
    /// let inputs = vec![Edge::whole(square, &[0, 2]), Edge::whole(a, &[2, 1])];
    /// let last = graph.add_operation(Operation::product(Complex::ONE), inputs, &[(&[0, 1], Dtype::F64)], vec![2, 3, 2])[0];
    /// graph.add_sink(last);
    ///
    /// let turned = graph.with_output_permuted(OperationId(0), 0, &[1, 0])?;
    /// assert_eq!(turned.operation(OperationId(0)).outputs[0].labels(), [1, 0]);
    /// assert_eq!(turned.operation(OperationId(1)).inputs[0].labels(), [2, 0]);
    /// # Ok::<(), tensorwrapper_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for an operation whose outputs have a fixed order of axes, as in linear algebra.
    ///
    /// # Panics
    /// When the graph has no such output, or `axes` does not name each of its axes once.
    pub fn with_output_permuted(&self, operation: OperationId, output: usize, axes: &[usize]) -> Result<OpGraph, Error> {
        let node = self.operation(operation);
        if !node.operation.writes_in_any_order() {
            let message = format!("the results of `{}` have an order of their own", node.operation.name());
            return Err(Error::new(ErrorKind::Unsupported(message)));
        }
        let old = node.outputs[output].tensor;
        let mut changed = node.clone();
        changed.outputs[output] = node.outputs[output].permuted(axes);
        // Where each axis of the old tensor is in the new one.
        let mut back = vec![0; axes.len()];
        axes.iter().enumerate().for_each(|(new, &axis)| back[axis] = new);
        // The tensor in its old order, where somebody needs that.
        let mut restored: Option<TensorId> = None;
        let is_wanted = self.sinks().contains(&old);
        let new = Rewriter::run(self, |rewriter, id, node| {
            if id == operation {
                let made = rewriter.keep(&changed);
                if is_wanted {
                    restored = Some(rewriter.graph_mut().add_permuted(made[output], &back));
                }
                return made;
            }
            let inputs = reading(rewriter, node, (old, axes, &back), &mut restored);
            rewriter.keep_over(node, inputs)
        });
        let new = match restored.filter(|_| is_wanted) {
            Some(tensor) => {
                new.with_sinks(self.sinks().iter().enumerate().filter(|(_, sink)| **sink == old).map(|(n, _)| (n, tensor)))
            }
            None => new,
        };
        new.verify()?;
        Ok(new)
    }

    /// The same graph that wants other tensors in some places.
    fn with_sinks(mut self, changed: impl Iterator<Item = (usize, TensorId)>) -> OpGraph {
        changed.for_each(|(place, tensor)| self.sinks[place] = tensor);
        self
    }
}

/// What an operation reads in the new graph, where the tensor `old` has its axes in another order.
fn reading(
    rewriter: &mut Rewriter<'_>,
    node: &OperationNode,
    (old, axes, back): (TensorId, &[usize], &[usize]),
    restored: &mut Option<TensorId>,
) -> Vec<Edge> {
    let mut inputs = rewriter.inputs(node);
    for (edge, known) in inputs.iter_mut().zip(&node.inputs).filter(|(_, known)| known.tensor == old) {
        if node.operation.reads_in_any_order() {
            *edge = edge.permuted(axes);
        } else {
            let tensor = edge.tensor;
            let copy = restored.get_or_insert_with(|| rewriter.graph_mut().add_permuted(tensor, back));
            *edge = Edge { tensor: *copy, ..known.clone() };
        }
    }
    inputs
}
