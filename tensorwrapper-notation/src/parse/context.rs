//! `in &ctx;`: the context of a block, a Rust expression.

use super::cursor::hole;
use crate::diagnostic::Diagnostic;
use crate::syntax::Hole;
use crate::token::{Span, Token, Tree, text};

/// `in &ctx`, a Rust expression.
pub(super) fn context(tokens: &[Token], span: Span) -> Result<Hole, Diagnostic> {
    if tokens.is_empty() {
        return Err(Diagnostic::syntax(span, "a context is missing after `in`").help("write `in &context;`"));
    }
    match tokens.iter().find(|token| token.is_ident("let") || token.is_ident("where")) {
        Some(next) => Err(Diagnostic::syntax(next.span, "`;` is missing before this").help("write `in &context;`")),
        None => borrowed(tokens).map_or_else(|| Ok(hole(tokens)), Err),
    }
}

/// The fault of `in Graph::new();` and `in &mut graph;`: a context is borrowed, and results of a graph live no longer than it does.
///
/// Other functions of these types may be the program's, and give what is borrowed already.
fn borrowed(tokens: &[Token]) -> Option<Diagnostic> {
    let at = tokens[0].span;
    let fault = Diagnostic::syntax(at, "a block borrows its context");
    match tokens {
        [reference, word, rest @ ..] if reference.is_punct('&') && word.is_ident("mut") && !rest.is_empty() => {
            let fault = Diagnostic::syntax(at, "a context is borrowed without `mut`");
            Some(fault.help(format!("write `in &{};`", text(rest))))
        }
        [name, first, second, Token { tree: Tree::Ident(made), .. }, ..] if first.is_punct(':') && second.is_punct(':') => {
            if name.is_ident("Context") && matches!(made.as_str(), "cpu" | "reference" | "cuda" | "on") {
                return Some(fault.help(format!("write `in &{};`", text(tokens))));
            }
            (name.is_ident("Graph") && made == "new")
                .then(|| fault.help("a graph is made before the macro, by `let graph = …;`, and named here: `in &graph;`"))
        }
        _ => None,
    }
}
