//! Checks operations of linear algebra: the numbers of arguments and results, the options, and the axes.
//!
//! The role of each axis is found by `roles`.

use super::checker::Checker;
use super::labels::{free_labels, operands};
use super::roles::{LabelledCall, RoleNames, has, usage};
use super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::equation::{Factorise, LabelId, Left, LeftAxis, Node};
use crate::sentence::{are, counted, quoted};
use crate::syntax::{Count, Declaration, Decomposition, Factorisation, Form, Index, Name, Role, Word};

impl Checker<'_> {
    /// Checks an operation of linear algebra.
    pub(super) fn factorisation(&mut self, call: &Decomposition, left: &[Left], scope: &Scope) -> Option<Factorise> {
        let form = call.kind.form(call.options.has(Word::Full), call.options.cuts());
        if !self.words_fit(form, call) || !self.numbers_fit(form, call, left) {
            return None;
        }
        if rests(left, call) || !self.results_are_plain(form, left) {
            return None;
        }
        let axes = self.argument_labels(form, call)?;
        if !self.axes_stand_once(form, call, &axes, left) {
            return None;
        }
        let found = self.roles(form, call, &axes, left)?;
        self.warn_of_transposed(call, &found);
        let mut inner = scope.clone();
        for name in axes.iter().flatten() {
            if inner.get(&name.text).is_none() {
                let id = self.new_label(name);
                inner.push(&name.text, id);
            }
        }
        let ids = |names: &Vec<String>| -> Vec<LabelId> {
            names.iter().map(|name| inner.get(name).expect("every label of an operation is in scope")).collect()
        };
        let (roles, batch) = (found.roles.each_ref().map(ids), ids(&found.batch));
        let argument = |argument| self.sum(argument, &inner, Some("the matrix of a decomposition"));
        let arguments: Option<Vec<Node>> = call.arguments.iter().map(argument).collect();
        Some(Factorise { kind: call.kind, options: call.options.clone(), arguments: arguments?, batch, roles })
    }

    /// Refuses the extent of the index that a decomposition makes which keeps all values: the number of values that are kept is meant.
    /// That is so for the equation's own `where`, and for a block's if it gives an extent to this label alone. Any other extent of such an
    /// index is compared with that of the result when the program runs.
    pub(super) fn new_extents(&mut self, call: &Decomposition, found: &Factorise, [own, header]: [&[Declaration]; 2]) {
        if call.kind != Factorisation::Svd || call.options.has(Word::Full) || call.options.cuts() {
            return;
        }
        let header = header.iter().filter(|declaration| declaration.labels.len() == 1);
        let new: Vec<LabelId> =
            [Role::New, Role::NewRow, Role::NewColumn].into_iter().flat_map(|role| found.labels(role)).copied().collect();
        for declaration in own.iter().chain(header) {
            let is_new = |label: &&Name| new.iter().any(|id| self.labels[id.0].name == label.text);
            let Some(label) = declaration.labels.iter().find(is_new) else { continue };
            let extent = match &declaration.extent {
                Count::Literal(extent, _) => [extent.to_string(), extent.to_string()],
                Count::Hole(hole) => [format!("`{}`", hole.text), hole.text.clone()],
            };
            let [count, extent] = extent;
            let message = format!("`{}` makes index `{}`, and gives it its extent", call.kind.name(), label.text);
            // A tiling is no number of values.
            let help = match extent.starts_with('&') {
                true => "leave it out".to_string(),
                false => format!("to keep at most {count} values, write `where {}: ..={extent}`", label.text),
            };
            self.faults.push(Diagnostic::label(label.span, message).help(help));
        }
    }

    /// Checks that each axis of a result has one label of its own.
    fn results_are_plain(&mut self, form: &Form, left: &[Left]) -> bool {
        let Some(left) = left.iter().find(|left| !left.is_plain()) else { return true };
        let fault =
            Diagnostic::label(left.span, format!("the results of `{}` have each index once, on an axis of its own", form.name));
        self.faults.push(fault.help("write the result, and fuse its axes or make it a diagonal in the next equation"));
        false
    }

    /// Checks that the operation has these options.
    fn words_fit(&mut self, form: &Form, call: &Decomposition) -> bool {
        let before = self.faults.len();
        for (word, span) in &call.options.words {
            if !form.words.contains(word) {
                let message = format!("`{}` has no word `{}`", form.name, word.name());
                let known = quoted(form.words.iter().map(|word| word.name()));
                let fault = Diagnostic::label(*span, message);
                self.faults.push(match known.is_empty() {
                    _ if let Some(help) = form.elsewhere(*word) => fault.help(help),
                    true => fault.help("leave it out"),
                    false => fault.help(format!("its words are {known}")),
                });
            }
        }
        if let Some((_, span)) = call.options.words.iter().find(|(word, _)| *word == Word::Full)
            && call.options.cuts()
            && self.faults.len() == before
        {
            self.faults.push(Diagnostic::label(*span, "square factors are not truncated").help("leave out `full`"));
        }
        self.faults.len() == before
    }

    /// Checks the numbers of arguments and results.
    fn numbers_fit(&mut self, form: &Form, call: &Decomposition, left: &[Left]) -> bool {
        let results = form.least_results..=form.named;
        let arguments = form.least_arguments..=form.arguments.len();
        let has_exponent = call.options.exponent.is_some() == form.has_exponent;
        if results.contains(&left.len()) && arguments.contains(&call.arguments.len()) && has_exponent {
            return true;
        }
        let message = match results.contains(&left.len()) {
            true => {
                let given = call.arguments.len() + usize::from(call.options.exponent.is_some());
                format!("`{}` takes {}, but {given} {} given", form.name, form.takes, are(given))
            }
            false => {
                let (results, named) = (counted(form.named, "result"), left.len());
                format!("`{}` has {results}, but {named} {} named", form.name, are(named))
            }
        };
        self.faults.push(Diagnostic::label(call.span, message).help(usage(form, call.arguments.len())));
        false
    }

    /// The labels of each argument, each once. Arguments with the same roles must have the same labels.
    fn argument_labels<'e>(&mut self, form: &Form, call: &'e Decomposition) -> Option<Vec<Vec<&'e Name>>> {
        let once = |names: Vec<&'e Name>| {
            let mut once: Vec<&Name> = Vec::new();
            for name in names {
                if !once.iter().any(|known| known.text == name.text) {
                    once.push(name);
                }
            }
            once
        };
        let axes: Vec<Vec<&Name>> = call.arguments.iter().map(|argument| once(free_labels(argument))).collect();
        let before = self.faults.len();
        for (n, argument) in call.arguments.iter().enumerate().skip(1) {
            if form.arguments[n] != form.arguments[0] {
                continue;
            }
            let mut lacking = axes[0].iter().filter(|name| !has(&axes[n], &name.text));
            for name in axes[n].iter().filter(|name| !has(&axes[0], &name.text)) {
                // A label that stands where another one is meant is one fault.
                let instead =
                    lacking.next().map_or_else(String::new, |meant| format!(", and the other one has `{}`", meant.text));
                let message = format!("index `{}` is in one matrix of `{}` only{instead}", name.text, form.name);
                self.faults.push(Diagnostic::label(name.span, message).help(usage(form, call.arguments.len())));
            }
            for name in lacking {
                let message = format!("this matrix of `{}` lacks index `{}`", form.name, name.text);
                self.faults.push(Diagnostic::label(argument.span, message).help(usage(form, call.arguments.len())));
            }
        }
        (self.faults.len() == before).then_some(axes)
    }

    /// The role of every label.
    fn roles(&mut self, form: &'static Form, call: &Decomposition, axes: &[Vec<&Name>], left: &[Left]) -> Option<RoleNames> {
        let results: Vec<Vec<String>> =
            left.iter().map(|left| left.labels().iter().map(|id| self.labels[id.0].name.clone()).collect()).collect();
        let found = LabelledCall { form, call, axes, results: &results }.roles(left);
        found.map_err(|fault| self.faults.push(fault)).ok()
    }
}

