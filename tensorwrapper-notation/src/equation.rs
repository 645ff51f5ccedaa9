//! The checked equation, from which both the macros and the run time build their results.
//!
//! Fields are private, and only [`check`](crate::check) makes an equation. In it, all sums are explicit, equal names in different scopes
//! have become different labels, and the extent of every label is known from an operand or a declaration.

use crate::condition::Condition;
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::syntax::{
    Assignment, ClaimKind, Count, Factorisation, Form, Hole, Operator, Options, Range, Reduction, Role, Scalar, Word,
};
use crate::token::Span;

/// Number of a label in its equation. Equal names in different scopes are different labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub usize);

/// Number of an operand in its equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperandId(pub usize);

/// Number of a scalar in its equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScalarId(pub usize);

/// Number of a function of the program in its equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub usize);

/// Number of a cast in its equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CastId(pub usize);

/// An extent given by `where`.
pub type Extent = Count;

/// One label of an equation.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it was written first.
    pub span: Span,
    /// The extent that a `where` gives it, if any.
    pub declared: Option<Extent>,
}

/// The index of one axis of an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// The axis runs with the label.
    Label(LabelId, Span),
    /// A slice of the axis runs with the label.
    Slice(LabelId, Range, Span),
    /// The axis is fixed at a position.
    Chip(Count),
    /// The axis runs with several labels, the first one slowest.
    Fused(Vec<LabelId>, Span),
    /// All axes that have no index of their own: `..`.
    Rest,
}

impl Index {
    /// The labels that run with this axis.
    pub fn labels(&self) -> &[LabelId] {
        match self {
            Index::Label(label, _) | Index::Slice(label, _, _) => std::slice::from_ref(label),
            Index::Fused(labels, _) => labels,
            Index::Chip(_) | Index::Rest => &[],
        }
    }
}

/// One axis of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum LeftAxis {
    /// One label.
    Label(LabelId),
    /// Several labels, the first one slowest.
    Fused(Vec<LabelId>),
    /// All axes that have no index of their own: `..`.
    Rest,
}

/// The kinds of exponents of powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exponent {
    /// The whole exponent of `powi`.
    Whole,
    /// The real exponent of `powf`.
    Real,
}

/// One occurrence of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// The tensor.
    pub hole: Hole,
    /// One index for each axis.
    pub indices: Vec<Index>,
    /// How many indices each layer has, the outer one first, if they are written in several; otherwise nothing.
    pub layers: Vec<usize>,
    /// The innermost cast around it, if there is one.
    pub cast: Option<CastId>,
    /// Whether `...` was written although it stands for no axes here.
    pub has_no_rest: bool,
    /// Whether it is a condition by itself, and so holds truth values.
    pub is_mask: bool,
}

/// A function of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// The function.
    pub hole: Hole,
    /// How many arguments it takes.
    pub arguments: usize,
}

/// A cast: an expression that is computed in its own element type and then converted.
#[derive(Clone, Debug, PartialEq)]
pub struct Cast {
    /// The element type that it is converted to, if the equation names it.
    pub named: Option<Hole>,
    /// The cast around it, if there is one.
    pub outer: Option<CastId>,
    /// Whether its values are real although their type may be complex, as those of `re(X)` are.
    pub is_real: bool,
    /// Where it was written.
    pub span: Span,
}

/// The axes of one result.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// Its axes as written; `None` for a plain number. A label on two axes is their diagonal.
    pub axes: Option<Vec<LeftAxis>>,
    /// How many axes each layer has, the outer one first, if they are written in several; otherwise nothing.
    pub layers: Vec<usize>,
    /// Where it was written.
    pub span: Span,
}

impl Left {
    /// The axes as written; a plain number has none.
    pub fn axes(&self) -> &[LeftAxis] {
        self.axes.as_deref().unwrap_or_default()
    }

    /// The labels, each once, in order.
    pub fn labels(&self) -> Vec<LabelId> {
        let mut found = Vec::new();
        for axis in self.axes() {
            let labels = match axis {
                LeftAxis::Label(label) => std::slice::from_ref(label),
                LeftAxis::Fused(labels) => labels,
                LeftAxis::Rest => &[],
            };
            for label in labels {
                if !found.contains(label) {
                    found.push(*label);
                }
            }
        }
        found
    }

