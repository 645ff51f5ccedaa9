//! Lowers operations of linear algebra to nodes of a graph. Knows only what the table of their axes says about them.

use std::sync::Arc;

use super::{Frame, Lowering};
use crate::expr::{Factorised, Source, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Decomposition;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, Operation, OperationId};

impl<'a> Lowering<'a> {
    /// Adds an operation of linear algebra with all its results to the graph, or finds it if another of its results was lowered
    /// before.
    pub(super) fn factorised(&mut self, call: &Arc<Factorised<'a>>) -> OperationId {
        if let Some(&known) = self.calls.get(&Arc::as_ptr(call)) {
            return known;
        }
        // What is for derivatives alone makes no other operation.
        let what = &Decomposition { broaden: None, ..call.call.clone() };
        let form = what.form();
        let inputs: Vec<Edge> = call
            .arguments
            .iter()
            .zip(form.arguments)
            .map(|(argument, roles)| self.argument(argument, &what.labels(roles)))
            .collect();
        let is_same =
            |id: &&OperationId| matches!(&self.graph.operation(**id).operation, Operation::Factorise(known) if known == what);
        let existing = self.factorised.get(&inputs).and_then(|known| known.iter().find(is_same).copied());
        let operation = existing.unwrap_or_else(|| {
            let dtype = call.arguments[0].dtype;
            let outputs: Vec<(Vec<Label>, Dtype)> =
                form.results.iter().map(|result| (what.labels(result.roles), what.dtype(result.elements, dtype))).collect();
            let outputs: Vec<(&[Label], Dtype)> = outputs.iter().map(|(labels, dtype)| (&labels[..], *dtype)).collect();
            let made = OperationId(self.graph.operations().len());
            self.factorised.entry(inputs.clone()).or_default().push(made);
            self.graph.add_operation(Operation::Factorise(what.clone()), inputs, &outputs, call.extents.clone());
            made
        });
        self.calls.insert(Arc::as_ptr(call), operation);
        operation
    }

    /// An argument whose axes are these labels of the operation. A tensor of the program is read in place.
    fn argument(&mut self, value: &Link<Value<'a>>, labels: &[Label]) -> Edge {
        if let Source::Equation { tree, extents, axes, names } = &value.source
            && tree.is_read()
        {
            let names = self.graph.add_names(names);
            let frame = Frame { extents, dtype: value.dtype, axes, names };
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
