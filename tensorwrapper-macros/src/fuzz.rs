//! Expands random tokens with each macro: the expansion is code or compile errors, and nothing panics. Outside the compiler,
//! spans have no source text.
//!
//! Ten thousand token streams for each macro; `tests/fuzz/run.sh` reads a million.

#[path = "../../tests/fuzz/soup.rs"]
#[allow(dead_code)]
mod soup;

use proc_macro2::TokenStream;

use crate::expand::{Failure, invocation, subscripts};

/// Whether the tokens became code. A text that cannot be split into tokens never reaches a macro.
fn expand(text: &str, expansion: fn(TokenStream, Failure) -> TokenStream, failure: Failure) -> bool {
    let Ok(tokens) = text.parse::<TokenStream>() else { return false };
    let code = expansion(tokens, failure);
    assert!(!code.is_empty(), "{text:?} expands to nothing");
    !code.to_string().contains("compile_error")
}

#[test]
fn equations_and_blocks() {
    soup::run("tensor!", |soup| {
        let failure = soup.pick(&[Failure::Panic, Failure::Return]);
        expand(&soup.equation(), invocation, failure)
    });
}

#[test]
fn subscripts_in_literals() {
    soup::run("einsum!", |soup| {
        let text = soup.subscripts();
        let parts = text.split("->").next().unwrap_or_default().split(',').count();
        match soup.below(4) {
            0 => expand(&soup.equation(), subscripts, Failure::Return),
            _ => expand(&format!("\"{text}\"{}", ", A".repeat(parts)), subscripts, Failure::Panic),
        }
    });
}

#[test]
fn groups_without_end() {
    for n in [63, 64, 1000] {
        let text = format!("[i] = {}a[i]{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(expand(&text, invocation, Failure::Panic), n < 64, "{n} groups");
    }
}
