//! Text → tokens, for equations in strings and for this crate's tests.

use crate::diagnostic::{Diagnostic, Fault};
use crate::token::{Delimiter, Span, Token, Tree};

/// Splits a text into the same tokens as Rust would. Spans count bytes.
///
/// # Errors
/// An unbalanced delimiter, and groups nested deeper than [`DEEPEST_GROUPS`].
pub fn lex(text: &str) -> Result<Vec<Token>, Diagnostic> {
    Lexer { text, position: 0, depth: 0, backticks: false }.until(None)
}

/// As [`lex`], for texts that [`write`](crate::write()) made, in which backticks enclose a Rust fragment.
///
/// # Errors
/// As [`lex`].
pub(crate) fn lex_written(text: &str) -> Result<Vec<Token>, Diagnostic> {
    Lexer { text, position: 0, depth: 0, backticks: true }.until(None)
}

struct Lexer<'a> {
    text: &'a str,
    position: usize,
    /// The number of groups around the current position.
    depth: usize,
    /// Whether text between backticks is one name.
    backticks: bool,
}

/// How deep groups may be nested. Reading is recursive, and deeper nesting could overflow the stack.
pub const DEEPEST_GROUPS: usize = 64;

/// The fault of a group nested deeper than that.
pub fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(Fault::Syntax, span, format!("more than {DEEPEST_GROUPS} groups inside each other"))
        .help("give the inner parts an equation of their own")
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.position..].chars().next()
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> String {
        let rest = &self.text[self.position..];
        let length = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.position += length;
        rest[..length].to_string()
    }

    /// Tokens up to the closing delimiter, which is not consumed, or to the end of the text.
    fn until(&mut self, close: Option<char>) -> Result<Vec<Token>, Diagnostic> {
        let mut tokens = Vec::new();
        while let Some(c) = self.peek() {
            let start = self.position;
            let tree = if c.is_whitespace() {
                self.position += c.len_utf8();
                continue;
            } else if Some(c) == close {
                return Ok(tokens);
            } else if c.is_alphabetic() || c == '_' {
                Tree::Ident(self.take_while(|c| c.is_alphanumeric() || c == '_'))
            } else if c.is_ascii_digit() {
                Tree::Literal(self.number())
            } else if c == '`' && self.backticks {
                self.position += 1;
                let name = self.take_while(|c| c != '`');
                self.position += 1;
                Tree::Ident(name)
            } else if let Some((delimiter, end)) = opening(c) {
                self.group(delimiter, end)?
            } else if matches!(c, ')' | ']' | '}') {
                return Err(Diagnostic::new(Fault::Syntax, self.here(), format!("`{c}` closes nothing")));
            } else {
                self.position += c.len_utf8();
                let joint = self.peek().is_some_and(|next| next.is_ascii_punctuation() && !"()[]{}_".contains(next));
                Tree::Punct(c, joint)
            };
            tokens.push(Token { tree, span: Span { start, end: self.position } });
        }
        match close {
            Some(c) => Err(Diagnostic::new(Fault::Syntax, self.here(), format!("`{c}` is missing"))),
            None => Ok(tokens),
        }
    }

    fn group(&mut self, delimiter: Delimiter, end: char) -> Result<Tree, Diagnostic> {
        if self.depth == DEEPEST_GROUPS {
            return Err(too_deep(self.here()));
        }
        self.depth += 1;
        self.position += 1;
        let inner = self.until(Some(end))?;
        self.position += 1;
        self.depth -= 1;
        Ok(Tree::Group(delimiter, inner))
    }

    fn number(&mut self) -> String {
        let mut number = self.take_while(|c| c.is_ascii_digit() || c == '_');
        let rest = &self.text[self.position..];
        // `2..5` is a range and `2.5` a number.
        if rest.starts_with('.') && !rest.starts_with("..") {
            self.position += 1;
            number.push('.');
            number += &self.take_while(|c| c.is_ascii_digit() || c == '_');
        }
        if self.peek().is_some_and(|c| c == 'e' || c == 'E') {
            self.position += 1;
            number.push('e');
            if let Some(sign @ ('+' | '-')) = self.peek() {
                self.position += 1;
                number.push(sign);
            }
        }
        number + &self.take_while(|c| c.is_alphanumeric() || c == '_')
    }

    fn here(&self) -> Span {
        Span { start: self.position, end: self.position + 1 }
    }
}

fn opening(c: char) -> Option<(Delimiter, char)> {
    match c {
        '(' => Some((Delimiter::Parenthesis, ')')),
        '[' => Some((Delimiter::Bracket, ']')),
        '{' => Some((Delimiter::Brace, '}')),
        _ => None,
    }
}
