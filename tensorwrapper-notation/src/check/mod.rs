//! Syntax tree → [`Equation`]: the rules of meaning, for the macros and the run time.
//!
//! `labels` finds where labels occur, `left` reads the left side, `resolve` turns implicit sums into explicit ones (rules 2, 4
//! and 5), `factorise` and `roles` find the role of each axis of linear algebra. All faults of an equation are reported at once.

mod bound;
mod carry;
mod cast;
mod checker;
mod choices;
mod claims;
mod declared;
mod factorise;
mod gradient;
#[cfg(test)]
mod implicit;
mod labels;
mod left;
mod lone;
mod moments;
mod once;
mod position;
#[cfg(test)]
mod refusals;
mod resolve;
mod roles;
mod scope;
#[cfg(test)]
mod tests;
mod transposed;
#[cfg(test)]
mod valid;

use std::collections::HashSet;

use crate::diagnostic::{Diagnostic, Fault};
use crate::equation::{Equation, LabelId, Left, Meaning, Node, OperandId};
use crate::syntax::{self, Assignment, Declaration, ExpressionKind, LeftSide, Right, Role, Statement, Target};
use checker::Checker;
pub use declared::header;
use labels::rest_spans;
use resolve::{chain, is_additive, too_many_repeats};
use scope::Scope;

/// Checks one equation under the `where` of its block.
///
/// # Errors
/// Every fault of its labels, and every construct that this version does not have.
pub fn check(statement: &Statement, header: &[Declaration]) -> Result<Equation, Vec<Diagnostic>> {
    equation(statement, header, true)
}

/// Checks one equation that was checked before and written with all its extents, also those of its block.
///
/// # Errors
/// As [`check`], but for extents that nobody would write behind the equation itself.
pub(crate) fn check_again(statement: &Statement) -> Result<Equation, Vec<Diagnostic>> {
    equation(statement, &[], false)
}

fn equation(statement: &Statement, header: &[Declaration], is_author: bool) -> Result<Equation, Vec<Diagnostic>> {
    let mut checker = Checker::new(statement, header);
    let mut scope = Scope::default();
    checker.rests(statement);
    let declares_others = checker.declares_others(statement);
    let place = checker.place(&statement.target, &mut scope);
    let sides: Vec<&LeftSide> = match &statement.target {
        Target::Value(sides) => sides.iter().collect(),
        Target::Let(results) => results.iter().map(|(_, side)| side).collect(),
        Target::Place(..) => Vec::new(),
    };
    let mut left: Vec<Left> = sides.into_iter().map(|side| checker.left_side(side, &mut scope)).collect();
    if let Target::Place(hole, indices, _) = &statement.target {
        left.push(left::place_left(indices, &scope, hole.span));
    }
    let meaning = match &statement.right {
        Right::Expression(expression) => checker.expression(expression, place, &left, &scope).map(Meaning::Expression),
        Right::Factorisation(call) if matches!(statement.target, Target::Place(..)) => {
            let fault = Diagnostic::new(
                Fault::Unbuilt,
                call.span,
                "a decomposition makes new tensors, and cannot be written into an existing one",
            );
            checker.faults.push(fault.help("name its result, `let l[i, k] = …;`, and write that: `L[i, k] = l[i, k];`"));
            None
        }
        Right::Factorisation(call) => checker.factorisation(call, &left, &scope).map(|call| Meaning::Factorise(Box::new(call))),
    };
    if let (Right::Factorisation(call), Some(Meaning::Factorise(found)), true) = (&statement.right, &meaning, is_author) {
        checker.new_extents(call, found, [&statement.declarations, header]);
    }
    if !declares_others {
        checker.every_extent_is_known(meaning.as_ref());
    }
    if meaning.is_some() {
        checker.every_element_type_is_known();
    }
    checker.claims(&statement.claims, &left);
    checker.finish(left, place, meaning)
}

