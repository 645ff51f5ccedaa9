//! Helps for `any`, `all` and `count_nonzero`, which are reductions of a choice here.

use super::cursor::split;
use super::places::fresh;
use super::unread::{is_condition, label_of, labels_in, valued};
use crate::diagnostic::Diagnostic;
use crate::relabel::{free_labels_in, renamed};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The help for such a call whose name is at a place, in a statement whose left side has these labels.
pub(super) fn holds(fault: &Diagnostic, statement: &[Token], left: &[&str]) -> Option<String> {
    let (name, arguments) = call(statement, fault.span)?;
    let (reduction, is_count) = match name {
        "any" | "some" => ("max", false),
        "all" | "every" => ("min", false),
        "count" | "count_nonzero" | "nnz" | "countnonzero" => ("sum", true),
        _ => return None,
    };
    let (labels, body) = reduced(statement, arguments, left)?;
    let all: Vec<&str> = labels_in(statement);
    let is_label = |token: &Token| matches!(&token.tree, Tree::Ident(name) if all.contains(&name.as_str()));
    let one = |condition: &str| format!("`{reduction}({labels}; select({condition}; 1.0, 0.0))`");
    let written = text(&body);
    if is_condition(&body) {
        let code = one(&text(&valued(&body, &is_label)));
        return Some(if is_count { format!("what holds is counted by {code}") } else { format!("it is 1 or 0, {code}") });
    }
    let numbers = one(&format!("{written} != 0.0"));
    let is_operand = body.last().is_some_and(|last| last.group(Delimiter::Bracket).is_some())
        && !body.iter().any(|token| matches!(token.tree, Tree::Punct('+' | '-' | '*' | '/', _)));
    Some(match (is_operand, is_count) {
        (true, true) => format!("truth values that hold are counted by {}, and numbers other than 0 by {numbers}", one(&written)),
        (true, false) => {
            format!("of truth values it is 1 or 0, {}; of numbers, which hold if they are not 0, {numbers}", one(&written))
        }
        (false, true) => format!("numbers other than 0 are counted by {numbers}"),
        (false, false) => format!("of numbers, which hold if they are not 0, it is 1 or 0, {numbers}"),
    })
}

/// The labels over which the call runs, and what it runs over.
fn reduced(statement: &[Token], arguments: &[Token], left: &[&str]) -> Option<(String, Vec<Token>)> {
    if let Some(n) = arguments.iter().position(|token| token.is_punct(';')) {
        let (list, body) = (split(&arguments[..n], ','), &arguments[n + 1..]);
        let labels: Vec<&str> = list.into_iter().map(|part| label_of(part).filter(|_| part.len() == 1)).collect::<Option<_>>()?;
        return (!labels.is_empty() && !body.is_empty()).then(|| (labels.join(", "), body.to_vec()));
    }
    let [body] = split(arguments, ',')[..] else { return None };
    let inside = free_labels_in(body);
    let summed: Vec<&str> = inside.iter().copied().filter(|label| !left.contains(label)).collect();
    if !summed.is_empty() {
        return Some((summed.join(", "), body.to_vec()));
    }
    // Labels of the left side are kept: what runs over the same axes has labels of its own.
    let labels = fresh(statement, inside.len());
    let names: Vec<(&str, String)> = inside.into_iter().zip(labels.iter().cloned()).collect();
    (!names.is_empty()).then(|| (labels.join(", "), renamed(body, &names)))
}

