//! Rule 3: every term has every label of the left side.

use super::checker::Checker;
use super::labels::{self, binds, free_names};
use crate::diagnostic::Diagnostic;
use crate::equation::{Label, LabelId};
use crate::sentence::quoted;
use crate::syntax::{Expression, ExpressionKind, Index, Operator};

impl Checker<'_> {
    /// Checks that all labels of the left side occur on the right. Each label that does not is a fault, at the left side.
    pub(super) fn left_labels_occur(&mut self, right: &Expression, axes: &[LabelId]) -> bool {
        let free = free_names(right);
        let before = self.refused.len();
        for id in axes {
            let Label { name, span, .. } = &self.labels[id.0];
            if free.contains(name.as_str()) {
                continue;
            }
            self.refused.push(*id);
            // A label that a reduction binds is reported at that reduction.
            if !binds(right, name) {
                let fault = Diagnostic::label(*span, format!("index `{name}` is on the left, but no term on the right has it"))
                    .help(self.on_the_left(
                        &[name],
                        match labels::without_indices(right).filter(|_| free.is_empty()) {
                            Some(hole) => {
                                format!("`{hole}` is read as a number: if it is a tensor, write its indices, `{hole}[…]`")
                            }
                            None => format!("a result that is constant along `{name}` is written `1[{name}] * …`"),
                        },
                    ))
                    .operators(format!(
                        "a result that is constant along `{name}` is written `Indexed::spread(1.0, \"{name},\") * …`"
                    ));
                self.faults.push(fault);
            }
        }
        self.refused.len() == before
    }

    /// Rule 3, for each term of a sum.
    pub(super) fn terms_carry(&mut self, expression: &Expression, axes: &[LabelId]) {
        match &expression.kind {
            ExpressionKind::Binary(Operator::Add | Operator::Subtract, a, b) => {
                self.terms_carry(a, axes);
                self.terms_carry(b, axes);
            }
            _ => self.carries(expression, axes, false),
        }
    }

    /// Rule 3, for one term, which may be the whole right side.
    pub(super) fn carries(&mut self, term: &Expression, axes: &[LabelId], is_all: bool) {
        let free = free_names(term);
        let mut missing: Vec<&str> = axes
            .iter()
            .map(|id| self.labels[id.0].name.as_str())
            .filter(|name| !free.contains(name) && !binds(term, name))
            .collect();
        let has_rest = labels::operands(term).into_iter().flatten().any(|index| matches!(index, Index::Rest(_)));
        if self.keeps_rest && !has_rest {
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
        let [help, operators] = spread(&missing);
        let help = if is_all { self.on_the_left(&missing, help) } else { help };
        self.faults.push(Diagnostic::label(term.span, message).help(help).operators(operators));
    }
}

/// The help for a term that lacks labels, for equations and for chains of operators.
pub(super) fn spread(lacking: &[&str]) -> [String; 2] {
    let ones = [format!("1[{}]", lacking.join(", ")), format!("Indexed::spread(1.0, \"{},\")", lacking.join(","))];
    ones.map(|ones| format!("a term that is constant along {} is spread over it: `{ones} * …`", quoted(lacking)))
}