    /// Whether every axis is one label, and no label is on two.
    pub fn is_plain(&self) -> bool {
        self.axes().iter().all(|axis| matches!(axis, LeftAxis::Label(_))) && self.labels().len() == self.axes().len()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Operand(OperandId),
    /// The derivatives of the first operand by the second.
    Gradient(OperandId, OperandId),
    Scalar(ScalarId),
    Spread(ScalarId, Vec<LabelId>),
    Iota(LabelId),
    /// The number of values of a label.
    Extent(LabelId),
    Negate(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Reduce(Reduction, Vec<LabelId>, Box<Node>),
    Apply(Function, Box<Node>),
    Map(Vec<FunctionId>, Vec<Node>),
    Select(Condition<Node>, Box<[Node; 2]>),
    Cast(CastId, Box<Node>),
    PowerInteger(Box<Node>, ScalarId),
    PowerReal(Box<Node>, ScalarId),
}

/// An operation of linear algebra, with the role of every label.
#[derive(Clone, Debug, PartialEq)]
pub struct Factorise {
    pub(crate) kind: Factorisation,
    pub(crate) options: Options,
    pub(crate) arguments: Vec<Node>,
    pub(crate) batch: Vec<LabelId>,
    /// The labels of each role, in the order of [`Role::ALL`].
    pub(crate) roles: [Vec<LabelId>; 6],
}

impl Factorise {
    /// Which operation.
    pub fn kind(&self) -> Factorisation {
        self.kind
    }

    /// Its options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Its row in the table.
    pub fn form(&self) -> &'static Form {
        self.kind.form(self.options.has(Word::Full), self.options.cuts())
    }

    /// How many arguments it has.
    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    /// The labels that all arguments and results have.
    pub fn batch(&self) -> &[LabelId] {
        &self.batch
    }

    /// The labels of a role. Together they are one axis of the matrix.
    pub fn labels(&self, role: Role) -> &[LabelId] {
        &self.roles[role as usize]
    }

    /// The labels of an argument's axes: those of the batch, then those of its roles.
    pub fn argument_axes(&self, argument: usize) -> Vec<LabelId> {
        self.with(self.form().arguments[argument])
    }

    /// The labels of a result's axes as it is computed: those of the batch, then those of its roles.
    pub fn result_axes(&self, result: usize) -> Vec<LabelId> {
        self.with(self.form().results[result].roles)
    }

    fn with(&self, roles: &[Role]) -> Vec<LabelId> {
        self.batch.iter().chain(roles.iter().flat_map(|&role| self.labels(role))).copied().collect()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    Expression(Node),
    Factorise(Box<Factorise>),
}

/// A checked equation.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    pub(crate) labels: Vec<Label>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) functions: Vec<Mapped>,
    pub(crate) casts: Vec<Cast>,
    pub(crate) left: Vec<Left>,
    pub(crate) place: Option<(OperandId, Assignment)>,
    pub(crate) meaning: Meaning,
    /// The number of terms of the right side. A sum in parentheses is one term.
    pub(crate) terms: usize,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) claims: Vec<Claimed>,
    pub(crate) gradients: Vec<[OperandId; 2]>,
    pub(crate) reads_extents: bool,
    pub(crate) is_truth: bool,
}

/// A symmetry that the left side is claimed to have.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The groups of labels that change places, all of the left side.
    pub groups: Vec<Vec<LabelId>>,
    /// Whether it is believed without a proof.
    pub assumed: bool,
    /// Where it stands, from its name on.
    pub span: Span,
}

impl Equation {
    /// All labels; a [`LabelId`] is a position here.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// All occurrences of tensors, in the order in which they are written; an [`OperandId`] is a position here.
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// All numbers; a [`ScalarId`] is a position here.
    pub fn scalars(&self) -> &[Scalar] {
        &self.scalars
    }

    /// Whether extents are part of what it computes: the values of an index, or a mean.
    pub fn reads_extents(&self) -> bool {
        self.reads_extents
    }

    /// All functions of the program; a [`FunctionId`] is a position here.
    pub fn functions(&self) -> &[Mapped] {
        &self.functions
    }

    /// All casts; a [`CastId`] is a position here.
    pub fn casts(&self) -> &[Cast] {
        &self.casts
    }

    /// The results: one, or those of an operation of linear algebra.
    pub fn left(&self) -> &[Left] {
        &self.left
    }

    /// For an assignment to an existing tensor: this tensor as an operand, and the operator of the assignment.
    pub fn place(&self) -> Option<(OperandId, Assignment)> {
        self.place
    }

    /// The number of terms of the right side. A sum in parentheses is one term, because only in the outer sum each term needs all axes of
    /// the result. An update `C += X` has the two terms C and X; `C *= X` has one.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Whether the right side is a comparison, whose values are 1 where it holds and 0 elsewhere.
    pub fn is_truth(&self) -> bool {
        self.is_truth
    }

    /// The symmetries that the left side is claimed to have.
    pub fn claims(&self) -> &[Claimed] {
        &self.claims
    }

    /// The operands of each `grad`: what is differentiated, and by what.
    pub fn gradients(&self) -> &[[OperandId; 2]] {
        &self.gradients
    }

    /// Warnings about legal constructs that look like mistakes.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The operation of linear algebra, if the right side is one.
    pub fn factorise(&self) -> Option<&Factorise> {
        match &self.meaning {
            Meaning::Expression(_) => None,
            Meaning::Factorise(factorise) => Some(&**factorise),
        }
    }

    /// An argument of the operation of linear algebra as an equation of its own, with the axes that the operation reads. Its operands and
    /// numbers are those of this equation.
    pub fn argument(&self, argument: usize) -> Option<Equation> {
        let factorise = self.factorise()?;
        let node = factorise.arguments.get(argument)?.clone();
        let axes = factorise.argument_axes(argument).into_iter().map(LeftAxis::Label).collect();
        let left = Left { axes: Some(axes), layers: Vec::new(), span: self.left[0].span };
        Some(Equation { meaning: Meaning::Expression(node), left: vec![left], terms: 1, claims: Vec::new(), ..self.clone() })
    }
}
