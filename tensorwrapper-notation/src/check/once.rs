//! Axes of linear algebra that only one argument has: each must occur once in every addend of the argument.
//!
//! In `norm(a[i, k] * b[k, j])` the author may expect a sum over `k`, and in `det(a[i, j] - x)` a multiple of the unit matrix. Neither is
//! guessed (rule 4). A label is certainly an axis if the left side or another argument has it, or if it is named before the `;`.

use super::carry::spread;
use super::checker::Checker;
use super::resolve::too_many_repeats;
use crate::diagnostic::Diagnostic;
use crate::equation::Left;
use crate::sentence::quoted;
use crate::syntax::{Decomposition, Expression, ExpressionKind, Factorisation, Form, Name, Operator};
use crate::token::Span;

impl Checker<'_> {
    /// Checks that no axis could be meant as a sum, and that no addend lacks one.
    pub(super) fn axes_stand_once(&mut self, form: &Form, call: &Decomposition, axes: &[Vec<&Name>], left: &[Left]) -> bool {
        let named: Vec<&str> = call.groups.iter().flatten().flatten().map(|name| name.text.as_str()).collect();
        let on_left: Vec<&str> = left.iter().flat_map(Left::labels).map(|id| self.labels[id.0].name.as_str()).collect();
        if let Some(fault) = call.arguments.iter().find_map(too_many_repeats) {
            self.faults.push(fault);
            return false;
        }
        let mut faults = Vec::new();
        for (n, argument) in call.arguments.iter().enumerate() {
            let elsewhere = |text: &str| (0..axes.len()).any(|m| m != n && axes[m].iter().any(|other| other.text == text));
            let is_open = |text: &str| !named.contains(&text) && !on_left.contains(&text) && !elsewhere(text);
            let (mut doubtful, mut lacking): (Vec<&Name>, Vec<(Span, Vec<&str>)>) = Default::default();
            for name in axes[n].iter().filter(|name| is_open(&name.text)) {
                match uses(argument, &name.text) {
                    Uses { most: 2.., .. } => doubtful.push(name),
                    Uses { lacking: Some(addend), .. } => match lacking.iter_mut().find(|(span, _)| *span == addend) {
                        Some((_, labels)) => labels.push(&name.text),
                        None => lacking.push((addend, vec![&name.text])),
                    },
                    Uses { .. } => {}
                }
            }
            if !doubtful.is_empty() {
                // Rows, which a result may keep, are named before columns; a batch is no axis of a norm.
                let all = || axes[n].iter().map(|name| name.text.as_str());
                let kept = all().filter(|label| form.has_columns() && on_left.contains(label));
                let names: Vec<&str> = kept.chain(all().filter(|label| !on_left.contains(label))).collect();
                faults.push(perhaps_summed(form, call.kind, &doubtful, &names));
            }
            faults.extend(lacking.iter().map(|(addend, labels)| addend_lacks(form, *addend, labels)));
        }
        let is_clear = faults.is_empty();
        self.faults.extend(faults);
        is_clear
    }
}

/// The occurrences of a label in an expression.
struct Uses {
    /// The most occurrences in one term.
    most: usize,
    /// An addend that lacks the label while another has it.
    lacking: Option<Span>,
}

