//! `map(f; X, Y)`, `map(f, slopes; X)` and `cast(T; X)`: the program's function or type, and the tokens of the arguments.
//!
//! This file must not know how arguments are read: they are expressions, which `expression` reads.

use super::cursor::{hole, split};
use crate::diagnostic::Diagnostic;
use crate::sentence::{are, counted};
use crate::syntax::Hole;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The most arguments that a function of the program may have.
pub const MOST_ARGUMENTS: usize = 8;

/// The function of a `map`, its slopes, and the tokens of each argument.
pub(super) fn map(tokens: &[Token], at: Span) -> Result<(Vec<Hole>, Vec<&[Token]>), Diagnostic> {
    // `x -> x * x`, `lambda x: x * x`
    let is_foreign = match tokens {
        // A function of the program may have that name: `lambda as fn(f64) -> f64`.
        [word, Token { tree: Tree::Ident(_), .. }, sign, ..] if word.is_ident("lambda") => {
            sign.is_punct(':') || sign.is_punct(',')
        }
        [Token { tree: Tree::Ident(_), .. }, head, tail, ..] => {
            matches!(head.tree, Tree::Punct('-' | '=', true)) && tail.is_punct('>')
        }
        _ => false,
    };
    if is_foreign {
        let fault = Diagnostic::syntax(tokens[0].span, "this is no function of Rust");
        return Err(fault.help("a closure has its parameters between two `|`: `map(|x| x * x; A[i, j])`"));
    }
    let Some(semicolon) = tokens.iter().position(|t| t.is_punct(';')).filter(|&n| n > 0) else {
        return Err(without_function(tokens, at));
    };
    let (written, arguments) = (functions(&tokens[..semicolon]), split(&tokens[semicolon + 1..], ','));
    if arguments.is_empty() {
        let fault = Diagnostic::syntax(tokens[semicolon].span, "nothing follows the `;` of `map`");
        return Err(fault.help(format!("write `map({}; X)`", text(&tokens[..semicolon]))));
    }
    if arguments.len() > MOST_ARGUMENTS {
        let message = format!("`map` takes up to {MOST_ARGUMENTS} arguments, but {} are given", arguments.len());
        return Err(Diagnostic::syntax(at, message));
    }
    for (n, function) in written.iter().enumerate() {
        if function.is_empty() {
            return Err(Diagnostic::syntax(at, "a function of `map` is missing between two commas"));
        }
        if let Some(taken) = parameters(function).filter(|&taken| taken != arguments.len()) {
            let (taken, given) = (counted(taken, "argument"), arguments.len());
            let what = if n == 0 { "the function" } else { "a slope" };
            let message = format!("{what} of this `map` takes {taken}, but {given} {} given", are(given));
            return Err(Diagnostic::syntax(hole(function).span, message));
        }
    }
    has_all_slopes(&written, arguments.len())?;
    Ok((written.into_iter().map(hole).collect(), arguments))
}

/// That there are slopes by every argument, or none: a function of n arguments has n, each of which has n again.
fn has_all_slopes(written: &[&[Token]], arguments: usize) -> Result<(), Diagnostic> {
    let (mut expected, mut level) = (1, 1);
    while expected < written.len() {
        level *= arguments;
        expected += level;
    }
    if expected == written.len() {
        return Ok(());
    }
    let last = written[written.len() - 1];
    let (given, wanted) = (written.len() - 1, if level == arguments { level } else { expected - 1 });
    let order = if level == arguments { "" } else { " up to the second order" };
    let (of, slopes) = (counted(arguments, "argument"), counted(wanted, "slope"));
    let message = format!("a function of {of} has {slopes}{order}, but {given} {} written", are(given));
    let fault = Diagnostic::syntax(hole(last).span, message);
    Err(fault
        .help("write `map(f, fx, fy; X, Y)`: the slope by each argument; then, if they are needed, the slopes of each slope"))
}

