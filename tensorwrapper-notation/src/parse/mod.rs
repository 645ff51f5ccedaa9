//! Tokens → syntax tree. What the grammar accepts stands here and nowhere else.
//!
//! `equation` reads statements and blocks, `expression` right sides, `index` what stands between brackets.

mod cursor;
mod equation;
mod expression;
mod index;
#[cfg(test)]
mod slips;
#[cfg(test)]
mod tests;

use crate::diagnostic::Diagnostic;
use crate::syntax::{Index, Invocation, Statement};
use crate::token::{Span, Token, Tree};

/// Reads one invocation: a value, an assignment, or a block.
///
/// # Errors
/// Every fault of syntax, one for each statement at most.
pub fn parse(tokens: &[Token]) -> Result<Invocation, Vec<Diagnostic>> {
    equation::invocation(tokens)
}

/// Reads a string literal and operands, `"ik,kj->ij", a, b`, as one equation.
///
/// # Errors
/// The first fault of syntax.
pub fn einsum_call(tokens: &[Token]) -> Result<Statement, Diagnostic> {
    let mut parts = cursor::split(tokens, ',').into_iter();
    let usage = || "write `einsum!(\"ik,kj->ij\", a, b)`";
    let Some([Token { tree: Tree::Literal(literal), span }]) = parts.next() else {
        let at = tokens.first().map_or(Span::default(), |token| token.span);
        return Err(Diagnostic::syntax(at, "the subscripts are a string literal, and come first").help(usage()));
    };
    let text = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(|text| !text.contains('\\'));
    let Some(text) = text else {
        return Err(Diagnostic::syntax(*span, "the subscripts are a plain string literal, without escapes").help(usage()));
    };
    let mut operands = Vec::new();
    for part in parts {
        if part.is_empty() {
            return Err(Diagnostic::syntax(*span, "an operand is missing between two commas").help(usage()));
        }
        operands.push(cursor::hole(part));
    }
    crate::einsum::einsum(text, &operands, Some(*span))
}

/// Reads the indices of one operand, as they stand between brackets.
///
/// # Errors
/// The first fault of syntax.
pub fn axes(tokens: &[Token]) -> Result<Vec<Index>, Diagnostic> {
    index::indices(tokens, tokens.last().map_or(Span::default(), |t| t.span))
}
