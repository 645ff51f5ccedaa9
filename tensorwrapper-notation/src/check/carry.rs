//! Rule 3: every term has every label of the left side.

use std::collections::HashSet;

use super::checker::Checker;
use super::labels::{self, binds, free_names};
use crate::diagnostic::Diagnostic;
use crate::equation::{Label, LabelId};
use crate::function::Function;
use crate::sentence::quoted;
use crate::spelling;
use crate::syntax::{Expression, ExpressionKind, Index, Operator, Scalar};

/// Where a term stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is all that is added to a tensor.
    Whole,
    Sum,
    Group,
}

impl Checker<'_> {
    /// Checks that all labels of the left side occur on the right. Each label that does not is a fault, at the left side.
    pub(super) fn left_labels_occur(&mut self, right: &Expression, axes: &[LabelId]) -> bool {
        let free = free_names(right);
        let before = self.refused.len();
        if let (Some(variable), [_, ..]) = (labels::variable_without_indices(right).filter(|_| free.is_empty()), axes) {
            self.refused.extend(axes);
            let written: Vec<&str> = axes.iter().map(|id| self.labels[id.0].name.as_str()).collect();
            let fault =
                Diagnostic::label(variable.span, format!("`{}` has no indices, so it is read as a number", variable.text));
            self.faults.push(fault.help(format!("write `grad(…; {}[{}])`", variable.text, written.join(", "))));
            return false;
        }
        let number = labels::without_indices(right).filter(|_| free.is_empty());
        // `c[i, j] = 1.0`
        if let (ExpressionKind::Scalar(Scalar::Literal(..)), [_, ..]) = (&right.kind, axes) {
            self.refused.extend(axes);
            let written: Vec<String> = axes.iter().map(|id| self.labels[id.0].name.clone()).collect();
            let written: Vec<&str> = written.iter().map(String::as_str).collect();
            let noun = if axes.len() == 1 { "index" } else { "indices" };
            let help = format!("a number is spread over labels: {}", spread_term(right, &written));
            let fault = Diagnostic::label(right.span, format!("this number lacks the left side's {noun} {}", quoted(&written)));
            self.faults.push(fault.help(self.on_the_left(&written, help)).operators(spread(&written)[1].clone()));
            return false;
        }
        for id in axes {
            let Label { name, span, .. } = &self.labels[id.0];
            if free.contains(name.as_str()) {
                continue;
            }
            self.refused.push(*id);
            // A label that a reduction binds is reported at that reduction, and a tensor without its indices once.
            if !binds(right, name) && (number.is_none() || self.refused.len() == before + 1) {
                let fault = Diagnostic::label(*span, format!("index `{name}` is on the left, but no term on the right has it"))
                    .help(self.on_the_left(&[name], self.lacking(name, right, axes, number)))
                    .operators(format!(
                        "a result that is constant along `{name}` is written `tensorwrapper::Indexed::spread(1.0, \"{name},\") * …`"
                    ));
                self.faults.push(fault);
            }
        }
        self.refused.len() == before
    }

    /// The help for a label of the left side that the right side lacks; the number is a name there that has no indices.
    fn lacking(&self, name: &str, right: &Expression, axes: &[LabelId], number: Option<&str>) -> String {
        match number {
            Some(hole) if hole.contains('[') && hole.ends_with(')') => {
                let instead = called(hole).map_or_else(
                    || format!("functions stand in front, as in `exp(A[{name}])`"),
                    |call| format!("write `{call}`"),
                );
                format!("`{hole}` is one number that Rust computes, in which no word is an index; {instead}")
            }
            Some(hole) => format!("`{hole}` is read as a number: if it is a tensor, write its indices, `{hole}[…]`"),
            None if let Some((base, exponent)) = labels::exponent_with(right, name) => format!(
                "an exponent is one number; powers of `{base}` by elements are `map(|p| f64::powf({base}, p); cast(f64; {exponent}))`"
            ),
            None if let Some((braces, is_index)) = labels::in_braces(right, name) => match is_index {
                true => format!("`{braces}` is a position that Rust computes; the index is written `{name}`"),
                false => format!("`{braces}` is one number that Rust computes; {}", without_braces(braces, name)),
            },
            None => unseparated(name, &free_names(right)).unwrap_or_else(|| {
                let case = Some(self.other_case(name)).filter(|case| !case.is_empty());
                let case = case.unwrap_or_else(|| self.misspelt(name, right, axes));
                format!("{case}a result that is constant along `{name}` is written `1[{name}] * …`")
            }),
        }
    }

    /// The beginning of a help: the only label of the right side that occurs once may be meant to be the only one that is missing there.
    fn misspelt(&self, name: &str, right: &Expression, axes: &[LabelId]) -> String {
        let free = labels::free_labels(right);
        let on_left: Vec<&str> = axes.iter().map(|id| self.labels[id.0].name.as_str()).collect();
        let count = |label: &str| free.iter().filter(|other| other.text == label).count();
        let missing = on_left.iter().filter(|label| count(label) == 0).count();
        let once: Vec<&str> = free
            .iter()
            .map(|label| label.text.as_str())
            .filter(|label| count(label) == 1 && !on_left.contains(label) && !labels::binds(right, label))
            .collect();
        match once[..] {
            [other] if missing == 1 && free.len() > 1 => {
                format!("if `{other}` is meant to be `{name}`, write `{name}` in its place; ")
            }
            _ => String::new(),
        }
    }

    /// Rule 3, for each term of a sum. A group that is a whole term is none: its addends are terms. They may lack the remaining axes, `..`,
    /// which have no names to be spread by.
    pub(super) fn terms_carry(&mut self, expression: &Expression, axes: &[LabelId], place: Place) {
        match (&expression.kind, group(expression)) {
            (ExpressionKind::Binary(Operator::Add | Operator::Subtract, a, b), _) => {
                self.terms_carry(a, axes, place);
                self.terms_carry(b, axes, place);
            }
            (_, Some(addends)) => self.terms_carry(addends, axes, Place::Group),
            _ => self.carries(expression, axes, place),
        }
    }

    /// Rule 3, for what is added to a tensor.
    pub(super) fn update_carries(&mut self, right: &Expression, axes: &[LabelId]) {
        let free = free_names(right);
        match axes.iter().all(|id| free.contains(self.labels[id.0].name.as_str())) {
            true => self.terms_carry(right, axes, if is_sum(right) { Place::Group } else { Place::Whole }),
            false => self.carries(right, axes, Place::Whole),
        }
    }

    /// Rule 3, for one term, which may be the whole right side.
    fn carries(&mut self, term: &Expression, axes: &[LabelId], place: Place) {
        let free = free_names(term);
        let mut missing: Vec<&str> = axes
            .iter()
            .map(|id| self.labels[id.0].name.as_str())
            .filter(|name| !free.contains(name) && !binds(term, name))
            .collect();
        let has_rest = labels::operands(term).into_iter().flatten().any(|index| matches!(index, Index::Rest(_)));
        if self.keeps_rest && !has_rest && place != Place::Group {
            let fault = Diagnostic::label(term.span, "this term lacks the left side's remaining axes, `..`")
                .help("an operand of every term has `..`; a constant along them is written by name, `1[i] * …`")
                .operators("an operand of every term has `..`; what is constant along the axes gives them names");
            self.faults.push(fault);
            missing.clear();
        }
        if missing.is_empty() {
            return;
        }
        let noun = if missing.len() == 1 { "index" } else { "indices" };
        let message = format!("this term lacks the left side's {noun} {}", quoted(&missing));
        let [_, operators] = spread(&missing);
        let help =
            format!("a term that is constant along {} is spread over it: {}", quoted(&missing), spread_term(term, &missing));
        let help = if place == Place::Whole { self.on_the_left(&missing, help) } else { help };
        self.faults.push(Diagnostic::label(term.span, message).help(help).operators(operators));
    }
}

