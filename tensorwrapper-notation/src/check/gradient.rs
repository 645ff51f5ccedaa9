//! `grad(X; A[k, l])` in an expression: a factor with the labels of both operands.

use super::checker::Checker;
use super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::equation::{Node, OperandId};
use crate::syntax::{Expression, ExpressionKind, Index};
use crate::token::Span;

impl Checker<'_> {
    /// The derivatives of one operand by another.
    pub(super) fn gradient(&mut self, value: &Expression, variables: &[Expression], span: Span, scope: &Scope) -> Option<Node> {
        let [variable] = variables else {
            self.faults.push(match variables.len() {
                0 => Diagnostic::label(span, "`grad` has no variable").help("write `grad(L; A[k, l])`"),
                several => {
                    let message = format!("`grad` by {several} variables has {several} results, and is the whole right side");
                    Diagnostic::label(span, message).help("write `let (x[i], y[j, k]) = grad(L; X[i], Y[j, k]);`")
                }
            });
            return None;
        };
        let operands = [self.variable(value, scope)?, self.variable(variable, scope)?];
        self.gradients.push(operands);
        let [value, variable] = operands;
        Some(Node::Gradient(value, variable))
    }

    fn variable(&mut self, operand: &Expression, scope: &Scope) -> Option<OperandId> {
        let ExpressionKind::Operand(hole, indices) = &operand.kind else {
            unreachable!("the grammar has operands in `grad`, and nothing else")
        };
        if let Some(span) = indices.iter().find_map(|index| if let Index::Rest(span) = index { Some(*span) } else { None }) {
            let fault = Diagnostic::label(span, "the axes of a derivative have names, and `..` has none");
            self.faults.push(fault.help("write a label for each axis"));
            return None;
        }
        Some(self.new_operand(hole, indices, scope))
    }
}
