//! Faults of left sides: those that are missing, those that are written as in other languages, and those of several equations in one.

use super::algebra::without_left;
use super::cursor::{Cursor, split};
use super::occurring::occurring;
use super::paired::{as_block, unused};
use super::places::last_operand;
use super::unread::{LONGEST, labels_in, names, with_spread};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, Factorisation};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The fault of a right side without a left one. The help has the left side by Einstein's rule.
pub(super) fn no_left_side(right: &Expression, written: &[Token], arrow: Option<&[Token]>, at: Span) -> Diagnostic {
    if let Some(labels) = arrow {
        let fault = Diagnostic::syntax(at, "the left side is written first, and there is no arrow");
        return fault.help(format!("write `[{}] = {}`", text(labels), text(written)));
    }
    let all = occurring(right);
    let mut once: Vec<&str> = Vec::new();
    for label in &all {
        if !once.contains(label) && all.iter().filter(|other| *other == label).count() == 1 {
            once.push(label);
        }
    }
    let written = text(&with_spread(written, &once));
    Diagnostic::syntax(at, "this equation has no left side").help(format!("write `[{}] = {written}`", once.join(", ")))
}

/// The fault of what begins like no left side: a statement of Rust, an array, an operation of linear algebra alone, labels in other
/// groups than brackets.
pub(super) fn no_target(tokens: &[Token]) -> Option<Diagnostic> {
    if let Some((name, at)) = statement_of_rust(tokens) {
        let fault = Diagnostic::syntax(at, format!("`{name}` is a statement, and here stand equations"));
        return Some(fault.help("a statement of Rust stands outside of the macro, before it or behind it"));
    }
    match tokens {
        [Token { tree: Tree::Group(Delimiter::Bracket, inner), span }] if is_array(inner) => {
            let fault = Diagnostic::syntax(*span, "an array is no equation");
            Some(fault.help(format!(
                "a tensor of numbers is made outside of equations: `let t = Tensor::from_array([{}])?;`",
                text(inner)
            )))
        }
        [Token { tree: Tree::Ident(name), span }, Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. }] => {
            Some(without_left(Factorisation::from_name(name)?, tokens, inner, *span))
        }
        [Token { tree: Tree::Group(Delimiter::Brace | Delimiter::Parenthesis, inner), span }, equals, right @ ..]
            if equals.is_punct('=') =>
        {
            // In parentheses names may be those of several results.
            let (names, known) = (names(inner)?, labels_in(right));
            if names.iter().any(|name| !known.contains(name)) {
                return None;
            }
            let fault = Diagnostic::syntax(*span, "the labels of the left side stand in brackets");
            Some(fault.help(format!("write `[{}] = {}`", names.join(", "), text(right))))
        }
        _ => None,
    }
}

/// Whether there are numbers, or arrays of numbers, between brackets.
fn is_array(inner: &[Token]) -> bool {
    let parts = split(inner, ',');
    !parts.is_empty()
        && parts.iter().all(|part| match part {
            [sign, number] if sign.is_punct('-') => matches!(number.tree, Tree::Literal(_)),
            [Token { tree: Tree::Literal(_), .. }] => true,
            [Token { tree: Tree::Group(Delimiter::Bracket, inner), .. }] => is_array(inner),
            _ => false,
        })
}

/// The results of `let x[i], y[j] = …`.
fn several(cursor: &Cursor<'_>) -> Option<String> {
    let rest = cursor.rest();
    let end = rest.iter().position(|token| token.is_punct('='))?;
    let all = [cursor.read().get(1..)?, &rest[..end]].concat();
    let is_result = |part: &[Token]| match part {
        [name] => matches!(name.tree, Tree::Ident(_)),
        [name, indices] => matches!(name.tree, Tree::Ident(_)) && indices.group(Delimiter::Bracket).is_some(),
        _ => false,
    };
    split(&all, ',').into_iter().all(is_result).then(|| text(&all))
}

