//! The macros of tensorwrapper: tokens → checked equation → code that records it.
//!
//! The grammar and the meaning are `tensorwrapper-notation`'s; here stand the translation of tokens (`host`), of faults
//! (`report`) and the expansion (`expand`). Knows nothing of how equations are computed.

#![forbid(unsafe_code)]

mod expand;
#[cfg(test)]
mod fuzz;
mod host;
mod report;
mod root;

use expand::Failure;

/// Expands what follows `($crate)`, for a program that knows the library by that root.
fn expand(
    input: proc_macro::TokenStream,
    failure: Failure,
    expansion: fn(proc_macro2::TokenStream, Failure) -> proc_macro2::TokenStream,
) -> proc_macro::TokenStream {
    let (root, tokens) = root::split(input.into());
    let code = expansion(tokens, failure);
    match root {
        Some(root) => root::replaced(code, &root).into(),
        None => code.into(),
    }
}

/// Tensor equations. See the crate `tensorwrapper` for the language.
#[proc_macro]
pub fn tensor(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input, Failure::Panic, expand::invocation)
}

/// The same language as `tensor!`, with a `Result` as its value.
#[proc_macro]
pub fn try_tensor(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input, Failure::Return, expand::invocation)
}

/// Subscripts in a string literal, checked at compile time. See the crate `tensorwrapper`.
#[proc_macro]
pub fn einsum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input, Failure::Panic, expand::subscripts)
}

/// The same as `einsum!`, with a `Result` as its value.
#[proc_macro]
pub fn try_einsum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input, Failure::Return, expand::subscripts)
}