/// The functions before the `;`, between commas. A comma between the parameters of a closure, or in a list of types, separates nothing.
fn functions(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut found, mut start, mut depth, mut is_parameter) = (Vec::new(), 0, 0usize, false);
    for (n, token) in tokens.iter().enumerate() {
        match () {
            () if token.is_punct('|') && (is_parameter || opens_closure(&tokens[start..n])) => is_parameter = !is_parameter,
            () if is_parameter => {}
            // `::<` begins a list of types; a comparison has no `::` before it.
            () if token.is_punct('<') && (depth > 0 || n > 0 && tokens[n - 1].is_punct(':')) => depth += 1,
            () if token.is_punct('>') && depth > 0 => depth -= 1,
            () if token.is_punct(',') && depth == 0 => {
                found.push(&tokens[start..n]);
                start = n + 1;
            }
            () => {}
        }
    }
    found.push(&tokens[start..]);
    found
}

/// Whether `|` begins the parameters of a closure behind these tokens.
fn opens_closure(before: &[Token]) -> bool {
    matches!(before, []) || matches!(before, [only] if only.is_ident("move"))
}

/// `map(f, X)`, `map(X)`
fn without_function(tokens: &[Token], at: Span) -> Diagnostic {
    let all = functions(tokens);
    let is_closure = |part: &&[Token]| part.first().is_some_and(|first| first.is_punct('|') || first.is_ident("move"));
    let written = |parts: &[&[Token]]| parts.iter().map(|part| text(part)).collect::<Vec<_>>().join(", ");
    // `map(a[i], |x| x * x)`
    if let Some(n) = all.iter().position(&is_closure)
        && all[..n].iter().any(|part| part.iter().any(|token| token.group(Delimiter::Bracket).is_some()))
    {
        let (arguments, function) = (written(&all[..n]), written(&all[n..]));
        return Diagnostic::syntax(at, "`map` names its function first").help(format!("write `map({function}; {arguments})`"));
    }
    // `map(f, |x| 2.0 * x, a[i])`
    let slopes = all.iter().skip(1).take_while(|part| is_closure(part)).count();
    if slopes > 0 || is_closure(&all[0]) {
        let (functions, arguments) = (written(&all[..=slopes]), written(&all[slopes + 1..]));
        let arguments = if arguments.is_empty() { "X" } else { &arguments };
        return Diagnostic::syntax(at, "the functions of `map` and its arguments have `;` between them")
            .help(format!("write `map({functions}; {arguments})`"));
    }
    let parts: Vec<String> = split(tokens, ',').into_iter().map(text).collect();
    match parts.split_first() {
        Some((function, arguments)) if !arguments.is_empty() && !function.contains('[') => {
            Diagnostic::syntax(at, "the function of `map` and its arguments have `;` between them")
                .help(format!("write `map({function}; {})`", arguments.join(", ")))
        }
        // `map(a[i], f)`
        Some((argument, [function])) if !function.contains(['[', '.']) && function.starts_with(char::is_alphabetic) => {
            Diagnostic::syntax(at, "`map` names its function first").help(format!("write `map({function}; {argument})`"))
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
    // `cast(A[i]; f32)`
    if let (Some(named), [Token { tree: Tree::Ident(name), .. }]) = (named, body)
        && matches!(name.as_str(), "f32" | "f64")
        && named.iter().any(|token| token.group(Delimiter::Bracket).is_some())
    {
        let fault = Diagnostic::syntax(at, "`cast` names its type first");
        return Err(fault.help(format!("write `cast({name}; {})`", text(named))));
    }
    let is_type = |part: &&[Token]| matches!(part, [Token { tree: Tree::Ident(_), .. }]);
    if let Some([Token { tree: Tree::Ident(name), span }]) = named
        && NO_ELEMENTS.contains(&name.as_str())
    {
        let fault = Diagnostic::syntax(*span, format!("an equation does not convert to `{name}`"));
        let help = "it converts to `f32`, `f64`, `Complex<f32>` or `Complex<f64>`; whole tensors are converted by `a.cast::<i32>()?`, too";
        return Err(fault.help(help));
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
