//! Which axis of a decomposition is which: told by the labels of its results.

use super::labels::free_labels;
use super::{Checker, Scope};
use crate::diagnostic::Diagnostic;
use crate::equation::{Factorise, LabelId, Left, Node};
use crate::syntax::{Expression, Factorisation, Name};
use crate::token::Span;

impl Checker<'_> {
    /// A decomposition: its arguments' labels are batch, row and column, and its results add one new label.
    pub(super) fn factorisation(
        &mut self,
        (kind, span): (Factorisation, Span),
        pair: &[Name],
        arguments: &[Expression],
        left: &[Left],
        scope: &Scope,
    ) -> Option<Factorise> {
        let form = match kind {
            Factorisation::Cholesky => {
                Form { name: kind.name(), takes: "one matrix", results: 1, arguments: 1..=1, usage: "[i, k] = cholesky(A[i, j])" }
            }
            Factorisation::Eigh => Form {
                name: kind.name(),
                takes: "one or two matrices",
                results: 2,
                arguments: 1..=2,
                usage: "([n], [p, n]) = eigh(F[p, q], S[p, q])",
            },
        };
        if left.len() != form.results || !form.arguments.contains(&arguments.len()) {
            let counted = |n: usize| if n == 1 { "1 result".to_string() } else { format!("{n} results") };
            let verb = |n: usize| if n == 1 { "1 is".to_string() } else { format!("{n} are") };
            let message = match left.len() == form.results {
                true => format!("`{}` takes {}, but {} given", form.name, form.takes, verb(arguments.len())),
                false => format!("`{}` has {}, but {} named", form.name, counted(form.results), verb(left.len())),
            };
            self.faults.push(Diagnostic::label(span, message).help(format!("write `{}`", form.usage)));
            return None;
        }
        if let Some(diagonal) = left.iter().find(|l| !l.is_plain()) {
            self.faults.push(Diagnostic::label(diagonal.span, format!("the results of `{}` have each index once", form.name)));
            return None;
        }
        let axes = self.argument_axes(&form, arguments)?;
        let roles = self.roles(&form, span, &axes, pair, left)?;
        let mut inner = scope.clone();
        let column = self.new_label(axes[roles.column]);
        inner.push(&axes[roles.column].text, column);
        let id = |n: usize| inner.get(&axes[n].text).expect("an argument's labels are on the left, but for the column");
        let nodes: Option<Vec<Node>> =
            arguments.iter().map(|a| self.sum(a, &inner, Some("the matrix of a decomposition"))).collect();
        let batch = (0..axes.len()).filter(|&n| n != roles.row && n != roles.column).map(id).collect();
        Some(Factorise { kind, arguments: nodes?, batch, row: id(roles.row), column, new: roles.new })
    }

    /// The labels of the arguments: the same in each, and in each of their terms.
    fn argument_axes<'e>(&mut self, form: &Form, arguments: &'e [Expression]) -> Option<Vec<&'e Name>> {
        let mut axes: Vec<&Name> = Vec::new();
        for name in free_labels(&arguments[0]) {
            if !axes.iter().any(|known| known.text == name.text) {
                axes.push(name);
            }
        }
        let before = self.faults.len();
        for argument in &arguments[1..] {
            let free = free_labels(argument);
            for name in free.iter().filter(|name| !axes.iter().any(|a| a.text == name.text)) {
                let message = format!("index `{}` is in one matrix of `{}` only", name.text, form.name);
                self.faults.push(Diagnostic::label(name.span, message).help(format!("write `{}`", form.usage)));
            }
            for name in axes.iter().filter(|a| !free.iter().any(|f| f.text == a.text)) {
                let message = format!("this matrix of `{}` lacks index `{}`", form.name, name.text);
                self.faults.push(Diagnostic::label(argument.span, message).help(format!("write `{}`", form.usage)));
            }
        }
        (self.faults.len() == before).then_some(axes)
    }

    /// Tells row, column and new label apart by what the results keep.
    fn roles(&mut self, form: &Form, span: Span, axes: &[&Name], pair: &[Name], left: &[Left]) -> Option<Roles> {
        let usage = || format!("write `{}`", form.usage);
        let name = |id: &LabelId| self.labels[id.0].name.clone();
        let matrix: Vec<String> = left[left.len() - 1].labels().iter().map(name).collect();
        let values: Option<Vec<String>> = (left.len() > 1).then(|| left[0].labels().iter().map(name).collect());
        let is_axis = |label: &String| axes.iter().any(|a| a.text == *label);
        let refuse = |message: String| Err(Diagnostic::label(span, message).help(usage()));
        let found = (|| {
            let new: Vec<LabelId> = left[left.len() - 1].labels().iter().filter(|id| !is_axis(&name(id))).copied().collect();
            let [new] = new[..] else {
                let found = match new.len() {
                    0 => "none".to_string(),
                    _ => new.iter().map(|id| format!("`{}`", name(id))).collect::<Vec<_>>().join(", "),
                };
                return refuse(format!("the matrix that `{}` gives has one new index, and here {found}", form.name));
            };
            let gone: Vec<usize> = (0..axes.len()).filter(|&n| !matrix.contains(&axes[n].text)).collect();
            let [column] = gone[..] else {
                let found = match gone.len() {
                    0 => "has all of them".to_string(),
                    _ => format!("lacks {}", gone.iter().map(|&n| format!("`{}`", axes[n].text)).collect::<Vec<_>>().join(", ")),
                };
                return refuse(format!(
                    "the matrix that `{}` gives lacks one index of its argument, and here {found}",
                    form.name
                ));
            };
            let row = match (pair, &values) {
                ([row, col], _) if col.text == axes[column].text && matrix.contains(&row.text) => {
                    axes.iter().position(|a| a.text == row.text)
                }
                ([first, second], _) => {
                    let message =
                        format!("`{}` names its row and column first: its result keeps the row and lacks the column", form.name);
                    let fault = Diagnostic::label(first.span, message);
                    let is_reversed = first.text == axes[column].text && matrix.contains(&second.text);
                    return Err(match is_reversed {
                        true => fault.help(format!("write `{}({}, {}; …)`", form.name, second.text, first.text)),
                        false => fault.help(usage()),
                    });
                }
                ([], Some(values)) => (0..axes.len()).find(|&n| n != column && !values.contains(&axes[n].text)),
                ([], None) if axes.len() == 2 => Some(1 - column),
                ([], None) => {
                    return Err(Diagnostic::label(
                        span,
                        format!("`{}` of more than two indices names its row and column first", form.name),
                    )
                    .help(format!("write `{}(i, j; A[b, i, j])`", form.name)));
                }
                _ => return refuse(format!("`{}` names two indices before the `;`: row and column", form.name)),
            };
            let Some(row) = row else {
                let (values, new) = (values.as_deref().unwrap_or_default().join(", "), name(&new));
                return refuse(format!("the values of `{}` have the new index `{new}`, and here `[{values}]`", form.name));
            };
            // The values have the batch and the new label; a matrix result has those and the row.
            if let Some(values) = &values {
                let batch = axes.iter().enumerate().filter(|(n, _)| *n != row && *n != column).map(|(_, a)| &a.text);
                let expected: Vec<&String> = batch.collect();
                let fits = values.len() == expected.len() + 1
                    && expected.iter().all(|e| values.contains(e))
                    && values.contains(&name(&new));
                if !fits {
                    let (values, new) = (values.join(", "), name(&new));
                    let batch = if expected.is_empty() { "" } else { " and those of the batch" };
                    return refuse(format!(
                        "the values of `{}` have the new index `{new}`{batch}, and here `[{values}]`",
                        form.name
                    ));
                }
            }
            Ok(Roles { row, column, new })
        })();
        found.map_err(|fault| self.faults.push(fault)).ok()
    }
}

struct Form {
    name: &'static str,
    takes: &'static str,
    results: usize,
    arguments: std::ops::RangeInclusive<usize>,
    usage: &'static str,
}

/// Positions among the argument's labels, and the label that is new.
struct Roles {
    row: usize,
    column: usize,
    new: LabelId,
}
