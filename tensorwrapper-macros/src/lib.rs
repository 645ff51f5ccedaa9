//! The macros of tensorwrapper: tokens → checked equation → code that records it.
//!
//! Grammar and meaning are in `tensorwrapper-notation`. Here are the translation of tokens (`host`) and of faults (`report`), the
//! check of Rust fragments (`fragment`) and the expansion (`expand`). This crate must not know how equations are computed.

#![forbid(unsafe_code)]

mod expand;
mod fragment;
#[cfg(test)]
mod fuzz;
mod host;
mod report;

use expand::Failure;

/// Expands tensor equations. See the crate `tensorwrapper` for the language.
#[proc_macro]
pub fn tensor(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::invocation(input.into(), Failure::Panic).into()
}

/// The same language as `tensor!`, with a `Result` as its value.
#[proc_macro]
pub fn try_tensor(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::invocation(input.into(), Failure::Return).into()
}

/// Expands NumPy's subscripts in a string literal, checked at compile time. See the crate `tensorwrapper`.
#[proc_macro]
pub fn einsum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::subscripts(input.into(), Failure::Panic).into()
}

/// The same as `einsum!`, with a `Result` as its value.
#[proc_macro]
pub fn try_einsum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::subscripts(input.into(), Failure::Return).into()
}