/// What to write in place of braces that have this label. What Rust alone can read cannot stand in parentheses.
fn without_braces(braces: &str, label: &str) -> String {
    let inner = braces.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(braces).trim();
    match inner.contains('[') && !inner.contains(['{', ';']) {
        true => format!("terms are grouped by parentheses: `({inner})`"),
        false => format!("the value of the index is `iota[{label}]`"),
    }
}

/// The call of this language that a method of the same name means, `L.grad(A[i, j])`.
fn called(method: &str) -> Option<String> {
    let (front, arguments) = method.strip_suffix(')')?.split_once('(')?;
    let (receiver, name) = front.rsplit_once('.')?;
    // The last parentheses may be those of another call.
    if arguments.contains(['(', ')']) {
        return None;
    }
    match name {
        "grad" => Some(format!("grad({receiver}; {arguments})")),
        _ => Function::from_name(name).map(|_| format!("{name}({arguments})")),
    }
}

/// The help for labels without commas between them, `[ik] = A[ij] * B[jk]`: names whose letters are in the names of the other side.
fn unseparated(name: &str, right: &HashSet<&str>) -> Option<String> {
    let is_joined = |name: &str| name.chars().count() > 1 && name.chars().all(char::is_alphabetic);
    let letters = |name: &str| name.chars().map(String::from).collect::<Vec<_>>();
    let found: HashSet<String> = right.iter().filter(|name| name.chars().count() <= 4).flat_map(|name| letters(name)).collect();
    if !letters(name).iter().all(|letter| found.contains(letter)) {
        return None;
    }
    let other = right.iter().filter(|other| is_joined(other) && other.contains(name)).min();
    let joined = if is_joined(name) { name } else { other? };
    Some(format!("labels have `,` between them: `[{}]`", letters(joined).join(", ")))
}