/// The call whose name is at a place.
fn call(tokens: &[Token], at: Span) -> Option<(&str, &[Token])> {
    tokens.iter().enumerate().find_map(|(n, token)| match &token.tree {
        Tree::Ident(name) if token.span == at => Some((name.as_str(), tokens.get(n + 1)?.group(Delimiter::Parenthesis)?)),
        Tree::Group(_, inner) => call(inner, at),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn whether_elements_hold() {
        refused(&[
            (
                "[] = any(i, j; mask[i, j])",
                &[
                    "any: `any` is not a function of tensor equations | of truth values it is 1 or 0, `max(i, j; select(mask[i, j]; 1.0, 0.0))`; of numbers, which hold if they are not 0, `max(i, j; select(mask[i, j] != 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = all(mask[i, j])",
                &[
                    "all: `all` is not a function of tensor equations | of truth values it is 1 or 0, `min(i, j; select(mask[i, j]; 1.0, 0.0))`; of numbers, which hold if they are not 0, `min(i, j; select(mask[i, j] != 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = any(self.mask[i, j])",
                &[
                    "any: `any` is not a function of tensor equations | of truth values it is 1 or 0, `max(i, j; select(self.mask[i, j]; 1.0, 0.0))`; of numbers, which hold if they are not 0, `max(i, j; select(self.mask[i, j] != 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[i] = any(j; a[i, j] > 0.0)",
                &["any: `any` is not a function of tensor equations | it is 1 or 0, `max(j; select(a[i, j] > 0.0; 1.0, 0.0))`"],
            ),
            (
                "[i] = all(a[i, j] > b[j])",
                &["all: `all` is not a function of tensor equations | it is 1 or 0, `min(j; select(a[i, j] > b[j]; 1.0, 0.0))`"],
            ),
            (
                "[i] = any(mask[i]) * w[i]",
                &[
                    "any: `any` is not a function of tensor equations | of truth values it is 1 or 0, `max(k; select(mask[k]; 1.0, 0.0))`; of numbers, which hold if they are not 0, `max(k; select(mask[k] != 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = count_nonzero(a[i, j])",
                &[
                    "count_nonzero: `count_nonzero` is not a function of tensor equations | truth values that hold are counted by `sum(i, j; select(a[i, j]; 1.0, 0.0))`, and numbers other than 0 by `sum(i, j; select(a[i, j] != 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = count(a[i, j] > 0.0)",
                &[
                    "count: `count` is not a function of tensor equations | what holds is counted by `sum(i, j; select(a[i, j] > 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = any(i, j; i == j && m[i, j])",
                &[
                    "any: `any` is not a function of tensor equations | it is 1 or 0, `max(i, j; select(iota[i] == iota[j] && m[i, j]; 1.0, 0.0))`",
                ],
            ),
            (
                "[i] = any(exp(a[i, k]) - 1.0[i, k])",
                &[
                    "any: `any` is not a function of tensor equations | of numbers, which hold if they are not 0, it is 1 or 0, `max(k; select(exp(a[i, k]) - 1.0[i, k] != 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = all(a[i] - b[i])",
                &[
                    "all: `all` is not a function of tensor equations | of numbers, which hold if they are not 0, it is 1 or 0, `min(i; select(a[i] - b[i] != 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = any(mask)",
                &[
                    "any: `any` is not a function of tensor equations | whether an element is not 0 is 1 or 0, `max(k; select(X != 0.0; 1.0, 0.0))`, and of truth values `max(k; select(m[k]; 1.0, 0.0))`",
                ],
            ),
            (
                "[i] = any(a[i, j], axis = 1)",
                &[
                    "any: `any` is not a function of tensor equations | whether an element is not 0 is 1 or 0, `max(k; select(X != 0.0; 1.0, 0.0))`, and of truth values `max(k; select(m[k]; 1.0, 0.0))`",
                ],
            ),
            (
                "[] = 2.0 * count_nonzero(i; v[i])",
                &[
                    "count_nonzero: `count_nonzero` is not a function of tensor equations | truth values that hold are counted by `sum(i; select(v[i]; 1.0, 0.0))`, and numbers other than 0 by `sum(i; select(v[i] != 0.0; 1.0, 0.0))`",
                ],
            ),
        ]);
    }

    #[test]
    fn remaining_axes_and_conditions_in_reductions() {
        refused(&[
            (
                "[] = sum(a[..])",
                &[
                    "sum: `..` stands for axes that are kept, and `sum` names what it runs over | each of these axes has a label, here of two: `sum(k, l; a[k, l])`",
                ],
            ),
            (
                "[] = sum(..; a[..])",
                &[
                    "sum: `..` stands for axes that are kept, and `sum` names what it runs over | each of these axes has a label, here of two: `sum(k, l; a[k, l])`",
                ],
            ),
            (
                "[i] = sum(..; a[i, ..])",
                &[
                    "sum: `..` stands for axes that are kept, and `sum` names what it runs over | each of these axes has a label, here of two: `sum(k, l; a[i, k, l])`",
                ],
            ),
            (
                "[i] = a[i] / max(a[i, ..])",
                &[
                    "max: `..` stands for axes that are kept, and `max` names what it runs over | each of these axes has a label, here of two: `max(k, l; a[i, k, l])`",
                ],
            ),
            (
                "[i] = sum(j, ..; a[i, j, ..] * k)",
                &[
                    "sum: `..` stands for axes that are kept, and `sum` names what it runs over | each of these axes has a label, here of two: `sum(j, l, m; a[i, j, l, m] * k)`",
                ],
            ),
            ("[.., i] = sum(a[.., i, k])", &["sum: `sum` names its labels first | write `sum(k; a[.., i, k])`"]),
            (
                "[i] = sum(j < i; v[j])",
                &[
                    "sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(iota[j] < iota[i]; v[j], 0.0))`; `where i: n` behind the equation gives `i` its extent",
                ],
            ),
            (
                "[i] = sum(j <= i; a[i, j])",
                &[
                    "sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(iota[j] <= iota[i]; a[i, j], 0.0))`",
                ],
            ),
            (
                "[] = sum(i; sum(j < i; v[j]) * w[i])",
                &[
                    "sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(iota[j] < iota[i]; v[j], 0.0))`",
                ],
            ),
            (
                "[] = sum(i; sum(j < i; a[i, j]))",
                &[
                    "sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(iota[j] < iota[i]; a[i, j], 0.0))`",
                ],
            ),
            (
                "[i] = prod(i < j && j < n; v[j])",
                &[
                    "prod: `prod` names labels, and a condition chooses among elements | write `prod(j; select(iota[i] < iota[j] && iota[j] < n; v[j], 1.0))`; `where i: n` behind the equation gives `i` its extent",
                ],
            ),
            (
                "c[i] = sum(j < i; v[j])",
                &[
                    "sum: `sum` names labels, and a condition chooses among elements | write `sum(j; select(iota[j] < iota[i]; v[j], 0.0))`",
                ],
            ),
        ]);
    }
}
