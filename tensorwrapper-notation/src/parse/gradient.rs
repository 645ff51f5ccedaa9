//! `grad(X; A[k, l])`: the derivatives of one operand by others.
//!
//! What stands inside are operands and nothing else: an expression is named first, in an equation of its own.

use super::cursor::split;
use super::expression::whole;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, ExpressionKind, Indices, Scalar};
use crate::token::{Span, Token, text};

/// The contents of the parentheses of `grad`.
pub(super) fn gradient(tokens: &[Token], at: Span, span: Span) -> Result<Expression, Diagnostic> {
    let [value, variables] = split(tokens, ';')[..] else {
        let fault = Diagnostic::syntax(at, "`grad` names what is differentiated, a `;`, and the variables");
        return Err(fault.help(match &split(tokens, ',')[..] {
            [value, variable] => format!("write `grad({}; {})`", text(value), text(variable)),
            _ => "write `grad(L; A[k, l])`".to_string(),
        }));
    };
    if value.is_empty() {
        return Err(Diagnostic::syntax(at, "nothing stands before the `;` of `grad`").help("write `grad(L; A[k, l])`"));
    }
    let value = operand(whole(value, span)?).map_err(|value| {
        let fault = Diagnostic::syntax(value, "`grad` differentiates one operand, and this is an expression");
        fault.help("name it first, `let L = …;`, and write `grad(L; A[k, l])`")
    })?;
    let variable = |part| {
        operand(whole(part, span)?).map_err(|variable| {
            let fault = Diagnostic::syntax(variable, "a variable of `grad` is an operand, and this is none");
            fault.help("write a tensor with its indices, `grad(L; A[k, l])`, or a result of an equation before")
        })
    };
    let variables = split(variables, ',').into_iter().map(variable).collect::<Result<Vec<_>, _>>()?;
    Expression::new(ExpressionKind::Gradient(Box::new(value), variables), span).bounded()
}

/// An operand. A name without indices is a number.
///
/// # Errors
/// The place of anything else.
fn operand(found: Expression) -> Result<Expression, Span> {
    let span = found.span;
    match found.kind {
        ExpressionKind::Operand(..) => Ok(found),
        ExpressionKind::Scalar(Scalar::Hole(name)) if !name.text.starts_with('{') => {
            Ok(Expression::new(ExpressionKind::Operand(name, Indices::default()), span))
        }
        _ => Err(span),
    }
}
