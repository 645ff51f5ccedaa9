//! Helps for signs of other languages between conditions and between equations: `m[i] & k[i]`, `c[i] += a[i], c[i] += b[i]`.

use super::cursor::Cursor;
use super::places::{has_word, last_operand, sides};
use super::unread::is_condition;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The longest code that a help repeats.
const LONGEST: usize = 120;

/// The help for a `&` or `|` between conditions. In parentheses no equation is there, and a condition is no number.
pub(super) fn conditions(cursor: &Cursor<'_>, is_inside: bool) -> Option<String> {
    let Tree::Punct(sign @ ('&' | '|'), false) = cursor.peek()?.tree else { return None };
    let all = if is_inside { cursor.all() } else { sides(cursor.all()).1 };
    let all = &all[..all.iter().position(|token| token.is_ident("where")).unwrap_or(all.len())];
    let joins = |token: &Token| token.is_punct('&') || token.is_punct('|');
    if !all.split(joins).filter(|part| !part.is_empty()).all(holds) || all.last().is_none_or(joins) {
        return None;
    }
    let written = text(&doubled(all));
    Some(match is_inside {
        true => format!("conditions are joined by `{sign}{sign}`, and stand in a choice: `select({written}; 1.0, 0.0)`"),
        false => format!("conditions are joined by `{sign}{sign}`: `{written}`"),
    })
}

/// Whether tokens are a comparison or an operand alone, which may have truth values.
fn holds(part: &[Token]) -> bool {
    let is_sign = |token: &Token| token.is_punct('!') || token.is_punct('~');
    let part = &part[part.iter().position(|token| !is_sign(token)).unwrap_or_default()..];
    let is_operand = part.last().is_some_and(|last| last.group(Delimiter::Bracket).is_some());
    is_condition(part) || is_operand && last_operand(part).len() == part.len()
}

/// Conditions with the signs of this language.
fn doubled(tokens: &[Token]) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let sign = |character: char, joint: bool| Token { tree: Tree::Punct(character, joint), span: token.span };
        match token.tree {
            Tree::Punct(c @ ('&' | '|'), false)
                if n == 0 || !matches!(tokens[n - 1].tree, Tree::Punct(before, true) if before == c) =>
            {
                found.extend([sign(c, true), sign(c, false)]);
            }
            Tree::Punct('~', joint) => found.push(sign('!', joint)),
            _ => found.push(token.clone()),
        }
    }
    found
}

/// The help for a `,` between equations.
pub(super) fn equations(cursor: &Cursor<'_>) -> Option<String> {
    let parts: Vec<&[Token]> = cursor.all().split(|token| token.is_punct(',')).collect();
    let targets: Vec<Written> = parts.iter().map(|part| written(part)).collect::<Option<_>>()?;
    let has_let = targets.contains(&Written::Let);
    let mut names = ["x", "y", "z", "u", "v", "w"].into_iter().filter(|name| !has_word(cursor.all(), name));
    let (mut equations, mut values) = (Vec::new(), Vec::new());
    for (part, target) in parts.iter().zip(targets) {
        match target {
            Written::Value => {
                let name = names.next()?;
                values.push(name);
                equations.push(format!("let {name}{}", text(part)));
            }
            Written::Place if has_let => equations.push(format!("let {}", text(part))),
            Written::Place | Written::Let => equations.push(text(part)),
        }
    }
    let what = "equations have `;` between them";
    let code = match (&values[..], has_let) {
        ([], false) => equations.join("; "),
        ([], true) => equations.join("; ") + ";",
        (values, _) => format!("{}; ({})", equations.join("; "), values.join(", ")),
    };
    Some(if code.chars().count() > LONGEST { what.into() } else { format!("{what}: `{code}`") })
}

/// How the left side of an equation is written.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    Value,
    Let,
    Place,
}

