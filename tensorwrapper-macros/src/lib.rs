//! The macros of tensorwrapper: tokens → checked equation → code that records it.
//!
//! The grammar and the meaning are `tensorwrapper-notation`'s; here stand the translation of tokens (`host`), of faults
//! (`report`) and the expansion (`expand`). Knows nothing of how equations are computed.

#![forbid(unsafe_code)]

mod expand;
mod fragment;
#[cfg(test)]
mod fuzz;
mod host;
mod report;

use expand::Failure;

/// Tensor equations. See the crate `tensorwrapper` for the language.
#[proc_macro]
pub fn tensor(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::invocation(input.into(), Failure::Panic).into()
}

/// The same language as `tensor!`, with a `Result` as its value.
#[proc_macro]
pub fn try_tensor(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::invocation(input.into(), Failure::Return).into()
}

/// Subscripts in a string literal, checked at compile time. See the crate `tensorwrapper`.
#[proc_macro]
pub fn einsum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::subscripts(input.into(), Failure::Panic).into()
}

/// The same as `einsum!`, with a `Result` as its value.
#[proc_macro]
pub fn try_einsum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::subscripts(input.into(), Failure::Return).into()
}
