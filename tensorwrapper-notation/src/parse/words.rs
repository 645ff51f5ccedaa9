//! The words of Rust, which cannot be labels or operands.

use crate::diagnostic::Diagnostic;
use crate::token::Span;

/// The keywords of Rust.
const KEYWORDS: [&str; 38] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn", "for", "if",
    "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self", "static", "struct",
    "super", "trait", "true", "type", "unsafe", "use", "where", "while",
];

/// Whether a word is a keyword of Rust.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Whether a keyword begins an item of Rust. `mod` is left out: in other languages it makes a remainder.
pub(super) fn is_item(word: &str) -> bool {
    matches!(word, "const" | "enum" | "extern" | "fn" | "impl" | "pub" | "static" | "struct" | "trait" | "type" | "use")
}

/// The fault of a keyword where a label belongs.
pub(super) fn keyword_as_label(word: &str, span: Span) -> Diagnostic {
    let raw = if matches!(word, "self" | "Self" | "super" | "crate") { String::new() } else { format!(", or `r#{word}`") };
    Diagnostic::syntax(span, format!("`{word}` is a word of Rust and cannot be an index"))
        .help(format!("give the index another name{raw}"))
}
