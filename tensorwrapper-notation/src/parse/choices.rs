//! Helps for choices between values, and for signs between conditions, that other languages write otherwise.

use super::cursor::{Cursor, split};
use super::places::{is_new, may_hold, sides};
use super::unread::{bounds, labels_in, with_values};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The choice that a right side means: `C ? x : y`, `x if C else y`, `where(C, x, y)`, `if C { x } else { y }`. `None` if it is none of
/// these, or if more stands beside it.
pub(super) fn choice(statement: &[Token]) -> Option<String> {
    let (left, right) = sides(statement);
    // In parentheses the first `=` may be that of a comparison.
    let compares = |token: &Token| matches!(token.tree, Tree::Punct('<' | '>' | '=' | '!', _));
    let is_comparison = left.last().is_some_and(compares) || right.first().is_some_and(|first| first.is_punct('='));
    let right = if is_comparison { statement } else { right };
    let right = &right[..right.iter().position(|token| token.is_ident("where")).filter(|&n| n > 0).unwrap_or(right.len())];
    let at = |test: &dyn Fn(&Token) -> bool| right.iter().position(test);
    let (condition, chosen, other) = match right {
        [word, call] if word.is_ident("where") => match split(call.group(Delimiter::Parenthesis)?, ',')[..] {
            [condition, chosen, other] => (condition, chosen, other),
            _ => return None,
        },
        [word, condition @ .., chosen, between, other] if word.is_ident("if") && between.is_ident("else") => {
            (condition, chosen.group(Delimiter::Brace)?, other.group(Delimiter::Brace)?)
        }
        _ if let (Some(n), Some(m)) = (at(&|token| token.is_punct('?')), at(&|token| token.is_punct(':'))) => {
            (right.get(..n)?, right.get(n + 1..m)?, right.get(m + 1..)?)
        }
        _ => {
            let (n, m) = (at(&|token| token.is_ident("if"))?, at(&|token| token.is_ident("else"))?);
            (right.get(n + 1..m)?, right.get(..n)?, right.get(m + 1..)?)
        }
    };
    // Statements of Rust, and choices in choices, are no part of a `select`.
    let is_other = |token: &Token| {
        let is_word = ["if", "else", "let", "match"].iter().any(|word| token.is_ident(word));
        is_word || token.is_punct('?') || token.is_punct(';') || token.group(Delimiter::Brace).is_some()
    };
    let is_plain = |part: &[Token]| !part.is_empty() && !part.iter().any(is_other);
    let is_number = |part: &[Token]| matches!(part, [only] if only.group(Delimiter::Brace).is_some());
    let is_value = |part: &[Token]| is_plain(part) || is_number(part);
    if !may_hold(condition) || !is_plain(condition) || !is_value(chosen) || !is_value(other) {
        return None;
    }
    let condition = text(&with_values(condition, &labels_in(statement)));
    Some(format!("a choice for each element is `select({condition}; {}, {})`", text(chosen), text(other)))
}

/// What a choice between bounds is written as. One bound alone may be either of them.
pub(super) fn clipped(parts: &[&[Token]]) -> String {
    // `clip(X; 0.0, 1.0)`, `clip(X, 0.0..1.0)`
    let mut parts: Vec<&[Token]> = parts.iter().flat_map(|part| split(part, ';')).collect();
    if let [of, range] = parts[..]
        && let Some((low, _, high)) = bounds(range)
        && !low.is_empty()
        && !high.is_empty()
    {
        parts = vec![of, low, high];
    }
    let alone = |of: &[Token], bound: &[Token], sign: char| {
        let [of, bound] = [of, bound].map(text);
        format!("`select({of} {sign} {bound}; {bound}, {of})`")
    };
    // `clip(v[i], ..1.0)`, `clip(v[i], 0.0..)`
    if let [of, range] = parts[..]
        && let Some((low, _, high)) = bounds(range)
        && low.is_empty() != high.is_empty()
    {
        let (what, sign, bound) = if low.is_empty() { ("an upper", '>', high) } else { ("a lower", '<', low) };
        return format!("{what} bound alone is {}", alone(of, bound, sign));
    }
    match parts[..] {
        [of, bound] if of.len() > 1 && !bound.iter().any(|token| token.is_punct('.')) => match named(bound) {
            (Some(Bound::Low), bound) => format!("a lower bound alone is {}", alone(of, bound, '<')),
            (Some(Bound::High), bound) => format!("an upper bound alone is {}", alone(of, bound, '>')),
            (None, bound) => {
                format!("a lower bound alone is {}, and an upper one {}", alone(of, bound, '<'), alone(of, bound, '>'))
            }
        },
        [of, low, high] => {
            let (mut low, mut high) = (named(low), named(high));
            if let (Some(Bound::High), Some(Bound::Low)) = (&low.0, &high.0) {
                (low, high) = (high, low);
            }
            format!("write `clip({}, {}, {})`", text(of), text(low.1), text(high.1))
        }
        _ => "write `clip(X, 0.0, 1.0)`".into(),
    }
}

/// Whether a bound has a name, as in other languages.
pub(super) fn is_named(part: &[Token]) -> bool {
    named(part).0.is_some()
}

/// Which bound a name says.
enum Bound {
    Low,
    High,
}

