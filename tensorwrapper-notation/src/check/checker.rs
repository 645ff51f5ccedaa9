//! What is known of an equation while it is checked: its labels, operands and numbers so far, and the faults that were found.
//!
//! It must not know any rule of the language: the rules are in the other files of this folder.

use std::collections::{HashMap, HashSet};

use super::labels;
use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Fault};
use crate::equation::{
    Cast, CastId, Claimed, Equation, FunctionId, Index, Label, LabelId, Left, Mapped, Meaning, Operand, OperandId, ScalarId,
};
use crate::syntax::{self, Assignment, Declaration, Name, Right, Scalar, Statement, Target};

pub(super) struct Checker<'s> {
    pub(super) target: &'s Target,
    pub(super) right: &'s Right,
    /// The declaration of each label. If several `where` declare it, the innermost counts.
    pub(super) declarations: HashMap<&'s str, &'s Declaration>,
    pub(super) labels: Vec<Label>,
    pub(super) operands: Vec<Operand>,
    pub(super) scalars: Vec<Scalar>,
    pub(super) functions: Vec<Mapped>,
    pub(super) casts: Vec<Cast>,
    /// The cast that is being read.
    pub(super) cast: Option<CastId>,
    /// The names of all labels of the equation.
    pub(super) names: HashSet<&'s str>,
    /// Labels that are bound where they may not be: their other faults are not reported.
    pub(super) misbound: Vec<String>,
    pub(super) faults: Vec<Diagnostic>,
    /// The number of terms of the right side. A sum in parentheses is one term.
    pub(super) terms: usize,
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether the left side has `..`.
    pub(super) keeps_rest: bool,
    /// Labels that have a reported fault.
    pub(super) refused: Vec<LabelId>,
    /// The claims of symmetry whose labels are known.
    pub(super) claims: Vec<Claimed>,
    /// The operands of each `grad`.
    pub(super) gradients: Vec<[OperandId; 2]>,
    /// Whether the equation asks for extents.
    pub(super) reads_extents: bool,
    /// Whether the right side is a comparison.
    is_truth: bool,
}

impl<'s> Checker<'s> {
    pub(super) fn new(statement: &'s Statement, header: &'s [Declaration]) -> Checker<'s> {
        // The equation's own `where` hides the block's, and the first that names a label hides the others.
        let all = header.iter().rev().chain(statement.declarations.iter().rev());
        let by_label = |declaration: &'s Declaration| declaration.labels.iter().map(move |l| (l.text.as_str(), declaration));
        let declarations = all.flat_map(by_label).collect();
        Checker {
            target: &statement.target,
            right: &statement.right,
            declarations,
            labels: Vec::new(),
            operands: Vec::new(),
            scalars: Vec::new(),
            functions: Vec::new(),
            casts: Vec::new(),
            cast: None,
            names: labels::written([statement]).into_iter().collect(),
            misbound: Vec::new(),
            faults: Vec::new(),
            terms: 1,
            warnings: Vec::new(),
            keeps_rest: false,
            refused: Vec::new(),
            claims: Vec::new(),
            gradients: Vec::new(),
            reads_extents: false,
            is_truth: statement.is_truth(),
        }
    }

    pub(super) fn finish(
        mut self,
        left: Vec<Left>,
        place: Option<(OperandId, Assignment)>,
        meaning: Option<Meaning>,
    ) -> Result<Equation, Vec<Diagnostic>> {
        match meaning {
            Some(meaning) if self.faults.is_empty() => {
                let Checker {
                    labels,
                    operands,
                    scalars,
                    functions,
                    casts,
                    terms,
                    warnings,
                    claims,
                    gradients,
                    reads_extents,
                    is_truth,
                    ..
                } = self;
                Ok(Equation {
                    labels,
                    operands,
                    scalars,
                    functions,
                    casts,
                    left,
                    place,
                    meaning,
                    terms,
                    warnings,
                    claims,
                    gradients,
                    reads_extents,
                    is_truth,
                })
            }
            _ => {
                // What this version does not have is reported once, even if both sides have it.
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

    pub(super) fn new_label(&mut self, name: &Name) -> LabelId {
        let declared = self.declarations.get(name.text.as_str()).map(|declaration| declaration.extent.clone());
        self.labels.push(Label { name: name.text.clone(), span: name.span, declared });
        LabelId(self.labels.len() - 1)
    }

    pub(super) fn new_scalar(&mut self, scalar: &Scalar) -> ScalarId {
        self.scalars.push(scalar.clone());
        ScalarId(self.scalars.len() - 1)
    }

    /// Registers a function of the program. A function that was written once has one number, although an exchange calls it twice.
    pub(super) fn new_function(&mut self, hole: &syntax::Hole, arguments: usize) -> FunctionId {
        let known = self.functions.iter().position(|known| known.hole == *hole);
        FunctionId(known.unwrap_or_else(|| {
            self.functions.push(Mapped { hole: hole.clone(), arguments });
            self.functions.len() - 1
        }))
    }

    /// Registers an operand whose labels are all in scope.
    pub(super) fn new_operand(&mut self, hole: &syntax::Hole, indices: &syntax::Indices, scope: &Scope) -> OperandId {
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
        let layers = indices.counts();
        let indices: Vec<Index> = indices.iter().filter_map(resolve).collect();
        self.operands.push(Operand { hole: hole.clone(), indices, layers, cast: self.cast, has_no_rest, is_mask: false });
        OperandId(self.operands.len() - 1)
    }
}
