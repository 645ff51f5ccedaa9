//! Syntax tree → [`Equation`]: the rules of meaning, once, for every door.
//!
//! `labels` finds what occurs where, `resolve` turns implicit sums into explicit ones (rules 2, 4 and 5),
//! `factorise` tells the axes of decompositions apart. All faults of an equation are reported at once.

mod carry;
mod cast;
mod declared;
mod factorise;
#[cfg(test)]
mod implicit;
mod labels;
mod once;
mod position;
#[cfg(test)]
mod refusals;
mod resolve;
mod scope;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::diagnostic::{Diagnostic, Fault};
use crate::equation::{
    Cast, CastId, Equation, FunctionId, Index, Label, LabelId, Left, LeftAxis, Mapped, Meaning, Node, Operand, OperandId,
    ScalarId,
};
use crate::syntax::{self, Assignment, Declaration, LeftSide, Name, Right, Role, Scalar, Statement, Target};
pub use declared::header;
use labels::{rest_spans, unbuilt};
use resolve::{chain, is_additive};
use scope::Scope;

/// Checks one equation under the `where` of its block.
///
/// # Errors
/// Every fault of its labels, and every construct that this version does not have.
pub fn check(statement: &Statement, header: &[Declaration]) -> Result<Equation, Vec<Diagnostic>> {
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
        left.push(place_left(indices, &scope, hole.span));
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
    if !declares_others {
        checker.every_extent_is_known(meaning.as_ref());
    }
    checker.finish(left, place, meaning)
}

/// Why a diagonal is not written beside a fused axis.
const BESIDE_FUSED: &str = "beside a fused axis, each index stands once on the left";

struct Checker<'s> {
    target: &'s Target,
    /// By the labels that they declare.
    declarations: HashMap<&'s str, &'s Declaration>,
    labels: Vec<Label>,
    operands: Vec<Operand>,
    scalars: Vec<Scalar>,
    functions: Vec<Mapped>,
    casts: Vec<Cast>,
    /// The cast that is being read.
    cast: Option<CastId>,
    /// Labels that are bound where they may not be: nothing else is said of them.
    misbound: Vec<String>,
    faults: Vec<Diagnostic>,
    /// Terms of the right side; one in parentheses is one.
    terms: usize,
    warnings: Vec<Diagnostic>,
    /// Whether the left side has `..`.
    keeps_rest: bool,
    /// Labels whose one fault is known already.
    refused: Vec<LabelId>,
    /// `sym` and `asym` around the place that is checked.
    exchanges: usize,
}

