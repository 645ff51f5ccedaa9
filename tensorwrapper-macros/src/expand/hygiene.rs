//! Quotes code with the expansion's own variables, whose names cannot clash with names of the program.

use proc_macro2::{Ident, Span};
use quote::format_ident;

/// Quotes code whose variables only the expansion can see.
macro_rules! emit {
    ($($code:tt)*) => { ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($code)*) };
}

/// A variable of the expansion's own.
pub(super) fn own(prefix: &str, number: usize) -> Ident {
    format_ident!("__{}{}", prefix, number, span = Span::mixed_site())
}

/// The module of the library that expansions use. Its name has the version, so that a library of another version lacks it.
pub(super) fn private_module() -> Ident {
    let version = env!("CARGO_PKG_VERSION").replace(['.', '-', '+'], "_");
    Ident::new(&format!("__private_{version}"), Span::mixed_site())
}
