//! `grad(X; A[k, l])`: the derivatives of one operand by others.
//!
//! What stands inside are operands and nothing else: an expression is named first, in an equation of its own. This file must not know
//! how they are read: `expression` reads them.

use super::cursor::split;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, ExpressionKind, Indices, Scalar};
use crate::token::{Span, Token, text};

/// The tokens of what is differentiated, and those of each variable.
pub(super) fn gradient(tokens: &[Token], at: Span) -> Result<(&[Token], Vec<&[Token]>), Diagnostic> {
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
    Ok((value, split(variables, ',')))
}

/// What is differentiated, if it is an operand.
pub(super) fn differentiated(found: Expression) -> Result<Expression, Diagnostic> {
    operand(found).map_err(|value| {
        let fault = Diagnostic::syntax(value, "`grad` differentiates one operand, and this is an expression");
        fault.help("name it first, `let L = …;`, and write `grad(L; A[k, l])`")
    })
}

/// A variable, if it is an operand.
pub(super) fn variable(found: Expression) -> Result<Expression, Diagnostic> {
    operand(found).map_err(|variable| {
        let fault = Diagnostic::syntax(variable, "a variable of `grad` is an operand, and this is none");
        fault.help("write a tensor with its indices, `grad(L; A[k, l])`, or a result of an equation before")
    })
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
