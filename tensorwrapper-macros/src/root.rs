//! The way from an expansion to the library, whatever a program calls it.
//!
//! `tensor!` of the crate `tensorwrapper` is a rule that hands its tokens on behind `($crate)`. Expansions are written
//! with `::tensorwrapper`, and here that becomes a name for `$crate`: a program may rename the library, re-export it, or
//! use it through the macros of another crate that it does not know. A name and not `$crate` itself, because paths keep
//! the places that they were written with, and so do the compiler's messages.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;

/// What expansions call the library; items have no hygiene, so no program should.
const NAME: &str = "__tensorwrapper";

/// `$crate`, and the tokens behind it.
pub(crate) fn split(input: TokenStream) -> (Option<Ident>, TokenStream) {
    let mut tokens = input.into_iter();
    match tokens.next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            let root = group.stream().into_iter().find_map(|tree| match tree {
                TokenTree::Ident(ident) if ident == "$crate" => Some(ident),
                _ => None,
            });
            (root, tokens.collect())
        }
        first => (None, first.into_iter().chain(tokens).collect()),
    }
}

/// Code in which every `::tensorwrapper` is the crate `root`.
pub(crate) fn replaced(code: TokenStream, root: &Ident) -> TokenStream {
    let mut found = false;
    let code = renamed(code, &mut found);
    if !found {
        return code;
    }
    let name = Ident::new(NAME, Span::mixed_site());
    let import = quote_spanned!(Span::mixed_site()=> use #root as #name;);
    quote_spanned!(Span::mixed_site()=> { #import #code })
}

/// Code in which every `::tensorwrapper` is [`NAME`], each at its place.
fn renamed(code: TokenStream, found: &mut bool) -> TokenStream {
    let mut written: Vec<TokenTree> = Vec::new();
    for tree in code {
        let tree = match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), renamed(group.stream(), found));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            TokenTree::Ident(name) if name == "tensorwrapper" && starts_a_path(&written) => {
                *found = true;
                written.truncate(written.len() - 2);
                TokenTree::Ident(Ident::new(NAME, name.span()))
            }
            other => other,
        };
        written.push(tree);
    }
    written.into_iter().collect()
}

/// Whether `::` stands at the end, and it is not the middle of a path.
fn starts_a_path(tokens: &[TokenTree]) -> bool {
    let is_colon = |tree: &TokenTree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ':');
    let [before @ .., first, second] = tokens else { return false };
    let is_inside = match before.last() {
        Some(TokenTree::Ident(word)) => word != "as" && word != "use",
        _ => false,
    };
    is_colon(first) && is_colon(second) && !is_inside
}
