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

#[cfg(test)]
mod tests {
    use crate::testing::{checked, refused};

    #[test]
    fn derivatives_are_of_operands_by_operands() {
        refused(&[
            (
                "[i] = grad(A[i])",
                &["grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(L; A[k, l])`"],
            ),
            (
                "[i] = grad(L, A[i])",
                &["grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(L; A[i])`"],
            ),
            ("[i] = grad(; A[i])", &["grad: nothing stands before the `;` of `grad` | write `grad(L; A[k, l])`"]),
            (
                "[i] = grad(A[i] * B[i]; A[i])",
                &[
                    "A[i] * B[i]: `grad` differentiates one operand, and this is an expression | name it first, `let L = …;`, and write `grad(L; A[k, l])`",
                ],
            ),
            (
                "[i] = grad(L; 2.0 * A[i])",
                &[
                    "2.0 * A[i]: a variable of `grad` is an operand, and this is none | write a tensor with its indices, `grad(L; A[k, l])`, or a result of an equation before",
                ],
            ),
            (
                "[i] = grad(L; A[i], B[i])",
                &[
                    "grad(L; A[i], B[i]): `grad` by 2 variables has 2 results, and is the whole right side | write `let (x[i], y[j, k]) = grad(L; X[i], Y[j, k]);`",
                ],
            ),
            (
                "([i], [j], [k]) = grad(L; A[i], B[j])",
                &[
                    "[j]: 3 results are named, but `grad` has 2 variables | each variable has one result: `let (x[i], y[j]) = grad(L; X[i], Y[j]);`",
                ],
            ),
            (
                "[..] = grad(L; A[..])",
                &["..: the axes of a derivative have names, and `..` has none | write a label for each axis"],
            ),
            (
                "[i, j] = grad(L; A[i])",
                &[
                    "j: index `j` is on the left, but no term on the right has it | a result that is constant along `j` is written `1[j] * …`",
                ],
            ),
        ]);
    }

    #[test]
    fn each_variable_has_an_equation() {
        let equations = checked("([i, j], [j, i]) = grad(L; A[i, j], B[j, i]) where i: 3").unwrap();
        assert_eq!(equations.len(), 2);
        assert!(equations.iter().all(|equation| equation.left().len() == 1 && equation.gradients().len() == 1));
    }

    #[test]
    fn operands_without_indices() {
        refused(&[
            (
                "[i, j] = grad(l, a)",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(l; a[i, j])`, with an index for each axis of `a`",
                ],
            ),
            (
                "let l = a[i, j] * a[i, j]; let g[k, l] = grad(l, a); g",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(l; a[k, l])`, with an index for each axis of `a`",
                ],
            ),
            (
                "[i, j] = grad(l, a[i, j])",
                &["grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(l; a[i, j])`"],
            ),
            (
                "[i, j, k] = grad(x, a[i, j])",
                &["grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(x[k]; a[i, j])`"],
            ),
            (
                "[i, j, k] = grad(x, self.a)",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(x; self.a[i, j, k])`, with an index for each axis of `self.a`",
                ],
            ),
            (
                "[k, i] = grad(x[k], a)",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(x[k]; a[i])`, with an index for each axis of `a`",
                ],
            ),
            (
                "let g = grad(s, a); g",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | write `let g[k, l] = grad(s; a[k, l]);`, with an index for each axis of `a`",
                ],
            ),
            (
                "([i, j], [k]) = grad(s, a, v)",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(s; a[i, j], v[k])`, with an index for each axis of `a`, `v`",
                ],
            ),
            (
                "[i, j] = 2.0 * grad(l, a, b[i, j])",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | derivatives by several tensors are results of an equation of their own, `let (g[i], h[j]) = grad(L; x[i], y[j]);`",
                ],
            ),
            (
                "[i, j] = w[i] * grad(s, v)",
                &[
                    "grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(s; v[j])`, with an index for each axis of `v`",
                ],
            ),
            (
                "let x[i] = v[i] * w[i]; let g[i, j] = grad(x, v[j]); g",
                &["grad: `grad` names what is differentiated, a `;`, and the variables | write `grad(x[i]; v[j])`"],
            ),
        ]);
    }
}
