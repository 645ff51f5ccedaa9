//! Tokens, which both the macros and the lexer of strings make.

/// Where something was written. In macros, spans count tokens; in texts, they count bytes. `end` is one past the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first token or byte.
    pub start: usize,
    /// One past the last.
    pub end: usize,
}

impl Span {
    /// The span from the start of this one to the end of another.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// The delimiters that enclose a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// `( )`
    Parenthesis,
    /// `[ ]`
    Bracket,
    /// `{ }`
    Brace,
    /// No visible delimiter: a `macro_rules!` variable such as `$a:expr` has such a group around its text.
    Invisible,
}

/// One token or one group of tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// An identifier or keyword.
    Ident(String),
    /// A literal as written.
    Literal(String),
    /// One punctuation character, and whether the next one follows without a space.
    Punct(char, bool),
    /// A delimited group.
    Group(Delimiter, Vec<Token>),
}

/// A tree and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub tree: Tree,
    /// Where the token is. For a group, the delimiters are included.
    pub span: Span,
}

impl Token {
    /// Whether this token is that punctuation character.
    pub fn is_punct(&self, character: char) -> bool {
        matches!(self.tree, Tree::Punct(c, _) if c == character)
    }

    /// Whether this token is that identifier or keyword.
    pub fn is_ident(&self, name: &str) -> bool {
        matches!(&self.tree, Tree::Ident(text) if text == name)
    }

    /// The tokens inside, if this is a group of that kind.
    pub fn group(&self, delimiter: Delimiter) -> Option<&[Token]> {
        match &self.tree {
            Tree::Group(d, inner) if *d == delimiter => Some(inner),
            _ => None,
        }
    }
}

/// Tokens as a person would write them.
pub fn text(tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut is_parameter = false;
    for (n, token) in tokens.iter().enumerate() {
        match &token.tree {
            Tree::Ident(word) | Tree::Literal(word) => {
                // Two words never touch: `i in`, `x as f64`.
                if out.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                    || out.ends_with(')') && word.starts_with(char::is_alphabetic)
                {
                    out.push(' ');
                }
                out.push_str(word);
            }
            // The parameters of a closure stand between two `|`, which are no operators.
            Tree::Punct('|', joint) if is_parameter || !*joint && opens_closure(&tokens[..n]) => {
                out.push_str(if is_parameter { "| " } else { "|" });
                is_parameter = !is_parameter;
            }
            Tree::Punct(c, joint) => punct(&mut out, *c, *joint, n),
            Tree::Group(delimiter, inner) => {
                let (open, close) = match delimiter {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::Invisible => ("", ""),
                };
                out.push_str(open);
                out.push_str(&text(inner));
                out.push_str(close);
            }
        }
    }
    out
}

/// Whether `|` begins the parameters of a closure behind these tokens.
fn opens_closure(before: &[Token]) -> bool {
    before.last().is_none_or(|token| token.is_punct(',') || token.is_punct(';') || token.is_ident("move"))
}

fn punct(out: &mut String, c: char, joint: bool, position: usize) {
    match c {
        ',' | ';' => {
            out.push(c);
            out.push(' ');
        }
        // Behind a comma stands a sign or a reference.
        '-' | '*' | '&' if out.ends_with(", ") || out.ends_with("; ") => out.push(c),
        // Binary operators have spaces around them; at the start of a text they are signs or references.
        '+' | '-' | '*' | '/' | '=' | '<' | '>' | '&' | '|' | '%' | '!' if position > 0 && (c != '!' || joint) => {
            if !out.ends_with(' ') && !out.ends_with(['+', '-', '*', '/', '=', '<', '>', '&', '|', '!']) {
                out.push(' ');
            }
            out.push(c);
            if !joint {
                out.push(' ');
            }
        }
        _ => out.push(c),
    }
}