/// Whether there is a `..` anywhere, which has been refused.
fn rests(left: &[Left], call: &Decomposition) -> bool {
    left.iter().any(|left| left.axes().contains(&LeftAxis::Rest))
        || call.arguments.iter().flat_map(operands).flatten().any(|index| matches!(index, Index::Rest(_)))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn extents_words_and_labels() {
        refused(&[
            (
                "([i, r], [r], [r, j]) = svd(a[i, j]) where r: 2",
                &["r: `svd` makes index `r`, and gives it its extent | to keep at most 2 values, write `where r: ..=2`"],
            ),
            (
                "where i: n; r: chi; let (U[i, r], s[r], V[r, j]) = svd(A[i, j]); U",
                &["r: `svd` makes index `r`, and gives it its extent | to keep at most `chi` values, write `where r: ..=chi`"],
            ),
            (
                "[k, l] = solve(a[i, k], b[i, l]; upper)",
                &["upper: `solve` has no word `upper` | a triangle alone is read by `triangular_solve`, with the same arguments"],
            ),
            (
                "[j, i] = inv(a[i, j]; tol = 1e-8)",
                &["tol: `inv` has no word `tol` | `pinv` leaves out negligible values, with the same argument"],
            ),
            (
                "[i, r] = cholesky(s[i, j]; upper)",
                &[
                    "upper: `cholesky` has no word `upper` | the factor is the lower one; the upper one of real elements is its transpose, `[r, i] = cholesky(A[i, j])`",
                ],
            ),
            ("[i] = v[i] where i: 3, i: 4", &["i: `i` stands twice in `where` | leave out one of them"]),
            ("where i: 3; where i: 4; [i] = v[i]", &["i: `i` stands twice in `where` | leave out one of them"]),
            (
                "[i] = inv(v[i])",
                &[
                    "inv: the matrix of `inv` has two indices, and here is `i` alone | the reciprocal of each element is `recip(v[i])`",
                ],
            ),
            (
                "[i, k] = a[i, j] * b[j, l]",
                &[
                    "k: index `k` is on the left, but no term on the right has it | if `l` is meant to be `k`, write `k` in its place; a result that is constant along `k` is written `1[k] * …`",
                ],
            ),
            (
                "[i, j] = a[i, k]",
                &[
                    "j: index `j` is on the left, but no term on the right has it | if `k` is meant to be `j`, write `j` in its place; a result that is constant along `j` is written `1[j] * …`",
                ],
            ),
            (
                "[i, k] = v[j] * a[i, l]",
                &[
                    "k: index `k` is on the left, but no term on the right has it | a result that is constant along `k` is written `1[k] * …`",
                ],
            ),
            (
                "[i, j] = v[i]",
                &[
                    "j: index `j` is on the left, but no term on the right has it | a result that is constant along `j` is written `1[j] * …`",
                ],
            ),
        ]);
    }
}