impl Checker<'_> {
    /// Checks that `..` is at most once in an operand, and on the left if it is anywhere.
    fn rests(&mut self, statement: &Statement) {
        let [left, right] = rest_spans(statement);
        if let (Right::Factorisation(call), Some(span)) = (&statement.right, left.iter().chain(&right).flatten().next()) {
            let form = call.kind.form(false, false);
            let message = format!("`{}` tells its axes apart by their names, and `..` has none", form.name);
            self.faults.push(
                Diagnostic::label(*span, message).help(format!("name all axes: {}", roles::usage(form, call.arguments.len()))),
            );
            return;
        }
        self.keeps_rest = left.iter().flatten().next().is_some() && right.iter().flatten().next().is_some();
        for spans in left.iter().chain(&right) {
            if let [_, second, ..] = spans[..] {
                self.faults.push(Diagnostic::label(second, "`..` stands once in an operand: where it ends must be clear"));
            }
        }
        if let (true, Some(span)) = (left.iter().all(Vec::is_empty), right.iter().flatten().next()) {
            let fault = Diagnostic::label(*span, "`..` is on the right, but not on the left")
                .help("the remaining axes are kept: write `[i, ..] = …`")
                .operators("the remaining axes are kept: write `eval(\"i, ..\")`");
            self.faults.push(fault);
        }
        let update = matches!(statement.target, Target::Place(_, _, Assignment::Update(_)));
        if let (Some(span), true, false) = (left.iter().flatten().next(), right.iter().all(Vec::is_empty), update) {
            let fault = Diagnostic::label(*span, "`..` is on the left, but no operand on the right has it");
            let right = if let Right::Expression(right) = &statement.right { Some(right) } else { None };
            self.faults.push(match (right.and_then(labels::without_indices), right.map(|right| &right.kind)) {
                (Some(hole), _) => fault.help(format!("if `{hole}` is a tensor, write `{hole}[..]`")),
                (None, Some(ExpressionKind::Scalar(_))) => {
                    fault.help("a number is spread over labels on both sides: `x[i, j] = 0.0[i, j]`")
                }
                _ => fault,
            });
            // So that the terms are not reported as well.
            self.keeps_rest = false;
        }
    }

    /// The right side as a sum of terms; an update joins it to the old value.
    fn expression(
        &mut self,
        right: &syntax::Expression,
        place: Option<(OperandId, Assignment)>,
        left: &[Left],
        scope: &Scope,
    ) -> Option<Node> {
        if let Some(fault) = too_many_repeats(right) {
            self.faults.push(fault);
            return None;
        }
        let [result] = left else {
            let span = left.get(1).map_or(right.span, |second| second.span);
            let named = format!("{} results are named", left.len());
            self.faults.push(match &right.kind {
                ExpressionKind::Gradient(_, variables) if variables.len() > 1 => {
                    let message = format!("{named}, but `grad` has {} variables", variables.len());
                    Diagnostic::label(span, message)
                        .help("each variable has one result: `let (x[i], y[j]) = grad(L; X[i], Y[j]);`")
                }
                _ => Diagnostic::label(span, format!("{named}, but the right side has one"))
                    .help("write `[i, j] = …`, and several equations with `;` between them"),
            });
            return None;
        };
        if let (ExpressionKind::Truth(_), Some(_)) = (&right.kind, place) {
            let fault = Diagnostic::label(right.span, "a comparison is written into a tensor of numbers");
            self.faults.push(fault.help(format!("write `select({}; 1.0, 0.0)`", crate::spelling::expression(right))));
            return None;
        }
        match place {
            // `C op= X` means `C = C op (X)`: where X is added, its terms are terms of the equation.
            Some((target, Assignment::Update(operator))) => {
                if is_additive(operator) && !self.reads_an_index(right) {
                    self.update_carries(right, &result.labels());
                    self.terms = 2;
                }
                let nonlinear = (operator == syntax::Operator::Divide).then_some("a denominator");
                let node = self.sum(right, scope, nonlinear)?;
                Some(Node::Binary(operator, Box::new(Node::Operand(target)), Box::new(node)))
            }
            _ => {
                self.terms = 1 + chain(right, is_additive).1.count();
                if !self.reads_an_index(right) && self.left_labels_occur(right, &result.labels()) {
                    self.terms_carry(right, &result.labels(), carry::Place::Sum);
                }
                self.sum(right, scope, None)
            }
        }
    }

    /// Checks that an operand or a `where` gives each label an extent.
    fn every_extent_is_known(&mut self, meaning: Option<&Meaning>) {
        // Without a meaning some operands may be missing.
        let Some(meaning) = meaning else { return };
        let is_new = |id: LabelId| match meaning {
            Meaning::Factorise(call) => {
                [Role::New, Role::NewRow, Role::NewColumn].iter().any(|&role| call.labels(role).contains(&id))
            }
            Meaning::Expression(_) => false,
        };
        let by_operands: HashSet<LabelId> =
            self.operands.iter().flat_map(|o| &o.indices).flat_map(|index| index.labels()).copied().collect();
        for (n, label) in self.labels.iter().enumerate() {
            let id = LabelId(n);
            if by_operands.contains(&id) || label.declared.is_some() {
                continue;
            }
            let said = self.faults.iter().any(|fault| fault.span == label.span) || self.misbound.contains(&label.name);
            if !is_new(id) && !self.refused.contains(&id) && !said {
                let name = &label.name;
                let fault = Diagnostic::label(label.span, format!("nothing gives index `{name}` an extent"))
                    .help(format!("add `where {name}: extent` to the equation"))
                    .operators(format!("an operand with index `{name}` gives it one: a tensor of ones, for example"));
                self.faults.push(fault);
            }
        }
    }
}
