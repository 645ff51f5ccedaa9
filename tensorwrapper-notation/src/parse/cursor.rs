//! A position in a list of tokens.

use crate::diagnostic::Diagnostic;
use crate::syntax::{Hole, Name};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// Reads tokens one by one. To look ahead, copy it.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    tokens: &'a [Token],
    position: usize,
    /// Blamed when something is missing at the end.
    end: Span,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: &'a [Token], end: Span) -> Cursor<'a> {
        Cursor { tokens, position: 0, end }
    }

    /// The cursor behind so many more tokens.
    pub(super) fn moved(self, by: usize) -> Cursor<'a> {
        Cursor { position: self.position + by, ..self }
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.position)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.position + ahead)
    }

    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.position += 1;
        Some(token)
    }

    pub(super) fn rest(&self) -> &'a [Token] {
        &self.tokens[self.position..]
    }

    /// The tokens before and after this position.
    pub(super) fn all(&self) -> &'a [Token] {
        self.tokens
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn previous(&self) -> Option<&'a Token> {
        self.position.checked_sub(1).map(|n| &self.tokens[n])
    }

    /// The tokens before this position.
    pub(super) fn read(&self) -> &'a [Token] {
        &self.tokens[..self.position]
    }

    /// The span of the next token, or of the end.
    pub(super) fn here(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    /// The span of the token before.
    pub(super) fn before(&self) -> Span {
        match self.position.checked_sub(1) {
            Some(n) => self.tokens[n].span,
            None => self.here(),
        }
    }

    pub(super) fn peek_punct(&self, character: char) -> bool {
        self.peek().is_some_and(|token| token.is_punct(character))
    }

    /// Two punctuation characters without a space between them.
    pub(super) fn peek_pair(&self, first: char, second: char) -> bool {
        matches!(self.peek().map(|t| &t.tree), Some(Tree::Punct(c, true)) if *c == first)
            && self.peek_at(1).is_some_and(|token| token.is_punct(second))
    }

    pub(super) fn take_punct(&mut self, character: char) -> bool {
        let found = self.peek_punct(character);
        self.position += usize::from(found);
        found
    }

    pub(super) fn take_pair(&mut self, first: char, second: char) -> bool {
        let found = self.peek_pair(first, second);
        self.position += 2 * usize::from(found);
        found
    }

    pub(super) fn peek_group(&self, delimiter: Delimiter) -> Option<&'a [Token]> {
        self.peek()?.group(delimiter)
    }

    pub(super) fn take_ident(&mut self, name: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_ident(name));
        self.position += usize::from(found);
        found
    }

    /// An identifier.
    pub(super) fn name(&mut self, wanted: &str) -> Result<Name, Diagnostic> {
        match self.peek() {
            Some(Token { tree: Tree::Ident(text), span }) => {
                self.position += 1;
                Ok(Name { text: text.clone(), span: *span })
            }
            _ => Err(self.expected(wanted)),
        }
    }

    /// “expected …, found …” at the next token.
    pub(super) fn expected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            Some(token) => format!("found `{}`", text(std::slice::from_ref(token)).trim_end()),
            None => "but nothing follows".to_string(),
        };
        Diagnostic::syntax(self.here(), format!("expected {wanted}, {found}"))
    }

    /// Refuses whatever is left.
    pub(super) fn finish(&self, wanted: &str) -> Result<(), Diagnostic> {
        if self.is_empty() { Ok(()) } else { Err(self.expected(wanted)) }
    }

    /// The Rust fragment from another cursor's position to this one's.
    pub(super) fn hole_since(&self, start: Cursor<'a>) -> Hole {
        hole(&self.tokens[start.position..self.position])
    }
}

/// A Rust fragment of these tokens.
///
/// # Panics
/// Without a token; callers have seen one.
pub(super) fn hole(tokens: &[Token]) -> Hole {
    let span = tokens[0].span.to(tokens[tokens.len() - 1].span);
    Hole { text: text(tokens), span, tokens: tokens.iter().map(|t| t.span).collect() }
}

/// The parts between separators; a trailing separator adds no empty part.
pub(super) fn split(tokens: &[Token], separator: char) -> Vec<&[Token]> {
    let mut parts: Vec<&[Token]> = tokens.split(|token| token.is_punct(separator)).collect();
    if parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}
