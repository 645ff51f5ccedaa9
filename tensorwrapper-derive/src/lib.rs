//! `#[derive(Tensors)]`: a struct of tensors as a vector, and as a variable of derivatives.
//!
//! `read` takes a struct apart and finds what is wrong with it, `expand` writes the code. What the code calls is in
//! `tensorwrapper-runtime/src/structs`, which must know nothing of this crate.

#![forbid(unsafe_code)]

mod expand;
mod read;

/// Implements `Tensors` for a struct. See the trait of this name in the crate `tensorwrapper`.
#[proc_macro_derive(Tensors, attributes(tensors))]
pub fn tensors(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    read::read(input).map_or_else(syn::Error::into_compile_error, |read| expand::expand(&read)).into()
}
