//! Comparisons that are used as numbers, `(v[i] > 0.0) * v[i]`: which choice to write in their place.

use super::places::{contains, extent, has_word, is_new, sides};
use super::unread::{is_condition, labels_in, with_values};
use crate::diagnostic::Diagnostic;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The fault of a comparison in parentheses that is multiplied, added or converted, if a fault is inside of it or just behind it.
pub(super) fn comparison_as_number(statement: &[Token], at: Span) -> Option<Diagnostic> {
    let (_, right) = sides(statement);
    let end = right.iter().position(|token| token.is_ident("where")).unwrap_or(right.len());
    let labels = labels_in(statement);
    let fault = inside(&right[..end], at, &|condition| text(&with_values(condition, &labels)))?;
    Some(with_extent(fault, statement, &labels))
}

/// A help for a condition that has labels of the statement. A label of a new tensor that only the condition has gets its extent from
/// nothing else.
pub(super) fn with_extent(fault: Diagnostic, statement: &[Token], labels: &[&str]) -> Diagnostic {
    let (_, right) = sides(statement);
    let of_operands = labels_in(right);
    let bare = labels.iter().find(|label| is_new(statement) && !of_operands.contains(label) && has_word(right, label));
    match (bare, &fault.help, right.iter().any(|token| token.is_ident("where"))) {
        (Some(label), Some(help), false) => {
            let help = format!("{help}; `where {label}: {}` behind the equation gives `{label}` its extent", extent(statement));
            fault.help(help)
        }
        _ => fault,
    }
}

/// The fault in a part of a statement, such as the body of a sum.
fn inside(tokens: &[Token], at: Span, written: &dyn Fn(&[Token]) -> String) -> Option<Diagnostic> {
    if let Some(n) = (0..tokens.len()).find(|&n| is_number(tokens, n) && is_near(tokens, n, at)) {
        let condition = written(tokens[n].group(Delimiter::Parenthesis)?);
        let fault = Diagnostic::syntax(tokens[n].span, "a comparison is not a number");
        let factors = [&tokens[..n], &tokens[n + 1 + converted(tokens, n)..]];
        return Some(fault.help(match product(factors) {
            Some(factors) => format!("write `select({condition}; {factors}, 0.0)` in place of the product"),
            None => format!("as a number it is `select({condition}; 1.0, 0.0)`"),
        }));
    }
    let parts = tokens.iter().filter(|token| contains(token.span, at)).find_map(|token| token.group(Delimiter::Parenthesis))?;
    parts.split(|token| token.is_punct(';') || token.is_punct(',')).find_map(|part| inside(part, at, written))
}

/// Whether a token is a comparison in parentheses, beside which an operator of numbers stands.
fn is_number(tokens: &[Token], n: usize) -> bool {
    let Some(inner) = tokens[n].group(Delimiter::Parenthesis) else { return false };
    let before = n.checked_sub(1).map(|n| &tokens[n]);
    let computes = |token: &Token| matches!(token.tree, Tree::Punct('*' | '/' | '+' | '-', _));
    let is_call = before.is_some_and(|token| matches!(token.tree, Tree::Ident(_)));
    let follows = tokens.get(n + 1).is_some_and(|token| computes(token) || token.is_ident("as"));
    let is_choice = inner.iter().any(|token| token.is_punct('?') || token.is_ident("if"));
    is_condition(inner) && !is_choice && !is_call && (follows || before.is_some_and(computes))
}

/// Whether a place is inside of a token, or the next token, or what remains of an `as f64` behind it.
fn is_near(tokens: &[Token], n: usize, at: Span) -> bool {
    tokens[n..].iter().take(2).any(|token| contains(token.span, at))
}

/// The number of tokens of an `as f64` behind a comparison.
fn converted(tokens: &[Token], n: usize) -> usize {
    match &tokens[n + 1..] {
        [word, Token { tree: Tree::Ident(_), .. }, ..] if word.is_ident("as") => 2,
        _ => 0,
    }
}

/// The factors beside a comparison, if it stands in a product without signs and quotients.
fn product([before, after]: [&[Token]; 2]) -> Option<String> {
    let is_sign = |token: &Token| matches!(token.tree, Tree::Punct('+' | '-' | '/' | '<' | '>' | '=' | '&' | '|' | '!', _));
    let is_choice = |token: &Token| token.group(Delimiter::Parenthesis).is_some_and(is_condition);
    let factors = match (before, after) {
        ([before @ .., sign], []) if sign.is_punct('*') => before.to_vec(),
        ([], [sign, after @ ..]) if sign.is_punct('*') => after.to_vec(),
        ([before @ .., sign], [next, ..]) if sign.is_punct('*') && next.is_punct('*') => [before, after].concat(),
        _ => return None,
    };
    let is_plain = !factors.is_empty() && !factors.iter().any(|token| is_sign(token) || is_choice(token));
    is_plain.then(|| text(&factors))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn comparisons_as_numbers() {
        refused(&[
            (
                "[i] = (v[i] > 0.0) * v[i]",
                &["(v[i] > 0.0): a comparison is not a number | write `select(v[i] > 0.0; v[i], 0.0)` in place of the product"],
            ),
            (
                "[i] = (v[i] > 0.0) as f64 * v[i]",
                &["(v[i] > 0.0): a comparison is not a number | write `select(v[i] > 0.0; v[i], 0.0)` in place of the product"],
            ),
            (
                "[i] = w[i] * (v[i] > 0.0) * u[i]",
                &[
                    "(v[i] > 0.0): a comparison is not a number | write `select(v[i] > 0.0; w[i] * u[i], 0.0)` in place of the product",
                ],
            ),
            (
                "[i] = 1.0 - (v[i] > 0.0)",
                &["(v[i] > 0.0): a comparison is not a number | as a number it is `select(v[i] > 0.0; 1.0, 0.0)`"],
            ),
            (
                "[i, j] = v[i] * (i == j)",
                &[
                    "(i == j): a comparison is not a number | write `select(iota[i] == iota[j]; v[i], 0.0)` in place of the product; `where j: n` behind the equation gives `j` its extent",
                ],
            ),
            (
                "[] = sum(p; a[p] * (a[p] > 0.0))",
                &["(a[p] > 0.0): a comparison is not a number | write `select(a[p] > 0.0; a[p], 0.0)` in place of the product"],
            ),
            (
                "[i] = (v[i] > 0.0) * (w[i] > 0.0)",
                &["(v[i] > 0.0): a comparison is not a number | as a number it is `select(v[i] > 0.0; 1.0, 0.0)`"],
            ),
            (
                "[i] = (v[i] >= w[i]) as f32",
                &["(v[i] >= w[i]): a comparison is not a number | as a number it is `select(v[i] >= w[i]; 1.0, 0.0)`"],
            ),
        ]);
    }
}
