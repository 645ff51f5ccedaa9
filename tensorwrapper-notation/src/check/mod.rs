//! Syntax tree → [`Equation`]: the rules of meaning, once, for every door.
//!
//! `labels` finds what occurs where, `resolve` turns implicit sums into explicit ones (rules 2, 4 and 5),
//! `factorise` tells the axes of decompositions apart. All faults of an equation are reported at once.

mod factorise;
mod labels;
mod resolve;
#[cfg(test)]
mod tests;

use crate::diagnostic::{Diagnostic, Fault};
use crate::equation::{Equation, Index, Label, LabelId, Left, Meaning, Node, Operand, OperandId, ScalarId};
use crate::syntax::{self, Assignment, Declaration, LeftSide, Name, Right, Scalar, Statement, Target};
use labels::{bound_labels, free_labels, unbuilt};

/// Checks one equation under the `where` of its block.
///
/// # Errors
/// Every fault of its labels, and every construct that this version does not have.
pub fn check(statement: &Statement, header: &[Declaration]) -> Result<Equation, Vec<Diagnostic>> {
    let mut checker = Checker::new(statement, header);
    let mut scope = Scope::default();
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
        Right::Expression(expression) if checker.refuse_unbuilt(expression) => None,
        Right::Expression(expression) => checker.expression(expression, place, &left, &scope).map(Meaning::Expression),
        Right::Factorisation(kind, pair, arguments, span) => {
            checker.factorisation((*kind, *span), pair, arguments, &left, &scope).map(Meaning::Factorise)
        }
    };
    checker.finish(left, place, meaning)
}

/// Labels that are known at some point of the equation: those of the left side, then those of each enclosing sum.
#[derive(Clone, Default)]
struct Scope {
    names: Vec<(String, LabelId)>,
}

impl Scope {
    fn get(&self, name: &str) -> Option<LabelId> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    fn push(&mut self, name: &str, id: LabelId) {
        self.names.push((name.to_string(), id));
    }
}

