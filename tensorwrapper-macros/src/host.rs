//! Converts the compiler's tokens to tokens of the notation, and back.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote_spanned};
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{self as notation, Delimiter, Diagnostic, Token, Tree};

/// The tokens of one invocation, numbered. Spans of the notation are these numbers.
pub(crate) struct Host {
    tokens: Vec<Numbered>,
    /// The library as `$crate`, under whatever name the program has it.
    root: Option<Ident>,
    /// How many groups are around the token that is read.
    depth: usize,
    /// Where groups are nested too deep.
    too_deep: Option<notation::Span>,
}

struct Numbered {
    written: Written,
    span: Span,
}

/// What one number stands for.
enum Written {
    /// A token, or a group with all that is in it.
    Tree(TokenTree),
    /// The closing delimiter of a group.
    Close(Delimiter),
}

impl Numbered {
    fn tree(&self) -> Option<&TokenTree> {
        match &self.written {
            Written::Tree(tree) => Some(tree),
            Written::Close(_) => None,
        }
    }
}

impl Host {
    /// Numbers all tokens, groups from their opening to their closing delimiter.
    ///
    /// # Errors
    /// Groups that are nested too deep.
    pub(crate) fn read(input: TokenStream) -> (Host, Result<Vec<Token>, Diagnostic>) {
        let (root, input) = split_root(input);
        let mut host = Host { tokens: Vec::new(), root, depth: 0, too_deep: None };
        let tokens = host.stream(input);
        match host.too_deep {
            Some(span) => (host, Err(notation::too_deep(span))),
            None => (host, Ok(tokens)),
        }
    }

    /// The path of the library.
    pub(crate) fn root(&self) -> TokenStream {
        match &self.root {
            Some(root) => root.to_token_stream(),
            None => quote_spanned!(Span::mixed_site()=> ::tensorwrapper),
        }
    }

    fn stream(&mut self, stream: TokenStream) -> Vec<Token> {
        stream.into_iter().map(|tree| self.token(tree)).collect()
    }

    fn token(&mut self, tree: TokenTree) -> Token {
        let start = self.tokens.len();
        self.tokens.push(Numbered { span: opening_span(&tree), written: Written::Tree(tree.clone()) });
        let tree = match tree {
            TokenTree::Ident(ident) => Tree::Ident(ident.to_string()),
            TokenTree::Literal(literal) => Tree::Literal(literal.to_string()),
            TokenTree::Punct(punct) => Tree::Punct(punct.as_char(), punct.spacing() == proc_macro2::Spacing::Joint),
            TokenTree::Group(group) => {
                let inner = self.group(&group, start);
                self.tokens.push(Numbered { written: Written::Close(delimiter(&group)), span: group.span_close() });
                Tree::Group(delimiter(&group), inner)
            }
        };
        Token { tree, span: notation::Span { start, end: self.tokens.len() } }
    }

    fn group(&mut self, group: &Group, start: usize) -> Vec<Token> {
        if self.depth == notation::DEEPEST_GROUPS {
            self.too_deep.get_or_insert(notation::Span { start, end: start + 1 });
            return Vec::new();
        }
        self.depth += 1;
        let inner = self.stream(group.stream());
        self.depth -= 1;
        inner
    }

    /// Where a notation span starts, for the compiler.
    pub(crate) fn span(&self, span: notation::Span) -> Span {
        self.tokens.get(span.start).map_or_else(Span::call_site, |token| token.span)
    }

    /// The one token of a hole at which errors are reported: the last name or number of `self.t2` or `x.0`, else the whole group.
    pub(crate) fn blame(&self, hole: &Hole) -> Span {
        let trees = || hole.tokens.iter().filter_map(|span| self.tokens[span.start].tree());
        let word = trees().rfind(|tree| matches!(tree, TokenTree::Ident(_) | TokenTree::Literal(_)));
        word.or_else(|| trees().next()).map_or_else(Span::call_site, TokenTree::span)
    }

