//! The compiler's tokens as the notation's, and back.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{self as notation, Delimiter, Token, Tree};

/// The tokens of one invocation, numbered: a notation span counts them.
pub(crate) struct Host {
    tokens: Vec<Numbered>,
}

struct Numbered {
    /// What the host would write again; a group's closing delimiter has no tree of its own.
    tree: Option<TokenTree>,
    span: Span,
}

impl Host {
    /// Numbers all tokens, groups from their opening to their closing delimiter.
    pub(crate) fn read(input: TokenStream) -> (Host, Vec<Token>) {
        let mut host = Host { tokens: Vec::new() };
        let tokens = host.stream(input);
        (host, tokens)
    }

    fn stream(&mut self, stream: TokenStream) -> Vec<Token> {
        stream.into_iter().map(|tree| self.token(tree)).collect()
    }

    fn token(&mut self, tree: TokenTree) -> Token {
        let start = self.tokens.len();
        self.tokens.push(Numbered { span: opening_span(&tree), tree: Some(tree.clone()) });
        let tree = match tree {
            TokenTree::Ident(ident) => Tree::Ident(ident.to_string()),
            TokenTree::Literal(literal) => Tree::Literal(literal.to_string()),
            TokenTree::Punct(punct) => Tree::Punct(punct.as_char(), punct.spacing() == proc_macro2::Spacing::Joint),
            TokenTree::Group(group) => {
                let inner = self.stream(group.stream());
                self.tokens.push(Numbered { tree: None, span: group.span_close() });
                Tree::Group(delimiter(&group), inner)
            }
        };
        Token { tree, span: notation::Span { start, end: self.tokens.len() } }
    }

    /// Where a notation span starts, for the compiler.
    pub(crate) fn span(&self, span: notation::Span) -> Span {
        self.tokens.get(span.start).map_or_else(Span::call_site, |token| token.span)
    }

    /// The one token of a hole that is blamed: the last name or number of `self.t2` or `x.0`, else the whole group.
    pub(crate) fn blame(&self, hole: &Hole) -> Span {
        let trees = || hole.tokens.iter().filter_map(|span| self.tokens[span.start].tree.as_ref());
        let word = trees().rfind(|tree| matches!(tree, TokenTree::Ident(_) | TokenTree::Literal(_)));
        word.or_else(|| trees().next()).map_or_else(Span::call_site, TokenTree::span)
    }

    /// The token of a function that is blamed: a closure's first.
    pub(crate) fn function(&self, hole: &Hole) -> Span {
        match hole.text.starts_with(['|', 'm']) && hole.text.contains('|') {
            true => self.span(hole.span),
            false => self.blame(hole),
        }
    }

    /// The whole of a token, a group included.
    pub(crate) fn whole(&self, span: notation::Span) -> Span {
        let tree = self.tokens.get(span.start).and_then(|token| token.tree.as_ref());
        tree.map_or_else(Span::call_site, TokenTree::span)
    }

    /// Where a notation span ends, for the compiler.
    pub(crate) fn end(&self, span: notation::Span) -> Span {
        span.end.checked_sub(1).and_then(|n| self.tokens.get(n)).map_or_else(Span::call_site, |token| token.span)
    }

    /// The tokens of a hole as they were written. Its braces are the language's, not Rust's, and no lint's business.
    pub(crate) fn tokens(&self, hole: &Hole) -> TokenStream {
        let trees = hole.tokens.iter().filter_map(|span| self.tokens[span.start].tree.clone());
        let trees = trees.map(|mut tree| {
            if matches!(&tree, TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace) {
                tree.set_span(tree.span().resolved_at(Span::mixed_site()));
            }
            tree
        });
        trees.collect()
    }

    /// A name as it was written, at its place.
    pub(crate) fn ident(&self, name: &notation::syntax::Name) -> Ident {
        self.written(&name.text, self.span(name.span))
    }

    /// A name as it was written, `r#` included.
    pub(crate) fn written(&self, name: &str, span: Span) -> Ident {
        match name.strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, span),
            None => Ident::new(name, span),
        }
    }
}

/// A group is blamed as a whole when it is a single token of an error, so its span is the whole group's.
fn opening_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    }
}

fn delimiter(group: &Group) -> Delimiter {
    match group.delimiter() {
        proc_macro2::Delimiter::Parenthesis => Delimiter::Parenthesis,
        proc_macro2::Delimiter::Bracket => Delimiter::Bracket,
        proc_macro2::Delimiter::Brace => Delimiter::Brace,
        proc_macro2::Delimiter::None => Delimiter::Invisible,
    }
}
