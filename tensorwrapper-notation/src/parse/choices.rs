//! Helps for choices between values that other languages write otherwise.

use super::cursor::split;
use super::places::sides;
use super::unread::{is_condition, labels_in, valued};
use crate::token::{Delimiter, Token, Tree, text};

/// The choice that a right side means: `C ? x : y`, `x if C else y`, `where(C, x, y)`, `if C { x } else { y }`. `None` if it is none of
/// these, or if more stands beside it.
pub(super) fn choice(statement: &[Token]) -> Option<String> {
    let (left, right) = sides(statement);
    // In parentheses the first `=` may be that of a comparison.
    let compares = |token: &Token| matches!(token.tree, Tree::Punct('<' | '>' | '=' | '!', _));
    let is_comparison = left.last().is_some_and(compares) || right.first().is_some_and(compares);
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
    let is_plain = |part: &[Token]| !part.is_empty() && !part.iter().any(|token| token.is_punct('?') || token.is_ident("if"));
    let is_operand = matches!(condition, [.., last] if last.group(Delimiter::Bracket).is_some());
    if !(is_condition(condition) || is_operand) || !is_plain(chosen) || !is_plain(other) {
        return None;
    }
    let labels = labels_in(statement);
    let is_label = |token: &Token| matches!(&token.tree, Tree::Ident(name) if labels.contains(&name.as_str()));
    let condition = text(&valued(condition, &is_label));
    Some(format!("a choice for each element is `select({condition}; {}, {})`", text(chosen), text(other)))
}

/// What a choice between bounds is written as. One bound alone may be either of them.
pub(super) fn clipped(parts: &[&[Token]]) -> String {
    match parts {
        [of, bound] if of.len() > 1 => {
            let [of, bound] = [of, bound].map(|part| text(part));
            format!(
                "a lower bound alone is `select({of} < {bound}; {bound}, {of})`, and an upper one `select({of} > {bound}; {bound}, {of})`"
            )
        }
        [of, low, high] => format!("write `clip({}, {}, {})`", text(of), text(low), text(high)),
        _ => "write `clip(X, 0.0, 1.0)`".into(),
    }
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
