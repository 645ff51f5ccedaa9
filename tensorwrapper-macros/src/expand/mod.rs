//! Checked equations → Rust code that types them, passes their texts to the run time, and takes the results.
//!
//! All Rust fragments are evaluated once, in order, in the scrutinee of one `match`: temporaries live long enough, and `?`,
//! `return` and `await` in the fragments mean what they mean around the macro. Only the texts say what the equations compute; the
//! expansion has types, compile-time checks and captured values. It is small, because rustc compiles one for every invocation.
//!
//! `block` orders statements and results, `environment` knows what names stand for, `equation` types one equation, `checks`
//! emits the compile-time checks, `static_expr` emits the type that computes an equation over static tensors. `snapshots/`
//! holds three expansions for people to read.
//!
//! The types carry no values: extents are `Mark<E>`, of size zero, and the shape type of a result is computed from them. Values
//! come from the recorder, so each run-time check is written only once.
//!
//! A program may rename the library: `tensor!` and the other macros are `macro_rules!` macros that pass `($crate)` on, and an
//! expansion names the library once, by that path. `Cargo.toml` is not read, so the macros work through other crates too.
//! `tests/downstream/` tests this.

#[macro_use]
mod hygiene;
mod block;
mod checks;
mod environment;
mod equation;
mod failure;
mod named;
mod static_expr;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use tensorwrapper_notation::syntax::{Block, BlockValue, Invocation, Target};
use tensorwrapper_notation::{Recovered, Token, einsum_call, recover};

pub(crate) use failure::Failure;

use crate::host::Host;
use crate::report;

/// Expands one invocation of the language. If it has faults, the expansion is only the errors.
pub(crate) fn invocation(input: TokenStream, failure: Failure) -> TokenStream {
    expand(input, failure, recover)
}

/// Expands subscripts and operands. If they have faults, the expansion is only the errors.
pub(crate) fn subscripts(input: TokenStream, failure: Failure) -> TokenStream {
    expand(input, failure, einsum_call)
}

fn expand(input: TokenStream, failure: Failure, read: fn(&[Token]) -> Recovered) -> TokenStream {
    let (host, tokens) = Host::read(input);
    let read = match tokens {
        Ok(tokens) => read(&tokens),
        Err(fault) => return report::faults(&host, vec![fault]),
    };
    let expanded = match read.invocation {
        Some(invocation) => block::expand(&host, &as_block(invocation), (read.faults, &read.broken), failure),
        None => Err(read.faults),
    };
    expanded.unwrap_or_else(|faults| report::faults(&host, faults))
}

/// The invocation as a block: a single equation is a block of one.
fn as_block(invocation: Invocation) -> Block {
    match invocation {
        Invocation::Block(block) => block,
        Invocation::Equation(statement) => {
            let mut block = Block {
                context: None,
                declarations: Vec::new(),
                statements: Vec::new(),
                value: BlockValue::Nothing,
                span: statement.span,
            };
            match statement.target {
                Target::Value(_) => block.value = BlockValue::Equation(Box::new(statement)),
                Target::Let(_) | Target::Place(..) => block.statements.push(statement),
            }
            block
        }
    }
}