/// The left side of tokens, if they are an equation. Comparisons are none.
fn written(part: &[Token]) -> Option<Written> {
    let n = part.iter().position(|token| token.is_punct('='))?;
    let (left, right) = (&part[..n], &part[n + 1..]);
    let left = match left {
        [left @ .., update] if matches!(update.tree, Tree::Punct('+' | '-' | '*' | '/', true)) => left,
        left => left,
    };
    let is_sign = |token: &Token| matches!(token.tree, Tree::Punct('=' | '<' | '>' | '!', _));
    if left.iter().any(is_sign) || right.first().is_none_or(|first| first.is_punct('=')) {
        return None;
    }
    match left {
        [first, ..] if first.is_ident("let") => Some(Written::Let),
        [only] if only.group(Delimiter::Bracket).is_some() => Some(Written::Value),
        [.., last] if last.group(Delimiter::Bracket).is_some() && last_operand(left).len() == left.len() => Some(Written::Place),
        _ => None,
    }
}

/// The help for indices behind a call, which belong to a tensor in its parentheses: `conj(z)[j, i]`.
pub(super) fn indices_behind(read: &[Token], indices: &[Token]) -> String {
    let what = "indices stand on the tensors inside of the parentheses";
    let indices = text(indices);
    if let [.., Token { tree: Tree::Ident(function), .. }, group] = read
        && let Some(inner) = group.group(Delimiter::Parenthesis)
        && is_name(inner)
    {
        return format!("{what}: `{function}({}[{indices}])`", text(inner));
    }
    format!("{what}, as in `sqrt(A[{indices}])`")
}

/// The help for `net[0].0[i, j]`, a field of an element of a collection.
pub(super) fn field(cursor: &Cursor<'_>) -> Option<String> {
    let [_, Token { tree: Tree::Literal(field), .. }, indices, ..] = cursor.rest() else { return None };
    let (operand, indices) = (text(last_operand(cursor.read())), text(indices.group(Delimiter::Bracket)?));
    Some(format!("an element of a collection stands in parentheses: `({operand}.{field})[{indices}]`"))
}

