//! Tokens → syntax tree. The grammar is here and nowhere else.
//!
//! `equation` reads statements and blocks, `context` what they run in, `declaration` their `where` with its `items`, `expression`
//! right sides, `decomposition` operations of linear algebra with their `options`, `map` the functions and types of the program,
//! `number` numbers, and `index` indices. `mistake`, `behind`, `calls`, `operand`, `left`, `paired`, `choices`, `reduction`,
//! `synonyms`, `types` and `foreign` have messages for faults where one can tell what the author may have meant, `algebra` for calls
//! of linear algebra. `within` adds what only the whole equation tells: `whole`, `taken` and `computed` for indices, with `put`,
//! `stepped`, `rolled` and their `source`, `placed` and `shifted` for sums, `truths` for comparisons and `holds` for their
//! reductions; and `known` and `results` what the block tells. `unread` and `places` look at tokens before they are read, and find
//! their labels by the crate's `relabel`, as the check does. `subscripts` reads the call of `einsum!`.

mod algebra;
mod behind;
mod calls;
mod choices;
mod claim;
mod computed;
mod condition;
mod context;
mod cursor;
mod declaration;
mod decomposition;
mod equation;
mod expression;
#[cfg(test)]
mod followed;
mod foreign;
mod gradient;
#[cfg(test)]
mod habits;
mod holds;
mod index;
mod items;
mod known;
mod left;
mod map;
#[cfg(test)]
mod misplaced;
mod mistake;
#[cfg(test)]
mod neighbours;
#[cfg(test)]
mod newcomers;
mod number;
mod occurring;
#[cfg(test)]
mod of_algebra;
mod operand;
mod options;
mod paired;
mod placed;
mod places;
#[cfg(test)]
mod proposals;
mod put;
mod reduction;
#[cfg(test)]
mod relatives;
mod results;
mod rolled;
mod shifted;
#[cfg(test)]
mod signs;
#[cfg(test)]
mod slips;
mod source;
mod stepped;
#[cfg(test)]
mod strangers;
mod subscripts;
mod synonyms;
mod taken;
#[cfg(test)]
mod tests;
mod truths;
mod types;
mod unread;
mod whole;
mod within;
mod words;

use crate::diagnostic::Diagnostic;
use crate::syntax::{Indices, Invocation};
use crate::token::{Span, Token};

pub use equation::{Recovered, recover};
pub use map::MOST_ARGUMENTS;

/// Reads one invocation: a value, an assignment, or a block.
///
/// # Errors
/// The faults of syntax, at most one for each statement.
pub fn parse(tokens: &[Token]) -> Result<Invocation, Vec<Diagnostic>> {
    let Recovered { faults, invocation, .. } = recover(tokens);
    match invocation {
        Some(invocation) if faults.is_empty() => Ok(invocation),
        _ => Err(faults),
    }
}

/// Reads a string literal and operands, `"ik,kj->ij", a, b`, as one equation.
///
/// If there is a fault, nothing of the equation is returned, so there is at most one fault.
pub fn einsum_call(tokens: &[Token]) -> Recovered {
    match subscripts::statement(tokens) {
        Ok(statement) => Recovered { faults: Vec::new(), invocation: Some(Invocation::Equation(statement)), broken: Vec::new() },
        Err(fault) => Recovered { faults: vec![fault], invocation: None, broken: Vec::new() },
    }
}

/// Reads the indices of one operand, without the brackets around them.
///
/// # Errors
/// The first fault of syntax.
pub fn axes(tokens: &[Token]) -> Result<Indices, Diagnostic> {
    index::indices(tokens, tokens.last().map_or(Span::default(), |t| t.span))
}
