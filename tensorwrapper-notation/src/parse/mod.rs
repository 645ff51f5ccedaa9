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
use crate::syntax::{Index, Invocation};
use crate::token::{Span, Token};

/// Reads one invocation: a value, an assignment, or a block.
///
/// # Errors
/// Every fault of syntax, one for each statement at most.
pub fn parse(tokens: &[Token]) -> Result<Invocation, Vec<Diagnostic>> {
    equation::invocation(tokens)
}

/// Reads the indices of one operand, as they stand between brackets.
///
/// # Errors
/// The first fault of syntax.
pub fn axes(tokens: &[Token]) -> Result<Vec<Index>, Diagnostic> {
    index::indices(tokens, tokens.last().map_or(Span::default(), |t| t.span))
}
