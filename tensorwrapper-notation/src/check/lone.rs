//! Labels that occur once and are not on the left: warnings where they are summed, and faults where that would be ambiguous.

use super::checker::Checker;
use super::position;
use crate::diagnostic::Diagnostic;
use crate::sentence::quoted;
use crate::syntax::{Expression, LeftSide, Name, Target};

impl Checker<'_> {
    /// The faults of labels that would be summed at a place, or outside of it. Each has the factor that has it, if it occurs once.
    pub(super) fn ambiguous_sums(&mut self, labels: &[(&Name, Option<&Expression>)], place: &str) {
        let lone: Vec<&Name> = labels.iter().filter(|(_, factor)| factor.is_some()).map(|(name, _)| *name).collect();
        if let (Some(result), [first, _, ..]) = (self.bare_result(), &lone[..]) {
            let names: Vec<&str> = lone.iter().map(|name| name.text.as_str()).collect();
            let as_result =
                format!("if `{result}` has these indices, write `let {result}[{}] = …`; if the sum, ", names.join(", "));
            self.ambiguous_together(first, &names, place, &as_result);
            labels.iter().filter(|(_, factor)| factor.is_none()).for_each(|(name, _)| self.ambiguous_sum(name, place, None));
            return;
        }
        match labels {
            [(first, _), _, ..] => {
                let names: Vec<&str> = labels.iter().map(|(name, _)| name.text.as_str()).collect();
                self.ambiguous_together(first, &names, place, "");
            }
            labels => labels.iter().for_each(|(name, factor)| self.ambiguous_sum(name, place, *factor)),
        }
    }

    /// One fault for several labels, which the terms of a sum may share.
    fn ambiguous_together(&mut self, first: &Name, names: &[&str], place: &str, before: &str) {
        let list = names.join(", ");
        let message = format!("indices {} would be summed inside {place}, or outside: the equation does not say", quoted(names));
        if self.faults.iter().any(|fault| fault.message == message) {
            return;
        }
        let fault = Diagnostic::label(first.span, message)
            .help(format!("{before}write `sum({list}; …)` around what stands inside, or around the whole term"))
            .operators(format!("call `.sum(\"{list},\")` on what stands inside, or on the whole term"));
        self.faults.push(fault);
    }

    fn ambiguous_sum(&mut self, name: &Name, place: &str, lone: Option<&Expression>) {
        let label = &name.text;
        let around = format!("`sum({label}; …)` around what stands inside, or around the whole term");
        let help = match lone {
            Some(term) => {
                let other = position::once(term, label, format!("if the sum, write {around}"));
                format!("{}{}{other}", self.other_case(label), self.as_result(&[label]))
            }
            None => format!("write {around}"),
        };
        let fault = Diagnostic::label(
            name.span,
            format!("index `{label}` would be summed inside {place}, or outside: the equation does not say"),
        )
        .help(help)
        .operators(format!("call `.sum(\"{label},\")` on what stands inside, or on the whole term"));
        self.faults.push(fault);
    }

    /// The warnings for the labels of one term, each with the factor that has it.
    pub(super) fn occur_once(&mut self, lone: &[(&Name, &Expression)]) {
        if let (Some(_), [(first, _), _, ..]) = (self.bare_result(), lone) {
            let labels: Vec<&str> = lone.iter().map(|(name, _)| name.text.as_str()).collect();
            let sum = format!("if the sum is meant, say so: `sum({}; …)`", labels.join(", "));
            let case = labels.iter().map(|label| self.other_case(label)).find(|case| !case.is_empty()).unwrap_or_default();
            return self.warn_of_sums(first, &labels, case + &self.as_result(&labels) + &sum);
        }
        for (n, (name, factor)) in lone.iter().enumerate() {
            let label = name.text.as_str();
            // `j` and `J` are one slip.
            if lone[..n].iter().any(|(other, _)| differ_in_case(&other.text, label)) {
                continue;
            }
            let sum = format!("if the sum is meant, say so: `sum({label}; …)`");
            // A word of MATLAB and Julia.
            let sum = match label {
                "end" => format!("the last position of an axis of extent `n` is `{{ n - 1 }}`; {sum}"),
                _ => sum,
            };
            let help = format!("{}{}{}", self.other_case(label), self.as_result(&[label]), position::once(factor, label, sum));
            self.warn_of_sums(name, &[label], help);
        }
    }

    /// A warning that labels are summed, which several terms share.
    fn warn_of_sums(&mut self, at: &Name, labels: &[&str], help: String) {
        let list = quoted(labels);
        let warning = Diagnostic::label(
            at.span,
            match labels {
                [_] => format!("index {list} occurs once and is not on the left, so it is summed"),
                _ => format!("indices {list} occur once and are not on the left, so they are summed"),
            },
        );
        let is_shared = labels.len() > 1 && self.warnings.iter().any(|known| known.message == warning.message);
        if !is_shared {
            self.warnings.push(warning.help(help));
        }
    }

    /// The result of a `let` without brackets: it is a number, where a tensor may be meant.
    fn bare_result(&self) -> Option<&str> {
        match self.target {
            Target::Let(results) => match &results[..] {
                [(result, LeftSide { indices: None, .. })] => Some(&result.text),
                _ => None,
            },
            _ => None,
        }
    }

    /// The beginning of a help for labels that such a result may be meant to have.
    fn as_result(&self, labels: &[&str]) -> String {
        let these = if labels.len() == 1 { "this index" } else { "these indices" };
        self.bare_result().map_or_else(String::new, |result| {
            format!("if `{result}` has {these}, write `let {result}[{}] = …`; ", labels.join(", "))
        })
    }

    /// The beginning of a help: another label of the equation that differs from this one in case alone, if there is one.
    pub(super) fn other_case(&self, label: &str) -> String {
        let other = self.names.iter().filter(|name| differ_in_case(name, label)).min();
        other.map_or_else(String::new, |other| format!("`{other}` is not `{label}`; "))
    }
}

