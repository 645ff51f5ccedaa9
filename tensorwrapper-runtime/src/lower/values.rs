//! Which values are lowered when, and the sources that tensors are. Knows nothing of what equations are.

use std::sync::Arc;

use super::Given;
use super::{Frame, Lowering};
use crate::expr::{Source, Value};
use crate::link::Link;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{Label, TensorId};
use tensorwrapper_core::layout::Strided;

/// Operations inside each other beyond which what they need is lowered before them: they take about as much of the stack as those of
/// one equation may.
const DEEPEST: usize = 100;

impl<'a> Lowering<'a> {
    /// A value in the graph. It is lowered where it is read, so that little lies between; but recordings are chains of any length, and
    /// what is further down than [`DEEPEST`] is lowered before all that needs it, by a list instead of recursion.
    pub(super) fn value(&mut self, value: &Link<Value<'a>>) -> TensorId {
        if let Some(&known) = self.known.get(&Link::address(value)) {
            return known;
        }
        if self.depth < DEEPEST {
            self.new_value(value);
            return self.known[&Link::address(value)];
        }
        let mut open = vec![value];
        while let Some(&next) = open.last() {
            let own = open.len();
            if !self.known.contains_key(&Link::address(next)) {
                next.needs(&mut |needed| {
                    if !self.known.contains_key(&Link::address(needed)) {
                        open.push(needed);
                    }
                });
                // The first that is needed comes first.
                open[own..].reverse();
                if open.len() == own {
                    self.new_value(next);
                }
            }
            if open.len() == own {
                open.pop();
            }
        }
        self.known[&Link::address(value)]
    }

    /// Lowers a value that is not in the graph.
    fn new_value(&mut self, value: &Link<Value<'a>>) {
        self.depth += 1;
        let tensor = match &value.source {
            Source::Tensor(tensor) => self.source(Given::Borrowed(tensor.clone())),
            Source::Computed(tensor) => self.source(Given::Computed(Arc::clone(tensor), tensor.erase().layout)),
            Source::Equation { tree, extents, axes, names } => {
                let names = self.graph.add_names(names);
                self.equation(tree, Frame { extents, dtype: value.dtype, axes, names })
            }
            Source::Factorised(call, result) => {
                let operation = self.factorised(call);
                self.graph.operations()[operation.0].outputs[*result].tensor
            }
            Source::Reshaped(inner) => {
                let inner = self.value(inner);
                self.reshape(inner, value.extents.clone())
            }
            Source::Written { base, axes, part } => {
                let labels: Vec<Label> = (0..part.extents.len()).collect();
                let part_tensor = self.value(part);
                let base = base.as_ref().map(|base| self.value(base));
                self.written(value, base, axes, part_tensor, &labels, &part.extents)
            }
        };
        self.depth -= 1;
        self.known.insert(Link::address(value), tensor);
    }

    /// A tensor of the program; the same elements in the same order are one source.
    pub(super) fn source(&mut self, tensor: Given<'a>) -> TensorId {
        match self.known_sources.get(&identity(&tensor)) {
            Some(&known) => known,
            None => self.new_source(tensor),
        }
    }

    pub(super) fn new_source(&mut self, tensor: Given<'a>) -> TensorId {
        let (extents, dtype) = (tensor.layout().extents().to_vec(), tensor.data().dtype());
        let source = self.graph.add_source(extents, dtype);
        self.known_sources.entry(identity(&tensor)).or_insert(source);
        self.sources.push(tensor);
        source
    }
}

/// What is the same of tensors with the same elements in the same order.
fn identity(tensor: &Given<'_>) -> (Dtype, usize, usize, Strided) {
    let (dtype, len, start) = tensor.data().identity();
    (dtype, len, start, tensor.layout().clone())
}