/// Whether tokens are a name, perhaps with a path or fields.
fn is_name(tokens: &[Token]) -> bool {
    let is_word = |token: &Token| matches!(token.tree, Tree::Ident(_));
    tokens.last().is_some_and(is_word) && tokens.iter().all(|token| is_word(token) || token.is_punct('.') || token.is_punct(':'))
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
pub(super) fn statement_of_rust(tokens: &[Token]) -> Option<(String, Span)> {
    match tokens {
        [group] => statement_of_rust(group.group(Delimiter::Brace)?.split(|token| token.is_punct(';')).next()?),
        [Token { tree: Tree::Ident(name), span }, rest @ ..] if STATEMENTS.contains(&name.as_str()) => match rest {
            [sign, call] if sign.is_punct('!') && matches!(call.tree, Tree::Group(..)) => Some((format!("{name}!"), *span)),
            [call] if call.group(Delimiter::Parenthesis).is_some() => Some((name.clone(), *span)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn conditions_and_equations() {
        refused(&[
            (
                "[i, j] = mask[i, j] & mask[j, i]",
                &["&: expected an operator, found `&` | conditions are joined by `&&`: `mask[i, j] && mask[j, i]`"],
            ),
            (
                "[i, j] = mask[i, j] | !mask[j, i] & m[i, j]",
                &["|: expected an operator, found `|` | conditions are joined by `||`: `mask[i, j] || !mask[j, i] && m[i, j]`"],
            ),
            (
                "[i, j] = mask[i, j] & ~mask[j, i]",
                &["&: expected an operator, found `&` | conditions are joined by `&&`: `mask[i, j] && !mask[j, i]`"],
            ),
            (
                "[i, j] = (a[i, j] > 0.0) & (a[j, i] > 0.0)",
                &["&: expected an operator, found `&` | conditions are joined by `&&`: `(a[i, j] > 0.0) && (a[j, i] > 0.0)`"],
            ),
            (
                "let m[i] = self.a[i] > 0.0 & b[i] where i: 3; m",
                &["&: expected an operator, found `&` | conditions are joined by `&&`: `self.a[i] > 0.0 && b[i]`"],
            ),
            ("[i] = 2.0 * a[i] |b[i]|", &["|: expected an operator, found `|` | the operators are `+`, `-`, `*` and `/`"]),
            ("[i] = a[i] & 3", &["&: expected an operator, found `&` | the operators are `+`, `-`, `*` and `/`"]),
            (
                "[i] = sum(j; m[i, j] & k[i, j])",
                &[
                    "&: expected an operator, found `&` | conditions are joined by `&&`, and stand in a choice: `select(m[i, j] && k[i, j]; 1.0, 0.0)`",
                ],
            ),
            (
                "c[i, j] += a[j, i], c[i, j] += b[i, j]",
                &[
                    ",: expected an operator, found `,` | equations have `;` between them: `c[i, j] += a[j, i]; c[i, j] += b[i, j]`",
                ],
            ),
            (
                "c[i, j] = a[j, i], d.c[i, j] = b[i, j], e[] = a[i, i]",
                &[
                    ",: expected an operator, found `,` | equations have `;` between them: `c[i, j] = a[j, i]; d.c[i, j] = b[i, j]; e[] = a[i, i]`",
                ],
            ),
            (
                "[i] = a[i], [j] = x[j]",
                &[
                    ",: expected an operator, found `,` | equations have `;` between them: `let y[i] = a[i]; let z[j] = x[j]; (y, z)`",
                ],
            ),
            (
                "let x[i] = a[i], y[i] = b[i]; (x, y)",
                &[",: expected an operator, found `,` | equations have `;` between them: `let x[i] = a[i]; let y[i] = b[i];`"],
            ),
            (
                "let x[i] = a[i], let y[i] = b[i]; (x, y)",
                &[",: expected an operator, found `,` | equations have `;` between them: `let x[i] = a[i]; let y[i] = b[i];`"],
            ),
            (
                "[i] = a[i], b[i] == c[i]",
                &[",: expected an operator, found `,` | several results are written `([i], [i, j]) = …`"],
            ),
        ]);
    }

    #[test]
    fn indices_behind_calls() {
        refused(&[
            (
                "[i, j] = conj(z)[j, i]",
                &[
                    "[j, i]: expected an operator, found `[j, i]` | indices stand on the tensors inside of the parentheses: `conj(z[j, i])`",
                ],
            ),
            (
                "[i, j] = b[i, k] * conj(self.z)[j, k]",
                &[
                    "[j, k]: expected an operator, found `[j, k]` | indices stand on the tensors inside of the parentheses: `conj(self.z[j, k])`",
                ],
            ),
            (
                "[i, j] = exp(2.0 * z)[j, i]",
                &[
                    "[j, i]: expected an operator, found `[j, i]` | indices stand on the tensors inside of the parentheses, as in `sqrt(A[j, i])`",
                ],
            ),
            (
                "[i, j] = map(f; z)[j, i]",
                &[
                    "[j, i]: expected an operator, found `[j, i]` | indices stand on the tensors inside of the parentheses, as in `sqrt(A[j, i])`",
                ],
            ),
        ]);
    }

    #[test]
    fn statements_of_rust() {
        refused(&[
            (
                "let x[i] = v[i]; println!(\"{x}\"); x",
                &[
                    "println: `println!` is no equation, and gives no number to one | a statement of Rust stands outside of the macro, before it or behind it",
                ],
            ),
            (
                "let x[i] = v[i]; { println!(\"{x}\") }; x",
                &[
                    "println: `println!` is no equation, and gives no number to one | a statement of Rust stands outside of the macro, before it or behind it",
                ],
            ),
            (
                "let x[i] = v[i]; print(x); x",
                &[
                    "print: `print` is no equation, and gives no number to one | a statement of Rust stands outside of the macro, before it or behind it",
                ],
            ),
            (
                "let x[i] = v[i]; dbg!(x)",
                &[
                    "dbg: `dbg!` is no equation, and gives no number to one | a statement of Rust stands outside of the macro, before it or behind it",
                ],
            ),
            (
                "let x[i] = v[i]; { assert!(n > 2); }; x",
                &[
                    "assert: `assert!` is no equation, and gives no number to one | a statement of Rust stands outside of the macro, before it or behind it",
                ],
            ),
        ]);
    }
}
