//! Tokens → syntax tree. What the grammar accepts stands here and nowhere else.
//!
//! `equation` reads statements and blocks, `expression` right sides, `index` what stands between brackets; `mistake`
//! finds words for what a person may have meant.

mod cursor;
mod equation;
mod expression;
mod index;
mod mistake;
#[cfg(test)]
mod tests;

use crate::diagnostic::Diagnostic;
use crate::syntax::{Index, Invocation, Name};
use crate::token::{Span, Token};

/// Reads one invocation: a value, an assignment, or a block.
///
/// # Errors
/// Every fault of syntax, one for each statement at most.
pub fn parse(tokens: &[Token]) -> Result<Invocation, Vec<Diagnostic>> {
    let Recovered { faults, invocation, .. } = equation::recover(tokens);
    match invocation {
        Some(invocation) if faults.is_empty() => Ok(invocation),
        _ => Err(faults),
    }
}

/// What could be read of an invocation in which something is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// The faults of syntax, one for each statement at most; none if all is well.
    pub faults: Vec<Diagnostic>,
    /// What is well.
    pub invocation: Option<Invocation>,
    /// Names that a wrong statement binds.
    pub broken: Vec<Name>,
}

/// Reads one invocation as far as possible, so that the faults of its meaning are found beside those of syntax.
pub fn recover(tokens: &[Token]) -> Recovered {
    equation::recover(tokens)
}

/// Reads the indices of one operand, as they stand between brackets.
///
/// # Errors
/// The first fault of syntax.
pub fn axes(tokens: &[Token]) -> Result<Vec<Index>, Diagnostic> {
    index::indices(tokens, tokens.last().map_or(Span::default(), |t| t.span))
}
