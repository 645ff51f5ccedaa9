//! Tokens → syntax tree. What the grammar accepts stands here and nowhere else.
//!
//! `equation` reads statements and blocks, `declaration` their `where`, `expression` right sides, `decomposition` those of linear
//! algebra, `index` what stands between brackets; `mistake`
//! finds words for what a person may have meant.

mod cursor;
mod declaration;
mod decomposition;
mod equation;
mod expression;
mod index;
mod map;
mod mistake;
#[cfg(test)]
mod slips;
#[cfg(test)]
mod tests;

use crate::diagnostic::Diagnostic;
use crate::syntax::{Index, Invocation, Statement};
use crate::token::{Span, Token, Tree};

pub use equation::{Recovered, recover};
pub use map::MOST_ARGUMENTS;

/// Reads one invocation: a value, an assignment, or a block.
///
/// # Errors
/// Every fault of syntax, one for each statement at most.
pub fn parse(tokens: &[Token]) -> Result<Invocation, Vec<Diagnostic>> {
    let Recovered { faults, invocation, .. } = recover(tokens);
    match invocation {
        Some(invocation) if faults.is_empty() => Ok(invocation),
        _ => Err(faults),
    }
}

/// Reads a string literal and operands, `"ik,kj->ij", a, b`, as one equation.
///
/// Whatever is wrong with it is one fault, and nothing is left of the equation.
pub fn einsum_call(tokens: &[Token]) -> Recovered {
    match einsum_statement(tokens) {
        Ok(statement) => Recovered { faults: Vec::new(), invocation: Some(Invocation::Equation(statement)), broken: Vec::new() },
        Err(fault) => Recovered { faults: vec![fault], invocation: None, broken: Vec::new() },
    }
}

fn einsum_statement(tokens: &[Token]) -> Result<Statement, Diagnostic> {
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
