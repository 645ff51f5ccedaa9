//! Helps for `any`, `all` and `count_nonzero`, which are reductions of a choice here.

use super::choices::doubled;
use super::cursor::split;
use super::places::{Call, fresh, may_hold};
use super::unread::{is_condition, label_of, labels_in, with_values};
use crate::relabel::{free_labels_in, renamed};
use crate::token::{Token, text};

/// The help for such a call in a statement, where these labels have values: those of the left side, and of reductions around the call.
pub(super) fn holds(call: &Call<'_>, statement: &[Token], known: &[&str]) -> Option<String> {
    let (reduction, is_count) = match call.name {
        "any" | "some" => ("max", false),
        "all" | "every" => ("min", false),
        "count" | "count_nonzero" | "nnz" | "countnonzero" => ("sum", true),
        _ => return None,
    };
    let (labels, body) = reduced(statement, call.arguments, known)?;
    let body = doubled(&body);
    let one = |condition: &str| format!("`{reduction}({labels}; select({condition}; 1.0, 0.0))`");
    let written = text(&body);
    if is_condition(&body) {
        let code = one(&text(&with_values(&body, &labels_in(statement))));
        return Some(if is_count { format!("what holds is counted by {code}") } else { format!("as 1 or 0 this is {code}") });
    }
    let place = if reduction == "max" { "where one is not 0" } else { "where none is 0" };
    let numbers = one(&format!("{written} != 0.0"));
    Some(match (may_hold(&body), is_count) {
        (true, true) => format!("truth values that hold are counted by {}, and numbers other than 0 by {numbers}", one(&written)),
        (true, false) => {
            format!("of truth values this is {}, as 1 or 0; if the elements are numbers, {numbers} is 1 {place}", one(&written))
        }
        (false, true) => format!("numbers other than 0 are counted by {numbers}"),
        (false, false) => format!("if the elements are numbers, {numbers} is 1 {place}"),
    })
}

/// The labels over which the call runs, and what it runs over.
fn reduced(statement: &[Token], arguments: &[Token], known: &[&str]) -> Option<(String, Vec<Token>)> {
    if let Some(n) = arguments.iter().position(|token| token.is_punct(';')) {
        let (list, body) = (split(&arguments[..n], ','), &arguments[n + 1..]);
        let labels: Vec<&str> = list.into_iter().map(|part| label_of(part).filter(|_| part.len() == 1)).collect::<Option<_>>()?;
        return (!labels.is_empty() && !body.is_empty()).then(|| (labels.join(", "), body.to_vec()));
    }
    let [body] = split(arguments, ',')[..] else { return None };
    let inside = free_labels_in(body);
    let summed: Vec<&str> = inside.iter().copied().filter(|label| !known.contains(label)).collect();
    if !summed.is_empty() {
        return Some((summed.join(", "), body.to_vec()));
    }
    // Labels that have values are kept: what runs over the same axes has labels of its own.
    let labels = fresh(statement, inside.len());
    let names: Vec<(&str, String)> = inside.into_iter().zip(labels.iter().cloned()).collect();
    (!names.is_empty()).then(|| (labels.join(", "), renamed(body, &names)))
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
                    "any: `any` is not a function of tensor equations | of truth values this is `max(i, j; select(mask[i, j]; 1.0, 0.0))`, as 1 or 0; if the elements are numbers, `max(i, j; select(mask[i, j] != 0.0; 1.0, 0.0))` is 1 where one is not 0",
                ],
            ),
            (
                "[] = all(mask[i, j])",
                &[
                    "all: `all` is not a function of tensor equations | of truth values this is `min(i, j; select(mask[i, j]; 1.0, 0.0))`, as 1 or 0; if the elements are numbers, `min(i, j; select(mask[i, j] != 0.0; 1.0, 0.0))` is 1 where none is 0",
                ],
            ),
            (
                "[] = any(self.mask[i, j])",
                &[
                    "any: `any` is not a function of tensor equations | of truth values this is `max(i, j; select(self.mask[i, j]; 1.0, 0.0))`, as 1 or 0; if the elements are numbers, `max(i, j; select(self.mask[i, j] != 0.0; 1.0, 0.0))` is 1 where one is not 0",
                ],
            ),
            (
                "[i] = any(j; a[i, j] > 0.0)",
                &[
                    "any: `any` is not a function of tensor equations | as 1 or 0 this is `max(j; select(a[i, j] > 0.0; 1.0, 0.0))`",
                ],
            ),
            (
                "[i] = all(a[i, j] > b[j])",
                &[
                    "all: `all` is not a function of tensor equations | as 1 or 0 this is `min(j; select(a[i, j] > b[j]; 1.0, 0.0))`",
                ],
            ),
            (
                "[i] = any(mask[i]) * w[i]",
                &[
                    "any: `any` is not a function of tensor equations | of truth values this is `max(k; select(mask[k]; 1.0, 0.0))`, as 1 or 0; if the elements are numbers, `max(k; select(mask[k] != 0.0; 1.0, 0.0))` is 1 where one is not 0",
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
                    "any: `any` is not a function of tensor equations | as 1 or 0 this is `max(i, j; select(iota[i] == iota[j] && m[i, j]; 1.0, 0.0))`",
                ],
            ),
            (
                "[i] = any(exp(a[i, k]) - 1.0[i, k])",
                &[
                    "any: `any` is not a function of tensor equations | if the elements are numbers, `max(k; select(exp(a[i, k]) - 1.0[i, k] != 0.0; 1.0, 0.0))` is 1 where one is not 0",
                ],
            ),
            (
                "[] = all(a[i] - b[i])",
                &[
                    "all: `all` is not a function of tensor equations | if the elements are numbers, `min(i; select(a[i] - b[i] != 0.0; 1.0, 0.0))` is 1 where none is 0",
                ],
            ),
            (
                "[] = any(mask)",
                &[
                    "any: `any` is not a function of tensor equations | `max(k; select(X != 0.0; 1.0, 0.0))` is 1 where an element is not 0, and `max(k; select(m[k]; 1.0, 0.0))` where a truth value holds",
                ],
            ),
            (
                "[i] = any(a[i, j], axis = 1)",
                &[
                    "any: `any` is not a function of tensor equations | `max(k; select(X != 0.0; 1.0, 0.0))` is 1 where an element is not 0, and `max(k; select(m[k]; 1.0, 0.0))` where a truth value holds",
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
                    "prod: `prod` names labels, and a condition chooses among elements | write `prod(j; select(iota[i] < iota[j] && iota[j] < n; v[j], 1.0))`; `where i: m` behind the equation gives `i` its extent",
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
