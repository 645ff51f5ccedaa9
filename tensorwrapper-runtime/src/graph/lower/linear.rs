//! Recorded operations of linear algebra → the graph's, reading where things lie.

use std::sync::Arc;

use tensorwrapper_notation::Function;

use super::{Frame, Lowering};
use crate::element::Dtype;
use crate::expr::{Factorised, Source, Tree, Value};
use crate::graph::{Edge, EdgeAxis, Label, Operation, OperationId, OperationNode};

impl<'a> Lowering<'a> {
    /// An operation of linear algebra is one of the graph's with all its results; asking for a second one finds the first's.
    pub(super) fn factorised(&mut self, call: &Arc<Factorised<'a>>) -> OperationId {
        if let Some(&known) = self.calls.get(&Arc::as_ptr(call)) {
            return known;
        }
        let (what, form) = (&call.call, call.call.form());
        let inputs: Vec<Edge> = call
            .arguments
            .iter()
            .zip(form.arguments)
            .map(|(argument, roles)| self.argument(argument, &what.labels(roles)))
            .collect();
        let is_same = |node: &OperationNode| matches!(&node.operation, Operation::Factorise(known) if known == what);
        let existing = self.graph.operations().iter().position(|node| is_same(node) && node.inputs == inputs);
        let operation = existing.map(OperationId).unwrap_or_else(|| {
            let dtype = call.arguments[0].dtype;
            let outputs: Vec<(Vec<Label>, Dtype)> =
                form.results.iter().map(|result| (what.labels(result.roles), what.dtype(result.elements, dtype))).collect();
            let outputs: Vec<(&[Label], Dtype)> = outputs.iter().map(|(labels, dtype)| (&labels[..], *dtype)).collect();
            self.graph.add_operation(Operation::Factorise(what.clone()), inputs, &outputs, call.extents.clone());
            OperationId(self.graph.operations().len() - 1)
        });
        self.calls.insert(Arc::as_ptr(call), operation);
        operation
    }

    /// An argument whose axes are these labels of the operation. What lies in memory is read where it lies.
    fn argument(&mut self, value: &Arc<Value<'a>>, labels: &[Label]) -> Edge {
        if let Source::Equation { tree, extents, axes } = &value.source
            && let Tree::Operand(..) | Tree::Apply(Function::Conj, _) = tree
        {
            let frame = Frame { extents, dtype: value.dtype, axes };
            if let Some(mut edge) = self.tree(tree, frame).as_edge() {
                for axis in &mut edge.axes {
                    if let EdgeAxis::Label { label, .. } = axis {
                        let place = axes.iter().position(|axis| axis == label);
                        *label = labels[place.expect("an argument has its labels as axes")];
                    }
                }
                return edge;
            }
        }
        Edge::whole(self.value(value), labels)
    }
}
