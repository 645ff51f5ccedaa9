//! Parts of static expressions with numbers, such as "label 2" and "axis 1 of operand 0": small numbers are written as names.

use proc_macro2::{Span, TokenStream};
use quote::format_ident;

/// Numbers up to which parts of expressions have names: of labels, of operands, of an operand's axes.
const NAMED: [usize; 3] = [8, 6, 4];

/// The type of a part of an expression with these numbers, and with another part in it. rustc reads names faster than numbers: they
/// stand in `static_expr/names.rs` of the runtime.
pub(super) fn numbered(name: &str, numbers: &[usize], inner: Option<TokenStream>) -> TokenStream {
    let [labels, operands, axes] = NAMED;
    let is_named = match (name, numbers) {
        ("LabelIndex" | "LabelExtent", [label]) => *label < labels,
        (_, [operand]) => *operand < operands,
        (_, [operand, axis]) => *operand < operands && *axis < axes,
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