/// A bound without the name that it has in other languages, `min = 0.0`.
fn named(part: &[Token]) -> (Option<Bound>, &[Token]) {
    let [Token { tree: Tree::Ident(name), .. }, sign, value @ ..] = part else { return (None, part) };
    match name.as_str() {
        _ if !sign.is_punct('=') || value.is_empty() => (None, part),
        "min" | "a_min" | "low" | "lower" => (Some(Bound::Low), value),
        "max" | "a_max" | "high" | "upper" => (Some(Bound::High), value),
        _ => (None, part),
    }
}

/// The help for a `&` or `|` between conditions. In parentheses no equation is there, and a condition is no number.
pub(super) fn conditions(cursor: &Cursor<'_>, is_inside: bool) -> Option<String> {
    let Tree::Punct(sign @ ('&' | '|'), false) = cursor.peek()?.tree else { return None };
    let all = if is_inside { cursor.all() } else { sides(cursor.all()).1 };
    let all = &all[..all.iter().position(|token| token.is_ident("where")).unwrap_or(all.len())];
    let written = conditions_with_signs(all)?;
    // A tensor that exists has numbers.
    Some(match is_inside || !is_new(cursor.all()) {
        true => format!("conditions are joined by `{sign}{sign}`, and stand in a choice: `select({written}; 1.0, 0.0)`"),
        false => format!("conditions are joined by `{sign}{sign}`: `{written}`"),
    })
}

/// The help for `(m[i] & k[i])` in a condition, if a fault is at the sign.
pub(super) fn inside_condition(inner: &[Token], at: Span) -> Option<String> {
    let sign = inner.iter().find(|token| token.span == at && matches!(token.tree, Tree::Punct('&' | '|', false)))?;
    let sign = if sign.is_punct('&') { "&&" } else { "||" };
    Some(format!("conditions are joined by `{sign}`: `{}`", conditions_with_signs(inner)?))
}

/// Conditions with the signs of this language between them.
fn conditions_with_signs(all: &[Token]) -> Option<String> {
    let joins = |token: &Token| token.is_punct('&') || token.is_punct('|');
    let are_conditions = all.split(joins).filter(|part| !part.is_empty()).all(may_hold) && !all.last().is_none_or(joins);
    are_conditions.then(|| text(&doubled(all)))
}

/// Conditions with the signs of this language.
pub(super) fn doubled(tokens: &[Token]) -> Vec<Token> {
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

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn bounds_and_values() {
        refused(&[
            (
                "[i] = clip(v[i], 0.0)",
                &[
                    "clip: `clip` takes three arguments, X and its bounds, but 2 are given | a lower bound alone is `select(v[i] < 0.0; 0.0, v[i])`, and an upper one `select(v[i] > 0.0; 0.0, v[i])`",
                ],
            ),
            (
                "[i] = clamp(v[i], -2.0, 3.0)",
                &["clamp: `clamp` is not a function of tensor equations | write `clip(v[i], -2.0, 3.0)`"],
            ),
            (
                "[i] = clamp(v[i], 0.0)",
                &[
                    "clamp: `clamp` is not a function of tensor equations | a lower bound alone is `select(v[i] < 0.0; 0.0, v[i])`, and an upper one `select(v[i] > 0.0; 0.0, v[i])`",
                ],
            ),
            (
                "[i] = select(v[i] > 0.0; v[i]; 0.0)",
                &["select: the values of `select` have `,` between them | write `select(v[i] > 0.0; v[i], 0.0)`"],
            ),
        ]);
    }

    #[test]
    fn of_other_languages() {
        refused(&[
            (
                "[i] = v[i] > 0 ? v[i] : w[i]",
                &["?: expected an operator, found `?` | a choice for each element is `select(v[i] > 0; v[i], w[i])`"],
            ),
            (
                "[i] = v[i] if v[i] > 0.0 else 0.0",
                &["if: expected an operator, found `if` | a choice for each element is `select(v[i] > 0.0; v[i], 0.0)`"],
            ),
            (
                "[i, j] = where(mask[i, j], a[i, j], 0.0)",
                &[
                    "where: `where` is not a function of tensor equations | a choice for each element is `select(mask[i, j]; a[i, j], 0.0)`",
                ],
            ),
            (
                "[i] = if v[i] > 0.0 { v[i] } else { w[i] }",
                &[
                    "if: `if …` is a Rust expression, and those stand in braces | `{ if … }` is one number; a choice for each element is `select(v[i] > 0.0; v[i], w[i])`",
                ],
            ),
            (
                "[i, j] = a[i, j] if i < j else 0.0",
                &[
                    "if: expected an operator, found `if` | a choice for each element is `select(iota[i] < iota[j]; a[i, j], 0.0)`",
                ],
            ),
            (
                "[i] = 2.0 * (v[i] > 0.0 ? v[i] : w[i])",
                &[">: expected an operator, found `>` | a choice for each element is `select(v[i] > 0.0; v[i], w[i])`"],
            ),
            (
                "[i] = 2.0 * (v[i] >= u[i] ? v[i] : w[i])",
                &[">: expected an operator, found `>` | a choice for each element is `select(v[i] >= u[i]; v[i], w[i])`"],
            ),
            (
                "[i] = 2.0 * (v[i] if v[i] != u[i] else w[i])",
                &["if: expected an operator, found `if` | a choice for each element is `select(v[i] != u[i]; v[i], w[i])`"],
            ),
        ]);
    }
}
