//! Parts of static expressions with numbers, such as "label 2" and "axis 1 of operand 0": small numbers are written as names.

use proc_macro2::{Span, TokenStream};
use quote::format_ident;

use crate::expand::named::{AXES, LABELS, OPERANDS};

/// The type of a part of an expression with these numbers, and with another part in it.
pub(super) fn numbered(name: &str, numbers: &[usize], inner: Option<TokenStream>) -> TokenStream {
    let is_named = match (name, numbers) {
        ("LabelIndex" | "LabelExtent", [label]) => *label < LABELS,
        (_, [operand]) => *operand < OPERANDS,
        (_, [operand, axis]) => *operand < OPERANDS && *axis < AXES,
        _ => false,
    };
    if !is_named {
        let name = format_ident!("{name}", span = Span::mixed_site());
        return emit!(__static::#name<#(#numbers,)* #inner>);
    }
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let name = format_ident!("{}{}", name, numbers.join("_"), span = Span::mixed_site());
    match inner {
        Some(inner) => emit!(__static::#name<#inner>),
        None => emit!(__static::#name),
    }
}