struct Checker<'s> {
    declarations: Vec<&'s Declaration>,
    labels: Vec<Label>,
    operands: Vec<Operand>,
    scalars: Vec<Scalar>,
    /// Labels that are bound where they may not be: nothing else is said of them.
    misbound: Vec<String>,
    faults: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'s> Checker<'s> {
    fn new(statement: &'s Statement, header: &'s [Declaration]) -> Checker<'s> {
        Checker {
            // The equation's own `where` is asked first.
            declarations: statement.declarations.iter().chain(header).collect(),
            labels: Vec::new(),
            operands: Vec::new(),
            scalars: Vec::new(),
            misbound: Vec::new(),
            faults: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn finish(
        mut self,
        left: Vec<Left>,
        place: Option<(OperandId, Assignment)>,
        meaning: Option<Meaning>,
    ) -> Result<Equation, Vec<Diagnostic>> {
        self.every_extent_is_known(meaning.as_ref());
        match meaning {
            Some(meaning) if self.faults.is_empty() => {
                let Checker { labels, operands, scalars, warnings, .. } = self;
                Ok(Equation { labels, operands, scalars, left, place, meaning, warnings })
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
        let declared = self.declarations.iter().find(|d| d.labels.iter().any(|l| l.text == name.text)).map(|d| d.extent.clone());
        self.labels.push(Label { name: name.text.clone(), span: name.span, declared });
        LabelId(self.labels.len() - 1)
    }

    fn new_scalar(&mut self, scalar: &Scalar) -> ScalarId {
        self.scalars.push(scalar.clone());
        ScalarId(self.scalars.len() - 1)
    }

    /// Registers an operand whose labels are all in scope; `None` where an index form is not built.
    fn new_operand(&mut self, hole: &syntax::Hole, indices: &[syntax::Index], scope: &Scope) -> Option<OperandId> {
        let label = |name: &Name| scope.get(&name.text).expect("labels are brought into scope before their operands");
        let mut resolved = Vec::with_capacity(indices.len());
        let mut built = true;
        for index in indices {
            match index {
                syntax::Index::Label(name) => resolved.push(Index::Label(label(name), name.span)),
                syntax::Index::Slice(name, range) => resolved.push(Index::Slice(label(name), range.clone(), name.span)),
                syntax::Index::Chip(count) => resolved.push(Index::Chip(count.clone())),
                other => built &= self.unbuilt_index(other),
            }
        }
        if !built {
            return None;
        }
        self.operands.push(Operand { hole: hole.clone(), indices: resolved });
        Some(OperandId(self.operands.len() - 1))
    }

    /// Refuses, by name, the functions that are not built. What their labels mean is not known, so nothing else is said.
    fn refuse_unbuilt(&mut self, expression: &syntax::Expression) -> bool {
        let found = unbuilt(expression);
        self.faults.extend(found.iter().map(|(what, span)| Diagnostic::unbuilt(*span, what)));
        !found.is_empty()
    }

    /// Refuses, by name, the index forms that are not built; always false.
    fn unbuilt_index(&mut self, index: &syntax::Index) -> bool {
        match index {
            syntax::Index::Fused(_, span) => self.faults.push(Diagnostic::unbuilt(*span, "a fused axis `(i, j)`")),
            syntax::Index::Rest(span) => self.faults.push(Diagnostic::unbuilt(*span, "`..` among indices")),
            _ => {}
        }
        false
    }

    /// The existing tensor on the left, whose labels come into scope.
    fn place(&mut self, target: &Target, scope: &mut Scope) -> Option<(OperandId, Assignment)> {
        let Target::Place(hole, indices, assignment) = target else { return None };
        for index in indices {
            if let syntax::Index::Label(name) | syntax::Index::Slice(name, _) = index
                && scope.get(&name.text).is_none()
            {
                let id = self.new_label(name);
                scope.push(&name.text, id);
            }
        }
        let id = self.new_operand(hole, indices, scope)?;
        Some((id, *assignment))
    }

    /// The axes of a new result, whose labels come into scope.
    fn left_side(&mut self, side: &LeftSide, scope: &mut Scope) -> Left {
        let (mut axes, mut written) = (Vec::new(), Vec::new());
        for index in side.indices.iter().flatten() {
            match index {
                syntax::Index::Label(name) => {
                    let id = scope.get(&name.text).unwrap_or_else(|| {
                        let id = self.new_label(name);
                        scope.push(&name.text, id);
                        id
                    });
                    if !axes.contains(&id) {
                        axes.push(id);
                    }
                    written.push(id);
                }
                syntax::Index::Slice(name, _) => self.faults.push(
                    Diagnostic::label(name.span, "a slice selects a part of an existing tensor, and here a new one is made")
                        .help(format!("write `[{0}]` here, or `C[{0} in …] = …` for a part of an existing `C`", name.text)),
                ),
                syntax::Index::Chip(syntax::Count::Literal(_, span) | syntax::Count::Hole(syntax::Hole { span, .. })) => {
                    self.faults.push(
                        Diagnostic::label(*span, "a position selects a part of an existing tensor, and here a new one is made")
                            .help("leave it out, or write `C[0, j] = …` for a part of an existing `C`"),
                    );
                }
                other => {
                    self.unbuilt_index(other);
                }
            }
        }
        Left { axes, written: side.indices.is_some().then_some(written), span: side.span }
    }

    /// The right side as a sum of terms; an update joins it to the old value.
    fn expression(
        &mut self,
        right: &syntax::Expression,
        place: Option<(OperandId, Assignment)>,
        left: &[Left],
        scope: &Scope,
    ) -> Option<Node> {
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
                let additive = matches!(operator, syntax::Operator::Add | syntax::Operator::Subtract);
                if additive {
                    self.carries(right, &result.axes);
                }
                let nonlinear = (operator == syntax::Operator::Divide).then_some("a denominator");
                let node = self.sum(right, scope, nonlinear)?;
                Some(Node::Binary(operator, Box::new(Node::Operand(target)), Box::new(node)))
            }
            _ => {
                if self.left_labels_occur(right, &result.axes) {
                    self.terms_carry(right, &result.axes);
                }
                self.sum(right, scope, None)
            }
        }
    }

    /// Left labels that occur nowhere on the right are one fault each, at the left.
    fn left_labels_occur(&mut self, right: &syntax::Expression, axes: &[LabelId]) -> bool {
        let (free, bound) = (free_labels(right), bound_labels(right));
        let before = self.faults.len();
        for id in axes {
            let Label { name, span, .. } = &self.labels[id.0];
            // What a reduction binds is refused there.
            if !free.iter().chain(&bound).any(|f| f.text == *name) {
                let fault = Diagnostic::label(*span, format!("index `{name}` is on the left, but no term on the right has it"))
                    .help(format!("a result that is constant along `{name}` is written `1[{name}] * …`"));
                self.faults.push(fault);
            }
        }
        self.faults.len() == before
    }

    /// Rule 3, for each term of a sum.
    fn terms_carry(&mut self, expression: &syntax::Expression, axes: &[LabelId]) {
        match &expression.kind {
            syntax::ExpressionKind::Binary(syntax::Operator::Add | syntax::Operator::Subtract, a, b) => {
                self.terms_carry(a, axes);
                self.terms_carry(b, axes);
            }
            _ => self.carries(expression, axes),
        }
    }

    /// Rule 3, for one term.
    fn carries(&mut self, term: &syntax::Expression, axes: &[LabelId]) {
        let (free, bound) = (free_labels(term), bound_labels(term));
        let occurs = |name: &&str| free.iter().chain(&bound).any(|f| f.text == **name);
        let missing: Vec<&str> = axes.iter().map(|id| self.labels[id.0].name.as_str()).filter(|name| !occurs(name)).collect();
        if missing.is_empty() {
            return;
        }
        let list = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let noun = if missing.len() == 1 { "index" } else { "indices" };
        let fault = Diagnostic::label(term.span, format!("this term lacks the left side's {noun} {list}"))
            .help(format!("a term that is constant along {list} is spread over it: `1[{}] * …`", missing.join(", ")));
        self.faults.push(fault);
    }

    /// A label that no operand and no `where` gives an extent is a fault.
    fn every_extent_is_known(&mut self, meaning: Option<&Meaning>) {
        // Only a complete equation has all its operands.
        let Some(meaning) = meaning else { return };
        let new = if let Meaning::Factorise(factorise) = meaning { Some(factorise.new) } else { None };
        for (n, label) in self.labels.iter().enumerate() {
            let id = LabelId(n);
            let by_operand = self.operands.iter().flat_map(|o| &o.indices).any(|index| match index {
                Index::Label(l, _) | Index::Slice(l, _, _) => *l == id,
                Index::Chip(_) => false,
            });
            let said = self.faults.iter().any(|fault| fault.span == label.span) || self.misbound.contains(&label.name);
            if !by_operand && label.declared.is_none() && new != Some(id) && !said {
                let name = &label.name;
                let fault = Diagnostic::label(label.span, format!("nothing gives index `{name}` an extent"))
                    .help(format!("add `where {name}: extent` to the equation"));
                self.faults.push(fault);
            }
        }
    }
}

/// The labels that an assignment writes, each once.
fn place_left(indices: &[syntax::Index], scope: &Scope, span: crate::token::Span) -> Left {
    let mut axes = Vec::new();
    for index in indices {
        if let syntax::Index::Label(name) | syntax::Index::Slice(name, _) = index
            && let Some(id) = scope.get(&name.text)
            && !axes.contains(&id)
        {
            axes.push(id);
        }
    }
    Left { written: Some(axes.clone()), axes, span }
}