impl<'s> Checker<'s> {
    fn new(statement: &'s Statement, header: &'s [Declaration]) -> Checker<'s> {
        // The equation's own `where` hides the block's, and the first that names a label hides the others.
        let all = header.iter().rev().chain(statement.declarations.iter().rev());
        let by_label = |declaration: &'s Declaration| declaration.labels.iter().map(move |l| (l.text.as_str(), declaration));
        let declarations = all.flat_map(by_label).collect();
        Checker {
            target: &statement.target,
            declarations,
            labels: Vec::new(),
            operands: Vec::new(),
            scalars: Vec::new(),
            functions: Vec::new(),
            casts: Vec::new(),
            cast: None,
            misbound: Vec::new(),
            faults: Vec::new(),
            terms: 1,
            warnings: Vec::new(),
            keeps_rest: false,
            refused: Vec::new(),
            exchanges: 0,
        }
    }

    fn finish(
        mut self,
        left: Vec<Left>,
        place: Option<(OperandId, Assignment)>,
        meaning: Option<Meaning>,
    ) -> Result<Equation, Vec<Diagnostic>> {
        if meaning.is_some() {
            self.every_element_type_is_known();
        }
        match meaning {
            Some(meaning) if self.faults.is_empty() => {
                let Checker { labels, operands, scalars, functions, casts, terms, warnings, .. } = self;
                Ok(Equation { labels, operands, scalars, functions, casts, left, place, meaning, terms, warnings })
            }
            _ => {
                // What is not built is said once, though it stands on both sides.
                let mut said = Vec::new();
                self.faults.retain(|fault| {
                    let again = fault.fault == Fault::Unbuilt && said.contains(&fault.message);
                    said.push(fault.message.clone());
                    !again
                });
                Err(self.faults)
            }
        }
    }

    fn new_label(&mut self, name: &Name) -> LabelId {
        let declared = self.declarations.get(name.text.as_str()).map(|declaration| declaration.extent.clone());
        self.labels.push(Label { name: name.text.clone(), span: name.span, declared });
        LabelId(self.labels.len() - 1)
    }

    fn new_scalar(&mut self, scalar: &Scalar) -> ScalarId {
        self.scalars.push(scalar.clone());
        ScalarId(self.scalars.len() - 1)
    }

    /// A function of the program's; one that was written once is one, though an exchange calls it twice.
    fn new_function(&mut self, hole: &syntax::Hole, arguments: usize) -> FunctionId {
        let known = self.functions.iter().position(|known| known.hole == *hole);
        FunctionId(known.unwrap_or_else(|| {
            self.functions.push(Mapped { hole: hole.clone(), arguments });
            self.functions.len() - 1
        }))
    }

    /// Registers an operand whose labels are all in scope.
    fn new_operand(&mut self, hole: &syntax::Hole, indices: &[syntax::Index], scope: &Scope) -> OperandId {
        let label = |name: &Name| scope.get(&name.text).expect("labels are brought into scope before their operands");
        let resolve = |index: &syntax::Index| match index {
            syntax::Index::Label(name) => Some(Index::Label(label(name), name.span)),
            syntax::Index::Slice(name, range) => Some(Index::Slice(label(name), range.clone(), name.span)),
            syntax::Index::Chip(count) => Some(Index::Chip(count.clone())),
            syntax::Index::Fused(names, span) => Some(Index::Fused(names.iter().map(label).collect(), *span)),
            syntax::Index::Rest(_) => Some(Index::Rest),
            syntax::Index::NoAxes(_) => None,
        };
        let has_no_rest = indices.iter().any(|index| matches!(index, syntax::Index::NoAxes(_)));
        let indices: Vec<Index> = indices.iter().filter_map(resolve).collect();
        self.operands.push(Operand { hole: hole.clone(), indices, cast: self.cast, has_no_rest });
        OperandId(self.operands.len() - 1)
    }

    /// `..` stands once in an operand, and on the left if anywhere.
    fn rests(&mut self, statement: &Statement) {
        let [left, right] = rest_spans(statement);
        if let (Right::Factorisation(call), Some(span)) = (&statement.right, left.iter().chain(&right).flatten().next()) {
            let form = call.kind.form(false, false);
            let message = format!("`{}` tells its axes apart by their names, and `..` has none", form.name);
            self.faults.push(Diagnostic::label(*span, message).help(format!("name all axes: {}", factorise::usage(form))));
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
            self.faults.push(Diagnostic::label(*span, "`..` is on the left, but no operand on the right has it"));
            // No term is to be blamed as well.
            self.keeps_rest = false;
        }
    }

    /// The existing tensor on the left, whose labels come into scope.
    fn place(&mut self, target: &Target, scope: &mut Scope) -> Option<(OperandId, Assignment)> {
        let Target::Place(hole, indices, assignment) = target else { return None };
        let fuses = indices.iter().any(|index| matches!(index, syntax::Index::Fused(..)));
        for name in indices.iter().flat_map(syntax::Index::labels) {
            if fuses && scope.get(&name.text).is_some() {
                self.faults.push(Diagnostic::label(name.span, BESIDE_FUSED));
            }
            self.left_label(name, scope);
        }
        Some((self.new_operand(hole, indices, scope), *assignment))
    }

    /// The axes of a new result, whose labels come into scope.
    fn left_side(&mut self, side: &LeftSide, scope: &mut Scope) -> Left {
        let mut axes = Vec::new();
        for index in side.indices.iter().flatten() {
            match index {
                syntax::Index::Label(name) => axes.push(LeftAxis::Label(self.left_label(name, scope))),
                syntax::Index::Fused(names, _) => {
                    axes.push(LeftAxis::Fused(names.iter().map(|name| self.left_label(name, scope)).collect()));
                }
                syntax::Index::Rest(_) => axes.push(LeftAxis::Rest),
                syntax::Index::NoAxes(_) => {}
                syntax::Index::Slice(name, _) => self.faults.push(
                    Diagnostic::label(name.span, "a slice selects a part of an existing tensor, and here a new one is made")
                        .help(format!("write `[{0}]` here, or `C[{0} in …] = …` for a part of an existing `C`", name.text))
                        .operators(format!("write `{}` alone, and the slice in an operand", name.text)),
                ),
                syntax::Index::Chip(syntax::Count::Literal(_, span) | syntax::Count::Hole(syntax::Hole { span, .. })) => {
                    self.faults.push(
                        Diagnostic::label(*span, "a position selects a part of an existing tensor, and here a new one is made")
                            .help("leave it out, or write `C[0, j] = …` for a part of an existing `C`")
                            .operators("leave it out, and write the position in an operand"),
                    );
                }
            }
        }
        let left = Left { axes: side.indices.is_some().then_some(axes), span: side.span };
        let written: usize =
            left.axes().iter().map(|axis| if let LeftAxis::Fused(labels) = axis { labels.len() } else { 1 }).sum();
        let fuses = left.axes().iter().any(|axis| matches!(axis, LeftAxis::Fused(_)));
        let rests = left.axes().iter().filter(|axis| **axis == LeftAxis::Rest).count();
        if fuses && written != left.labels().len() + rests {
            self.faults.push(Diagnostic::label(side.span, BESIDE_FUSED));
        }
        left
    }

    /// A label of the left side, new where it is written first.
    fn left_label(&mut self, name: &Name, scope: &mut Scope) -> LabelId {
        scope.get(&name.text).unwrap_or_else(|| {
            let id = self.new_label(name);
            scope.push(&name.text, id);
            id
        })
    }

    /// The right side as a sum of terms; an update joins it to the old value.
    fn expression(
        &mut self,
        right: &syntax::Expression,
        place: Option<(OperandId, Assignment)>,
        left: &[Left],
        scope: &Scope,
    ) -> Option<Node> {
        let unbuilt = unbuilt(right);
        if !unbuilt.is_empty() {
            // Nobody knows which labels it would have.
            self.faults.extend(unbuilt.iter().map(|(what, span)| Diagnostic::unbuilt(*span, what)));
            return None;
        }
        let [result] = left else {
            let span = left.get(1).map_or(right.span, |second| second.span);
            let message = format!("{} results are named, but the right side has one", left.len());
            self.faults
                .push(Diagnostic::label(span, message).help("write `[i, j] = …`, and several equations with `;` between them"));
            return None;
        };
        match place {
            // `C op= X` means `C = C op (X)`: all of X is one term, and its terms are addends in parentheses.
            Some((target, Assignment::Update(operator))) => {
                if is_additive(operator) {
                    self.carries(right, &result.labels(), true);
                    self.terms = 2;
                }
                let nonlinear = (operator == syntax::Operator::Divide).then_some("a denominator");
                let node = self.sum(right, scope, nonlinear)?;
                Some(Node::Binary(operator, Box::new(Node::Operand(target)), Box::new(node)))
            }
            _ => {
                self.terms = 1 + chain(right, is_additive).1.count();
                if self.left_labels_occur(right, &result.labels()) {
                    self.terms_carry(right, &result.labels());
                }
                self.sum(right, scope, None)
            }
        }
    }

    /// A label that no operand and no `where` gives an extent is a fault.
    fn every_extent_is_known(&mut self, meaning: Option<&Meaning>) {
        // Only a complete equation has all its operands.
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

/// What an assignment computes: one axis for each label, and the remaining ones.
fn place_left(indices: &[syntax::Index], scope: &Scope, span: crate::token::Span) -> Left {
    let mut axes = Vec::new();
    for index in indices {
        if let syntax::Index::Rest(_) = index {
            axes.push(LeftAxis::Rest);
        }
        for name in index.labels() {
            let axis = LeftAxis::Label(scope.get(&name.text).expect("the labels of a place are in scope"));
            if !axes.contains(&axis) {
                axes.push(axis);
            }
        }
    }
    Left { axes: Some(axes), span }
}
