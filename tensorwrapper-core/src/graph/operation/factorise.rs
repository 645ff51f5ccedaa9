//! Operations of linear algebra. All that is known of them here is the table of their axes.

use std::ops::{Range, RangeInclusive};

use tensorwrapper_notation::sentence::counted;

use super::meaning::Meaning;
use crate::backend::linear::Factorisation;
use crate::backend::{Decomposition, Role};
use crate::graph::ids::Label;
use crate::graph::nodes::{OpGraph, Operation, OperationNode};

pub(super) struct Factorise<'o>(pub(super) &'o Decomposition);

impl Factorise<'_> {
    /// The extents of the labels of a role, multiplied.
    fn size(&self, node: &OperationNode, role: Role) -> usize {
        let labels = self.0.labels(&[role]);
        labels[self.0.batch..].iter().fold(1, |all: usize, &label| all.saturating_mul(node.extents[label]))
    }

    /// A matrix that is not square, or a new axis that is not as long as it should be.
    fn size_fault(&self, node: &OperationNode) -> Option<String> {
        let form = self.0.form();
        let [rows, columns] = [Role::Row, Role::Column].map(|role| self.size(node, role));
        if form.is_square && rows != columns {
            return Some(format!("a matrix of {} and {} is not square", counted(rows, "row"), counted(columns, "column")));
        }
        let kept = rows.min(columns).min(self.0.max.unwrap_or(usize::MAX));
        // Divided differences have an axis for each order.
        let new_rows = match self.0.kind {
            Factorisation::Divided => rows.saturating_pow(self.0.exponent.unsigned_abs()),
            _ => rows,
        };
        [(Role::New, kept), (Role::NewRow, new_rows), (Role::NewColumn, columns)].into_iter().find_map(|(role, extent)| {
            let is_made = form.results.iter().any(|result| result.roles.contains(&role));
            let size = self.size(node, role);
            (is_made && size != extent).then(|| format!("a new axis has extent {size} instead of {extent}"))
        })
    }
}

impl Meaning for Factorise<'_> {
    fn name(&self) -> &'static str {
        self.0.kind.name()
    }

    fn inputs(&self) -> RangeInclusive<usize> {
        let form = self.0.form();
        form.least_arguments..=form.arguments.len()
    }

    fn outputs(&self) -> usize {
        self.0.form().results.len()
    }

    fn fault(&self, graph: &OpGraph, node: &OperationNode) -> Option<String> {
        let form = self.0.form();
        let labels = self.0.batch + self.0.roles.iter().sum::<usize>();
        if node.extents.len() != labels {
            return Some(format!("its axes are {labels}, and it has {}", counted(node.extents.len(), "label")));
        }
        let dtype = graph.tensor(node.inputs[0].tensor).dtype;
        for (n, (edge, roles)) in node.inputs.iter().zip(form.arguments).enumerate() {
            let known = self.0.labels(roles);
            if edge.labels().iter().any(|label| !known.contains(label)) {
                return Some(format!("argument {n} has labels that are not those of its axes"));
            }
            if graph.tensor(edge.tensor).dtype != dtype {
                return Some("its element types do not agree".to_string());
            }
        }
        for (n, (edge, result)) in node.outputs.iter().zip(form.results).enumerate() {
            if edge.labels() != self.0.labels(result.roles) {
                return Some(format!("result {n} has labels that are not those of its axes"));
            }
            if graph.tensor(edge.tensor).dtype != self.0.dtype(result.elements, dtype) {
                return Some(format!("result {n} is of another element type"));
            }
        }
        self.size_fault(node)
    }

    fn converts(&self, _: usize) -> bool {
        true
    }

    /// Every one of them is of third order in the extents of its matrices.
    fn cost(&self, node: &OperationNode) -> f64 {
        let size = |labels: Range<usize>| node.extents[labels].iter().map(|&extent| extent as f64).product::<f64>();
        let call = self.0;
        let (first, second) = (call.batch + call.roles[0], call.batch + call.roles[0] + call.roles[1]);
        let (rows, columns) = (size(call.batch..first), size(first..second));
        size(0..call.batch) * rows * columns * rows.min(columns)
    }

    fn reads_in_any_order(&self) -> bool {
        true
    }

    fn writes_in_any_order(&self) -> bool {
        false
    }

    /// Its labels are numbered by what they are.
    fn relabelled(&self, _: &dyn Fn(Label) -> Label) -> Option<Operation> {
        None
    }
}
