//! The left side of an equation. Its labels come into scope, and its axes are those of the results.

use super::checker::Checker;
use super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::equation::{LabelId, Left, LeftAxis, OperandId};
use crate::syntax::{self, Assignment, LeftSide, Name, Target};
use crate::token::Span;

/// The fault of a diagonal beside a fused axis.
const BESIDE_FUSED: &str = "beside a fused axis, each index stands once on the left";

impl Checker<'_> {
    /// Registers the existing tensor on the left. Its labels come into scope.
    pub(super) fn place(&mut self, target: &Target, scope: &mut Scope) -> Option<(OperandId, Assignment)> {
        let Target::Place(hole, indices, assignment) = target else { return None };
        let fuses = indices.iter().any(|index| matches!(index, syntax::Index::Fused(..)));
        for name in indices.iter().flat_map(syntax::Index::labels) {
            if fuses && scope.get(&name.text).is_some() {
                self.faults.push(Diagnostic::label(name.span, BESIDE_FUSED));
            }
            self.left_label(name, scope);
        }
        Some((self.new_operand(hole, indices, scope), *assignment))
    }

    /// Checks the axes of a new result. Their labels come into scope.
    pub(super) fn left_side(&mut self, side: &LeftSide, scope: &mut Scope) -> Left {
        let mut axes = Vec::new();
        for index in side.indices.iter().flatten() {
            match index {
                syntax::Index::Label(name) => axes.push(LeftAxis::Label(self.left_label(name, scope))),
                syntax::Index::Fused(names, _) => {
                    axes.push(LeftAxis::Fused(names.iter().map(|name| self.left_label(name, scope)).collect()));
                }
                syntax::Index::Rest(_) => axes.push(LeftAxis::Rest),
                syntax::Index::NoAxes(_) => {}
                syntax::Index::Slice(name, _) => self.faults.push(
                    Diagnostic::label(name.span, "a slice selects a part of an existing tensor, and here a new one is made")
                        .help(format!("write `[{0}]` here, or `C[{0} in …] = …` for a part of an existing `C`", name.text))
                        .operators(format!("write `{}` alone, and the slice in an operand", name.text)),
                ),
                syntax::Index::Chip(syntax::Count::Literal(_, span) | syntax::Count::Hole(syntax::Hole { span, .. })) => {
                    self.faults.push(
                        Diagnostic::label(*span, "a position selects a part of an existing tensor, and here a new one is made")
                            .help("leave it out, or write `C[0, j] = …` for a part of an existing `C`")
                            .operators("leave it out, and write the position in an operand"),
                    );
                }
            }
        }
        let layers = side.indices.as_ref().map(syntax::Indices::counts).unwrap_or_default();
        let left = Left { axes: side.indices.is_some().then_some(axes), layers, span: side.span };
        let written: usize =
            left.axes().iter().map(|axis| if let LeftAxis::Fused(labels) = axis { labels.len() } else { 1 }).sum();
        let fuses = left.axes().iter().any(|axis| matches!(axis, LeftAxis::Fused(_)));
        let rests = left.axes().iter().filter(|axis| **axis == LeftAxis::Rest).count();
        if fuses && written != left.labels().len() + rests {
            self.faults.push(Diagnostic::label(side.span, BESIDE_FUSED));
        }
        left
    }

    /// A label of the left side. It is made where it occurs first.
    fn left_label(&mut self, name: &Name, scope: &mut Scope) -> LabelId {
        scope.get(&name.text).unwrap_or_else(|| {
            let id = self.new_label(name);
            scope.push(&name.text, id);
            id
        })
    }
}

/// The axes of what an assignment computes: one for each label, and the remaining ones.
pub(super) fn place_left(indices: &syntax::Indices, scope: &Scope, span: Span) -> Left {
    let mut axes = Vec::new();
    for index in indices {
        if let syntax::Index::Rest(_) = index {
            axes.push(LeftAxis::Rest);
        }
        for name in index.labels() {
            let axis = LeftAxis::Label(scope.get(&name.text).expect("the labels of a place are in scope"));
            if !axes.contains(&axis) {
                axes.push(axis);
            }
        }
    }
    Left { axes: Some(axes), layers: indices.counts(), span }
}