/// The addends of a group that is a whole term, up to its sign, numbers and casts.
fn group(term: &Expression) -> Option<&Expression> {
    let inside = |inner| if is_sum(inner) { Some(inner) } else { group(inner) };
    match &term.kind {
        ExpressionKind::Parentheses(inner) | ExpressionKind::Cast(_, inner) => inside(inner),
        ExpressionKind::Negate(inner) => group(inner),
        ExpressionKind::Binary(Operator::Multiply, a, b) if is_number(a) => group(b),
        ExpressionKind::Binary(Operator::Multiply | Operator::Divide, a, b) if is_number(b) => group(a),
        _ => None,
    }
}

fn is_sum(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Binary(Operator::Add | Operator::Subtract, ..))
}

/// Whether an expression is made of numbers alone.
fn is_number(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Scalar(_) => true,
        ExpressionKind::Spread(_, labels) => labels.is_empty(),
        ExpressionKind::Negate(_)
        | ExpressionKind::Parentheses(_)
        | ExpressionKind::Binary(..)
        | ExpressionKind::Apply(..)
        | ExpressionKind::Map(..)
        | ExpressionKind::Cast(..)
        | ExpressionKind::PowerInteger(..)
        | ExpressionKind::PowerReal(..) => expression.kind.children().into_iter().all(is_number),
        _ => false,
    }
}

/// The longest term that a help repeats.
const SHORT: usize = 30;

/// A term that has the labels that it lacks, as it is written.
fn spread_term(term: &Expression, lacking: &[&str]) -> String {
    let labels = lacking.join(", ");
    match &term.kind {
        ExpressionKind::Scalar(Scalar::Literal(value, _)) => format!("`{value:?}[{labels}]`"),
        ExpressionKind::Scalar(Scalar::Hole(hole)) => format!("`1[{labels}] * {}`", spelling::host(hole)),
        _ => {
            let text = spelling::expression(term);
            let is_shown = text.len() <= SHORT && !text.contains('`') && !is_sum(term);
            format!("`1[{labels}] * {}`", if is_shown { &text } else { "…" })
        }
    }
}

/// The help for a term that lacks labels, for equations and for chains of operators.
pub(super) fn spread(lacking: &[&str]) -> [String; 2] {
    let with_operators = format!("tensorwrapper::Indexed::spread(1.0, \"{},\")", lacking.join(","));
    let ones = [format!("1[{}]", lacking.join(", ")), with_operators];
    ones.map(|ones| format!("a term that is constant along {} is spread over it: `{ones} * …`", quoted(lacking)))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn what_rust_computes() {
        refused(&[
            (
                "[i] = { if c { 1.0 } else { i } }",
                &[
                    "i: index `i` is on the left, but no term on the right has it | `{ if c{ 1.0 }else{ i } }` is one number that Rust computes; the value of the index is `iota[i]`",
                ],
            ),
            (
                "[i] = { n * i }",
                &[
                    "i: index `i` is on the left, but no term on the right has it | `{ n * i }` is one number that Rust computes; the value of the index is `iota[i]`",
                ],
            ),
            (
                "[i] = { v[i] + 1.0 }",
                &[
                    "i: index `i` is on the left, but no term on the right has it | `{ v[i] + 1.0 }` is one number that Rust computes; terms are grouped by parentheses: `(v[i] + 1.0)`",
                ],
            ),
            (
                "[i] = { let x = v[i]; x }",
                &[
                    "i: index `i` is on the left, but no term on the right has it | `{ let x = v[i]; x }` is one number that Rust computes; the value of the index is `iota[i]`",
                ],
            ),
            (
                "[i, j] = L.grad(A[i, j])",
                &[
                    "i: index `i` is on the left, but no term on the right has it | `L.grad(A[i, j])` is one number that Rust computes, in which no word is an index; write `grad(L; A[i, j])`",
                ],
            ),
            (
                "[i] = module.exp(v[i])",
                &[
                    "i: index `i` is on the left, but no term on the right has it | `module.exp(v[i])` is one number that Rust computes, in which no word is an index; write `exp(v[i])`",
                ],
            ),
            (
                "[i] = x.call(v[i])",
                &[
                    "i: index `i` is on the left, but no term on the right has it | `x.call(v[i])` is one number that Rust computes, in which no word is an index; functions stand in front, as in `exp(A[i])`",
                ],
            ),
        ]);
    }
}