/// Whether two labels differ, but not in lower case.
fn differ_in_case(one: &str, other: &str) -> bool {
    one != other && one.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn several_labels_are_one_fault() {
        refused(&[
            (
                "[] = powi(a[i, j] - b[i, j], 2)",
                &[
                    "i: indices `i`, `j` would be summed inside the base of a power, or outside: the equation does not say | write `sum(i, j; …)` around what stands inside, or around the whole term",
                ],
            ),
            (
                "[] = exp(a[i, j] * v[j] * w[i])",
                &[
                    "i: indices `i`, `j` would be summed inside a function's argument, or outside: the equation does not say | write `sum(i, j; …)` around what stands inside, or around the whole term",
                ],
            ),
            (
                "let x = exp(a[i, j]); x",
                &[
                    "i: indices `i`, `j` would be summed inside a function's argument, or outside: the equation does not say | if `x` has these indices, write `let x[i, j] = …`; if the sum, write `sum(i, j; …)` around what stands inside, or around the whole term",
                ],
            ),
            (
                "[i] = exp(a[i, j, k])",
                &[
                    "j: indices `j`, `k` would be summed inside a function's argument, or outside: the equation does not say | write `sum(j, k; …)` around what stands inside, or around the whole term",
                ],
            ),
            (
                "[i] = exp(a[i, j] - b[i, j])",
                &[
                    "j: index `j` would be summed inside a function's argument, or outside: the equation does not say | if the variable `j` is meant, write `a[i, { j }]`; if the sum, write `sum(j; …)` around what stands inside, or around the whole term",
                    "j: index `j` would be summed inside a function's argument, or outside: the equation does not say | if the variable `j` is meant, write `b[i, { j }]`; if the sum, write `sum(j; …)` around what stands inside, or around the whole term",
                ],
            ),
        ]);
    }
}