/// The fault of a left side that no `=` follows.
pub(super) fn no_equals(cursor: &Cursor<'_>, named: bool) -> Diagnostic {
    let operator = matches!(cursor.peek().map(|t| &t.tree), Some(Tree::Punct('+' | '-' | '*' | '/', true)));
    let fault = |sentence: &str| Diagnostic::syntax(cursor.here(), sentence);
    match (named, cursor.peek()) {
        (_, Some(_)) if cursor.peek_pair(':', '=') => {
            let (left, right) = (text(cursor.read()), text(&cursor.rest()[2..]));
            let (right, end) = (if right.is_empty() { "…" } else { &right }, if named { ";" } else { "" });
            fault("the left side is followed by `=`").help(format!("assignment is `=`: `{left} = {right}{end}`"))
        }
        (true, Some(token))
            if token.is_punct(',')
                && let Some(results) = several(cursor) =>
        {
            fault("several results stand in parentheses").help(format!("write `let ({results}) = …;`"))
        }
        (true, Some(token)) if token.is_punct(':') => {
            fault("a name in a block has no type").help("its indices tell it, as in `let W[i, j] = …`")
        }
        (true, _) if operator => fault("`let` makes something new, and `=` follows it")
            .help("`+=` and its like need an existing tensor and no `let`: `C[i, j] += …`"),
        (true, _) => fault("a `let` is followed by `=`").help("write `let W[i, j] = …;`"),
        (false, Some(token)) if token.is_punct(',') => {
            fault("several results stand in parentheses").help("write `([i], [i, j]) = …`")
        }
        (false, _) if operator => {
            fault("the left side is followed by `=`").help("`+=` and its like need an existing tensor: `C[i, j] += …`")
        }
        (false, _) => fault("the left side is followed by `=`").help("write `[i, j] = A[i, k] * B[k, j]`"),
    }
}

/// The help for a `,` between equations.
pub(super) fn equations(cursor: &Cursor<'_>) -> Option<String> {
    let parts: Vec<&[Token]> = cursor.all().split(|token| token.is_punct(',')).collect();
    let targets: Vec<Written> = parts.iter().map(|part| written(part)).collect::<Option<_>>()?;
    let has_let = targets.contains(&Written::Let);
    let mut names = unused(cursor.all());
    let (mut equations, mut values) = (Vec::new(), Vec::new());
    for (part, target) in parts.iter().zip(targets) {
        match target {
            Written::Value => {
                let name = names.next()?;
                values.push(name);
                equations.push(format!("let {name}{}", text(part)));
            }
            Written::Name if !has_let => return None,
            Written::Name | Written::Place if has_let => equations.push(format!("let {}", text(part))),
            Written::Name | Written::Place | Written::Update | Written::Let => equations.push(text(part)),
        }
    }
    let what = "equations have `;` between them";
    let code = as_block(&equations, &values);
    Some(if code.chars().count() > LONGEST { what.into() } else { format!("{what}: `{code}`") })
}

/// How the left side of an equation is written.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    Value,
    Let,
    Place,
    /// A name alone, which is a number behind a `let`.
    Name,
    /// Of a tensor that exists.
    Update,
}

/// The left side of tokens, if they are an equation. Comparisons are none.
fn written(part: &[Token]) -> Option<Written> {
    let n = part.iter().position(|token| token.is_punct('='))?;
    let (left, right) = (&part[..n], &part[n + 1..]);
    let (left, is_update) = match left {
        [left @ .., update] if matches!(update.tree, Tree::Punct('+' | '-' | '*' | '/', true)) => (left, true),
        left => (left, false),
    };
    let is_sign = |token: &Token| matches!(token.tree, Tree::Punct('=' | '<' | '>' | '!', _));
    if left.iter().any(is_sign) || right.first().is_none_or(|first| first.is_punct('=')) {
        return None;
    }
    match left {
        _ if is_update && left.first().is_some_and(|first| first.is_ident("let")) => None,
        [first, ..] if first.is_ident("let") => Some(Written::Let),
        [only] if only.group(Delimiter::Bracket).is_some() => Some(Written::Value),
        [Token { tree: Tree::Ident(_), .. }] if !is_update => Some(Written::Name),
        [.., last] if last.group(Delimiter::Bracket).is_some() && last_operand(left).len() == left.len() => {
            Some(if is_update { Written::Update } else { Written::Place })
        }
        _ => None,
    }
}

/// Macros and functions that print, check or stop: statements of Rust and other languages, and no numbers.
const STATEMENTS: [&str; 20] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "disp",
    "display",
    "eprint",
    "eprintln",
    "info",
    "panic",
    "print",
    "printf",
    "println",
    "todo",
    "trace",
    "warn",
    "writeln",
];

/// The name and the place of such a statement, `println!(…)`, `print(x)` or `{ println!(…) }`.
fn statement_of_rust(tokens: &[Token]) -> Option<(String, Span)> {
    match tokens {
        [group] => statement_of_rust(group.group(Delimiter::Brace)?.split(|token| token.is_punct(';')).next()?),
        [Token { tree: Tree::Ident(name), span }, rest @ ..] if STATEMENTS.contains(&name.as_str()) => match rest {
            [sign, call] if sign.is_punct('!') && matches!(call.tree, Tree::Group(..)) => Some((format!("{name}!"), *span)),
            // `trace(a[i, j])` is an operation here.
            [call] if call.group(Delimiter::Parenthesis).is_some() && Factorisation::from_name(name).is_none() => {
                Some((name.clone(), *span))
            }
            _ => None,
        },
        _ => None,
    }
}