fn uses(expression: &Expression, label: &str) -> Uses {
    let plain = |most| Uses { most, lacking: None };
    let count = |names: &[Name]| names.iter().filter(|name| name.text == label).count();
    match &expression.kind {
        ExpressionKind::Operand(_, indices) => plain(indices.iter().map(|index| count(index.labels())).sum()),
        ExpressionKind::Spread(_, names) => plain(count(names)),
        ExpressionKind::Iota(name) => plain(count(std::slice::from_ref(name))),
        ExpressionKind::Scalar(_) => plain(0),
        // A product, as far as labels are concerned.
        kind @ ExpressionKind::Gradient(..) => plain(kind.children().into_iter().map(|part| uses(part, label).most).sum()),
        ExpressionKind::Reduce(_, bound, _) if count(bound) > 0 => plain(0),
        ExpressionKind::Binary(operator, a, b) => {
            let (x, y) = (uses(a, label), uses(b, label));
            let inside = x.lacking.or(y.lacking);
            match operator {
                Operator::Multiply | Operator::Divide => Uses { most: x.most + y.most, lacking: inside },
                Operator::Add | Operator::Subtract => {
                    let lacks = match (x.most, y.most) {
                        (0, 1..) => Some(a.span),
                        (1.., 0) => Some(b.span),
                        _ => None,
                    };
                    Uses { most: x.most.max(y.most), lacking: inside.or(lacks) }
                }
            }
        }
        // Arguments of one function are elements of one place, and one of them may be the same everywhere.
        kind @ (ExpressionKind::Map(..) | ExpressionKind::Select(..) | ExpressionKind::Truth(_) | ExpressionKind::Clip(_)) => {
            kind.children().into_iter().fold(plain(0), |all, argument| {
                let one = uses(argument, label);
                Uses { most: all.most.max(one.most), lacking: all.lacking.or(one.lacking) }
            })
        }
        // In the other half the label stands where its partner stands in this one.
        ExpressionKind::Exchange(_, [first, second], inner) => {
            let own = uses(inner, label);
            let partner =
                |from: &[Name], to: &[Name]| from.iter().position(|name| name.text == label).map(|n| to[n].text.clone());
            match partner(first, second).or_else(|| partner(second, first)).map(|partner| uses(inner, &partner)) {
                Some(other) => {
                    let lacks = ((own.most == 0) != (other.most == 0)).then_some(inner.span);
                    Uses { most: own.most.max(other.most), lacking: own.lacking.or(other.lacking).or(lacks) }
                }
                None => own,
            }
        }
        ExpressionKind::Negate(inner)
        | ExpressionKind::Parentheses(inner)
        | ExpressionKind::Cast(_, inner)
        | ExpressionKind::Apply(_, inner)
        | ExpressionKind::Reduce(_, _, inner)
        | ExpressionKind::PowerInteger(inner, _)
        | ExpressionKind::PowerReal(inner, _) => uses(inner, label),
    }
}

/// Labels that products repeat: axes, or summed before the operation.
fn perhaps_summed(form: &Form, kind: Factorisation, doubtful: &[&Name], axes: &[&str]) -> Diagnostic {
    let labels: Vec<&str> = doubtful.iter().map(|name| name.text.as_str()).collect();
    let (list, names) = (quoted(&labels), labels.join(", "));
    let (noun, be) = if labels.len() == 1 { ("index", "be an axis") } else { ("indices", "be axes") };
    let message = format!("{noun} {list} would be summed inside `{}`, or {be} of it: the equation does not say", form.name);
    let is_all = axes.iter().all(|axis| labels.contains(axis));
    // Of nothing but sums there is no matrix.
    let sum = match kind {
        Factorisation::Trace if is_all => Some(format!("leave out `trace` for the sum over {list}")),
        Factorisation::Norm if is_all => Some(format!("write `abs(sum({names}; …))` for the size of the sum")),
        _ if is_all => None,
        _ => Some(format!("write `sum({names}; …)` around what is summed")),
    };
    // Of more labels than a matrix has axes, some are summed.
    let is_matrix = axes.len() == 2;
    let named = (!form.has_columns() || is_matrix).then(|| format!("`{}({}; …)`", form.name, axes.join(", ")));
    let help = match (sum, named) {
        (Some(sum), Some(named)) if labels.len() == 1 => format!("{sum}; if it is an axis, name the axes first: {named}"),
        (Some(sum), Some(named)) => format!("{sum}; if they are axes, name the axes first: {named}"),
        (None, Some(named)) => format!("name the axes first: {named}"),
        (Some(sum), None) => sum,
        (None, None) => format!("write `sum(…; …)` around what is summed, so that `{}` has a matrix", form.name),
    };
    let [rows, columns] = if form.has_columns() && is_matrix { [&axes[..1], &axes[1..]] } else { [axes, &[]] };
    let [rows, columns] = [rows, columns].map(|group| group.iter().map(|label| format!("{label},")).collect::<String>());
    let sum = format!("call `.sum(\"{},\")` on what is summed", labels.join(","));
    Diagnostic::label(doubtful[0].span, message).help(help).operators(match form.has_columns() && !is_matrix {
        true => sum,
        false => format!("{sum}; or name the axes: `.matrix(\"{rows}\", \"{columns}\")`"),
    })
}

/// Rule 3, for the axes of a matrix.
fn addend_lacks(form: &Form, addend: Span, lacking: &[&str]) -> Diagnostic {
    let (noun, axes) = if lacking.len() == 1 { ("index", "an axis") } else { ("indices", "axes") };
    let [help, operators] = spread(lacking);
    Diagnostic::label(addend, format!("this term lacks {noun} {}, {axes} of `{}`", quoted(lacking), form.name))
        .help(help)
        .operators(operators)
}