    /// The token of a function at which errors are reported: the first one of a closure.
    pub(crate) fn function(&self, hole: &Hole) -> Span {
        match hole.text.starts_with(['|', 'm']) && hole.text.contains('|') {
            true => self.span(hole.span),
            false => self.blame(hole),
        }
    }

    /// The whole of a token, a group included.
    pub(crate) fn whole(&self, span: notation::Span) -> Span {
        let tree = self.tokens.get(span.start).and_then(Numbered::tree);
        tree.map_or_else(Span::call_site, TokenTree::span)
    }

    /// Where a notation span ends, for the compiler.
    pub(crate) fn end(&self, span: notation::Span) -> Span {
        span.end.checked_sub(1).and_then(|n| self.tokens.get(n)).map_or_else(Span::call_site, |token| token.span)
    }

    /// The tokens of a hole for the expansion. Its braces belong to the language, so that no lint for unneeded braces sees them.
    pub(crate) fn tokens(&self, hole: &Hole) -> TokenStream {
        let trees = hole.tokens.iter().filter_map(|span| self.tokens[span.start].tree().cloned());
        let trees = trees.map(|mut tree| {
            if matches!(&tree, TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace) {
                tree.set_span(tree.span().resolved_at(Span::mixed_site()));
            }
            tree
        });
        trees.collect()
    }

    /// The tokens of a hole as they were written, for a parser.
    pub(crate) fn fragment(&self, hole: &Hole) -> TokenStream {
        hole.tokens.iter().filter_map(|span| self.tokens[span.start].tree().cloned()).collect()
    }

    /// The token of a hole at which a parser reports an error, and its text; `None` if the error is at the end of the hole.
    pub(crate) fn token_at(&self, hole: &Hole, place: Span) -> Option<(notation::Span, String)> {
        let start = place.start();
        let number = (hole.span.start..hole.span.end).find(|&n| {
            let own = self.tokens[n].span.start();
            (own.line, own.column) == (start.line, start.column)
        })?;
        let text = match &self.tokens[number].written {
            Written::Tree(TokenTree::Group(group)) => delimiters(delimiter(group)).0.to_string(),
            Written::Tree(tree) => tree.to_string(),
            Written::Close(delimiter) => delimiters(*delimiter).1.to_string(),
        };
        Some((notation::Span { start: number, end: number + 1 }, text))
    }

    /// A name as an identifier, at its place.
    pub(crate) fn ident(&self, name: &notation::syntax::Name) -> Ident {
        self.written(&name.text, self.span(name.span))
    }

    /// A label as an identifier, if it can be one: not every letter in a string can.
    pub(crate) fn label(&self, name: &str, span: notation::Span) -> Option<Ident> {
        let is_token = matches!(self.tokens.get(span.start).and_then(Numbered::tree), Some(TokenTree::Ident(_)));
        (is_token || name.is_ascii()).then(|| self.written(name, self.span(span)))
    }

    /// A name as an identifier; it may start with `r#`.
    pub(crate) fn written(&self, name: &str, span: Span) -> Ident {
        match name.strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, span),
            None => Ident::new(name, span),
        }
    }
}

/// Splits `($crate)` from the tokens behind it. The library's `tensor!` is a `macro_rules!` macro that puts `($crate)` before its
/// tokens, so that a program may rename the library, re-export it, or use it through the macros of another crate.
fn split_root(input: TokenStream) -> (Option<Ident>, TokenStream) {
    let mut tokens = input.into_iter();
    match tokens.next() {
        Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Parenthesis => {
            let root = group.stream().into_iter().find_map(|tree| match tree {
                TokenTree::Ident(ident) if ident == "$crate" => Some(ident),
                _ => None,
            });
            match root {
                Some(root) => (Some(root), tokens.collect()),
                None => (None, std::iter::once(TokenTree::Group(group)).chain(tokens).collect()),
            }
        }
        first => (None, first.into_iter().chain(tokens).collect()),
    }
}

/// Where a token starts: a group starts with its opening delimiter.
fn opening_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    }
}

/// How a delimiter is written at the start and at the end of its group.
fn delimiters(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Invisible => ("", ""),
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
