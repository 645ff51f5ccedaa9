//! `map(f; X, Y)` and `cast(T; X)`: the program's function or type, and the tokens of the arguments.
//!
//! This file must not know how arguments are read: they are expressions, which `expression` reads.

use super::cursor::{hole, split};
use crate::diagnostic::Diagnostic;
use crate::syntax::Hole;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The most arguments that a function of the program may have.
pub const MOST_ARGUMENTS: usize = 8;

/// The function of a `map`, and the tokens of each argument.
pub(super) fn map(tokens: &[Token], at: Span) -> Result<(Hole, Vec<&[Token]>), Diagnostic> {
    let Some(semicolon) = tokens.iter().position(|t| t.is_punct(';')).filter(|&n| n > 0) else {
        return Err(without_function(tokens, at));
    };
    let (function, arguments) = (&tokens[..semicolon], split(&tokens[semicolon + 1..], ','));
    if arguments.is_empty() {
        let fault = Diagnostic::syntax(tokens[semicolon].span, "nothing follows the `;` of `map`");
        return Err(fault.help(format!("write `map({}; X)`", text(function))));
    }
    if arguments.len() > MOST_ARGUMENTS {
        let message = format!("`map` takes up to {MOST_ARGUMENTS} arguments, but {} are given", arguments.len());
        return Err(Diagnostic::syntax(at, message));
    }
    let count = |n: usize| if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") };
    if let Some(taken) = parameters(function).filter(|&taken| taken != arguments.len()) {
        let given = if arguments.len() == 1 { "1 is".to_string() } else { format!("{} are", arguments.len()) };
        let message = format!("the function of this `map` takes {}, but {given} given", count(taken));
        return Err(Diagnostic::syntax(hole(function).span, message));
    }
    Ok((hole(function), arguments))
}

/// `map(f, X)`, `map(X)`
fn without_function(tokens: &[Token], at: Span) -> Diagnostic {
    let parts: Vec<String> = split(tokens, ',').into_iter().map(text).collect();
    match parts.split_first() {
        Some((function, arguments)) if !arguments.is_empty() && !function.contains('[') => {
            Diagnostic::syntax(at, "the function of `map` and its arguments have `;` between them")
                .help(format!("write `map({function}; {})`", arguments.join(", ")))
        }
        _ => Diagnostic::syntax(at, "`map` names its function first")
            .help(format!("write `map(f; {})`", if parts.is_empty() { "X".to_string() } else { parts.join(", ") })),
    }
}

/// The tokens of a closure, without braces around it.
fn closure(tokens: &[Token]) -> Option<&[Token]> {
    match tokens {
        [Token { tree: Tree::Group(Delimiter::Brace, inner), .. }] => closure(inner),
        [first, rest @ ..] if first.is_ident("move") => closure(rest),
        [first, ..] if first.is_punct('|') => Some(tokens),
        _ => None,
    }
}

/// The number of a closure's parameters, which are between two `|`.
fn parameters(tokens: &[Token]) -> Option<usize> {
    let rest = &closure(tokens)?[1..];
    let end = rest.iter().position(|t| t.is_punct('|'))?;
    // Commas of a generic type do not separate parameters.
    let is_plain = !rest[..end].iter().any(|t| t.is_punct('<'));
    is_plain.then(|| split(&rest[..end], ',').len())
}

/// Types of Rust that are no element types.
const NO_ELEMENTS: [&str; 17] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "bool", "char", "str", "String",
    "Complex",
];

/// The type that a `cast` names, if it names one, and the tokens of what it converts.
pub(super) fn cast(tokens: &[Token], at: Span) -> Result<(Option<Hole>, &[Token]), Diagnostic> {
    let (named, body) = match tokens.iter().position(|t| t.is_punct(';')) {
        Some(n) => (Some(&tokens[..n]).filter(|named| !named.is_empty()), &tokens[n + 1..]),
        None => (None, tokens),
    };
    let parts = split(body, ',');
    let is_type = |part: &&[Token]| matches!(part, [Token { tree: Tree::Ident(_), .. }]);
    if let Some([Token { tree: Tree::Ident(name), span }]) = named
        && NO_ELEMENTS.contains(&name.as_str())
    {
        let fault = Diagnostic::syntax(*span, format!("`{name}` is not an element type of tensors"));
        return Err(fault.help("tensors hold `f32`, `f64`, `Complex<f32>` or `Complex<f64>`"));
    }
    match parts[..] {
        [body] => Ok((named.map(hole), body)),
        [] => {
            let fault = Diagnostic::syntax(at, "`cast` has nothing to convert");
            Err(fault.help("write `cast(A[i, j])`"))
        }
        [name, body] | [body, name] if named.is_none() && is_type(&name) => Err(Diagnostic::syntax(
            at,
            "a type and what is cast to it have `;` between them",
        )
        .help(format!("write `cast({}; {})`", text(name), text(body)))),
        _ => Err(Diagnostic::syntax(at, format!("`cast` takes one argument, but {} are given", parts.len()))),
    }
}
