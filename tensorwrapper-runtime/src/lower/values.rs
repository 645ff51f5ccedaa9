//! Decides when values are lowered, and maps tensors to sources. Knows nothing of equations.

use std::sync::Arc;

use super::SourceTensor;
use super::{Frame, Lowering};
use crate::expr::{Inlined, Meaning, Source, Value};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::graph::{Label, TensorId};

/// Operations inside each other beyond which what they need is lowered before them: they take about as much of the stack as those of
/// one equation may.
const DEEPEST: usize = 100;

impl<'a> Lowering<'a> {
    /// The tensor of a value in the graph. A value is lowered just before it is first read, so that few intermediates exist at
    /// once. But recordings may be chains of any length, so values nested deeper than [`DEEPEST`] are lowered before their
    /// readers, with a list instead of recursion.
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
            Source::Tensor(tensor) => self.source(SourceTensor::Borrowed(tensor.clone())),
            Source::Computed(tensor, meaning) => self.computed(tensor, *meaning),
            Source::Solved(solved, n) => self.computed(&solved.solution[*n], Meaning::Tensor),
            Source::Equation { tree, extents, axes, names } => {
                let names = self.graph.add_names(names);
                self.equation(tree, Frame { extents, dtype: value.dtype, axes, names })
            }
            Source::Factorised(call, result) => {
                let operation = self.factorised(call);
                self.graph.operations()[operation.0].outputs[*result].tensor
            }
            Source::Graph(inlined, result) => self.inlined(inlined)[*result],
            Source::Reshaped(inner) => {
                let inner = self.value(inner);
                self.reshape(inner, value.extents.clone())
            }
            Source::Held(inner) => self.value(inner),
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

    /// What a graph wants, its operations being those of this graph. Values of the same graph over the same operands find them.
    fn inlined(&mut self, inlined: &Arc<Inlined<'a>>) -> &[TensorId] {
        let place = Arc::as_ptr(inlined);
        if !self.inlined.contains_key(&place) {
            let sources: Vec<TensorId> = inlined.operands.iter().map(|operand| self.value(operand)).collect();
            let made = self.graph.append(&inlined.graph, &sources).expect("operands were compared with the graph's sources");
            // A tensor of the program's is never its own result.
            let computed = made.into_iter().map(|tensor| match self.graph.tensor(tensor).producer {
                Some(_) => tensor,
                None => self.graph.add_copy(tensor),
            });
            let computed = computed.collect();
            self.inlined.insert(place, computed);
        }
        &self.inlined[&place]
    }

    /// A tensor of the program; the same elements in the same order are one source.
    pub(super) fn source(&mut self, tensor: SourceTensor<'a>) -> TensorId {
        match self.known_sources.get(&tensor.identity()) {
            Some(&known) => known,
            None => self.new_source(tensor),
        }
    }

    fn computed(&mut self, tensor: &Arc<AnyTensor>, meaning: Meaning) -> TensorId {
        let (tensor, layout) = (Arc::clone(tensor), tensor.erase().layout);
        self.source(match meaning {
            Meaning::Tensor => SourceTensor::Computed(tensor, layout),
            Meaning::Index | Meaning::Mask => SourceTensor::Constant(tensor, layout),
        })
    }

    pub(super) fn new_source(&mut self, tensor: SourceTensor<'a>) -> TensorId {
        let (extents, dtype) = (tensor.layout().extents().to_vec(), tensor.data().dtype());
        let source = self.graph.add_structured_source(extents, dtype, tensor.structure());
        self.known_sources.entry(tensor.identity()).or_insert(source);
        self.sources.push(tensor);
        source
    }
}
