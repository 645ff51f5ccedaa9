//! Parses the fragments of Rust inside equations, so that a syntax error in one is reported at its token.
//!
//! Otherwise the expansion would contain the syntax error, and rustc would report it in code that the user did not write. This
//! file must not know what a fragment is for.

use proc_macro2::TokenStream;
use syn::{Expr, Type};
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{self as notation, Diagnostic, Equation, Fault};

use crate::host::Host;

/// Parses the fragments of an equation.
///
/// # Errors
/// One fault for each fragment that is not Rust.
pub(crate) fn check(host: &Host, equation: &Equation) -> Result<(), Vec<Diagnostic>> {
    let expressions = equation.holes().into_iter().filter_map(|(hole, _)| expression(host, hole));
    let types = equation.casts().iter().filter_map(|cast| named_type(host, cast.named.as_ref()?));
    let faults: Vec<Diagnostic> = expressions.chain(types).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The fault of a fragment that is not an expression.
pub(crate) fn expression(host: &Host, hole: &Hole) -> Option<Diagnostic> {
    let error = refused(host, hole, |tokens| syn::parse2::<Expr>(tokens).map(drop))?;
    let mut expected = expected(&error);
    // Where the parameters of a closure end too early, syn names the comma alone.
    if expected == "expected `,`" && hole.text.starts_with(['|', 'm']) {
        expected += " or `|`";
    }
    Some(fault(host, hole, &error, expected))
}

/// The fault of a fragment that is not a type.
fn named_type(host: &Host, hole: &Hole) -> Option<Diagnostic> {
    let error = refused(host, hole, |tokens| syn::parse2::<Type>(tokens).map(drop))?;
    let mut expected = expected(&error);
    // syn lists all sixteen tokens that a type may start with.
    if expected.starts_with("expected one of: `for`") {
        expected = "expected a type".to_string();
    }
    Some(fault(host, hole, &error, expected))
}

/// The parser's error for a fragment. Most fragments are one name, which needs no parser.
fn refused(host: &Host, hole: &Hole, parse: fn(TokenStream) -> syn::Result<()>) -> Option<syn::Error> {
    let is_name = hole.tokens.len() == 1 && hole.text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if is_name { None } else { parse(host.fragment(hole)).err() }
}

/// What the parser expected, in its words.
fn expected(error: &syn::Error) -> String {
    let message = error.to_string();
    message.strip_prefix("unexpected end of input, ").unwrap_or(&message).to_string()
}

/// The fault at the token that the parser did not expect, or at the fragment's last one where it expected more.
fn fault(host: &Host, hole: &Hole, error: &syn::Error, expected: String) -> Diagnostic {
    let says_what_was_found = !expected.starts_with("expected") || expected.contains("found");
    let (span, message) = match host.token_at(hole, error.span()) {
        Some((span, found)) if expected == "unexpected token" => (span, format!("{expected} `{found}`")),
        Some((span, _)) if says_what_was_found => (span, expected),
        Some((span, found)) => (span, format!("{expected}, found `{found}`")),
        None => {
            let last = notation::Span { start: hole.span.end - 1, end: hole.span.end };
            (last, format!("{expected}, but nothing follows"))
        }
    };
    Diagnostic::new(Fault::Syntax, span, message)
}

#[cfg(test)]
mod tests;
