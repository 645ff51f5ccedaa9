//! The checked equation: what every door builds from.
//!
//! Fields are private and only [`check`](crate::check) makes one. Implicit sums have become explicit ones, each label
//! has an identity of its own for each scope, and every label has a place that tells its extent.

use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::syntax::{Assignment, Count, Factorisation, Form, Hole, Operator, Options, Range, Reduction, Role, Scalar, Word};
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

/// Number of a function of the program's in its equation.
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
    /// Where it was met first.
    pub span: Span,
    /// Its extent, if a `where` gives it.
    pub declared: Option<Extent>,
}

/// What stands for one axis of an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// The axis runs with the label.
    Label(LabelId, Span),
    /// A part of the axis runs with the label.
    Slice(LabelId, Range, Span),
    /// The axis is fixed.
    Chip(Count),
    /// The axis runs with several labels, the first slowest.
    Fused(Vec<LabelId>, Span),
    /// All axes that are not written.
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
    /// Several labels, the first slowest.
    Fused(Vec<LabelId>),
    /// The axes that are not written, as many as there are.
    Rest,
}

/// The powers that a number may be the exponent of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exponent {
    /// `powi`
    Whole,
    /// `powf`
    Real,
}

/// One occurrence of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// The tensor.
    pub hole: Hole,
    /// One index for each axis.
    pub indices: Vec<Index>,
    /// The innermost cast that it stands in, if it does.
    pub cast: Option<CastId>,
    /// Whether `...` was written where it has to stand for no axes.
    pub has_no_rest: bool,
}

/// A function of the program's.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// The function.
    pub hole: Hole,
    /// Number of its arguments.
    pub arguments: usize,
}

/// A part of an equation that is computed in an element type of its own, and then converted.
#[derive(Clone, Debug, PartialEq)]
pub struct Cast {
    /// The element type that it is converted to, where the equation names it.
    pub named: Option<Hole>,
    /// The cast that it stands in, if it does.
    pub outer: Option<CastId>,
    /// Whether its values are real by their form, though their type may be complex: `re(X)` and its like.
    pub is_real: bool,
    /// Where it stands.
    pub span: Span,
}

/// The axes of one result.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// Its axes as written; `None` where the result is a plain number. A label on two axes is their diagonal.
    pub axes: Option<Vec<LeftAxis>>,
    /// Where it stands.
    pub span: Span,
}

impl Left {
    /// The axes as written; those of a plain number are none.
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
    Scalar(ScalarId),
    Spread(ScalarId, Vec<LabelId>),
    Negate(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Reduce(Reduction, Vec<LabelId>, Box<Node>),
    Apply(Function, Box<Node>),
    Map(FunctionId, Vec<Node>),
    Cast(CastId, Box<Node>),
    PowerInteger(Box<Node>, ScalarId),
    PowerReal(Box<Node>, ScalarId),
}

/// An operation of linear algebra with its axes told apart.
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
    /// Which one.
    pub fn kind(&self) -> Factorisation {
        self.kind
    }

    /// What is asked for beside the arguments.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Its row in the table.
    pub fn form(&self) -> &'static Form {
        self.kind.form(self.options.has(Word::Full), self.options.cuts())
    }

    /// The labels that all arguments and results have.
    pub fn batch(&self) -> &[LabelId] {
        &self.batch
    }

    /// The labels of a role; together they are one axis of the matrix.
    pub fn labels(&self, role: Role) -> &[LabelId] {
        &self.roles[role as usize]
    }

    /// The axes of an argument: the batch, then its roles.
    pub fn argument_axes(&self, argument: usize) -> Vec<LabelId> {
        self.with(self.form().arguments[argument])
    }

    /// The axes of a result as it is computed: the batch, then its roles.
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

/// What an equation computes, as its builder left it.
#[derive(Clone, Debug, PartialEq)]
pub enum Right<'e, V> {
    /// One value.
    Expression(V),
    /// The arguments of a decomposition.
    Factorise(&'e Factorise, Vec<V>),
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
    /// Terms of the right side, of which one in parentheses is one.
    pub(crate) terms: usize,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// What a door makes of an equation: tokens, or a recorded expression. One method for each construct, so that a new
/// construct is a compile error in every door until it is built there.
pub trait Builder {
    /// The door's idea of a value.
    type Value;
    /// A tensor.
    fn operand(&mut self, id: OperandId, operand: &Operand) -> Self::Value;
    /// A number.
    fn scalar(&mut self, id: ScalarId, scalar: &Scalar) -> Self::Value;
    /// A number, constant along labels.
    fn spread(&mut self, id: ScalarId, scalar: &Scalar, labels: &[LabelId]) -> Self::Value;
    /// `-X`
    fn negate(&mut self, value: Self::Value) -> Self::Value;
    /// `X + Y` and its like.
    fn binary(&mut self, operator: Operator, left: Self::Value, right: Self::Value) -> Self::Value;
    /// A reduction over labels of its value.
    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: Self::Value) -> Self::Value;
    /// A function of each element.
    fn apply(&mut self, function: Function, value: Self::Value) -> Self::Value;
    /// A function of the program's, of each element of its arguments.
    fn map(&mut self, id: FunctionId, function: &Mapped, arguments: Vec<Self::Value>) -> Self::Value;
    /// What follows, up to the same number's [`cast`](Builder::cast), is computed in another element type.
    fn begin_cast(&mut self, id: CastId, cast: &Cast);
    /// A value of another element type, converted.
    fn cast(&mut self, id: CastId, value: Self::Value) -> Self::Value;
    /// Each element to a whole power.
    fn power_integer(&mut self, value: Self::Value, id: ScalarId, exponent: &Scalar) -> Self::Value;
    /// Each element to a real power.
    fn power_real(&mut self, value: Self::Value, id: ScalarId, exponent: &Scalar) -> Self::Value;
}

impl Equation {
    /// All labels; a [`LabelId`] is a position here.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// All occurrences of tensors, in the order of writing; an [`OperandId`] is a position here.
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// All numbers; a [`ScalarId`] is a position here.
    pub fn scalars(&self) -> &[Scalar] {
        &self.scalars
    }

    /// All functions of the program's; a [`FunctionId`] is a position here.
    pub fn functions(&self) -> &[Mapped] {
        &self.functions
    }

    /// All casts; a [`CastId`] is a position here.
    pub fn casts(&self) -> &[Cast] {
        &self.casts
    }

    /// The results: one, or those of a decomposition.
    pub fn left(&self) -> &[Left] {
        &self.left
    }

    /// The existing tensor that is written, as an operand, and how.
    pub fn place(&self) -> Option<(OperandId, Assignment)> {
        self.place
    }

    /// How many terms stand on the right. One in parentheses is one, though it is a sum: the sum of these alone is where
    /// each term needs all axes of the result. An update `C += X` has `C` and X, and `C *= X` one.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// What is legal but looks like a slip.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Whether the right side is a decomposition.
    pub fn factorise(&self) -> Option<&Factorise> {
        match &self.meaning {
            Meaning::Expression(_) => None,
            Meaning::Factorise(factorise) => Some(&**factorise),
        }
    }

    /// The one traversal: leaves first, left to right.
    pub fn build<B: Builder>(&self, builder: &mut B) -> Right<'_, B::Value> {
        match &self.meaning {
            Meaning::Expression(node) => Right::Expression(self.node(node, builder)),
            Meaning::Factorise(factorise) => {
                let arguments = factorise.arguments.iter().map(|argument| self.node(argument, builder)).collect();
                Right::Factorise(factorise, arguments)
            }
        }
    }

    fn node<B: Builder>(&self, node: &Node, builder: &mut B) -> B::Value {
        match node {
            Node::Operand(id) => builder.operand(*id, &self.operands[id.0]),
            Node::Scalar(id) => builder.scalar(*id, &self.scalars[id.0]),
            Node::Spread(id, labels) => builder.spread(*id, &self.scalars[id.0], labels),
            Node::Negate(inner) => {
                let inner = self.node(inner, builder);
                builder.negate(inner)
            }
            Node::Binary(..) => self.chain(node, builder),
            Node::Reduce(reduction, labels, inner) => {
                let inner = self.node(inner, builder);
                builder.reduce(*reduction, labels, inner)
            }
            Node::Apply(function, inner) => {
                let inner = self.node(inner, builder);
                builder.apply(*function, inner)
            }
            Node::Map(id, arguments) => {
                let arguments = arguments.iter().map(|argument| self.node(argument, builder)).collect();
                builder.map(*id, &self.functions[id.0], arguments)
            }
            Node::Cast(id, inner) => {
                builder.begin_cast(*id, &self.casts[id.0]);
                let inner = self.node(inner, builder);
                builder.cast(*id, inner)
            }
            Node::PowerInteger(base, id) => {
                let base = self.node(base, builder);
                builder.power_integer(base, *id, &self.scalars[id.0])
            }
            Node::PowerReal(base, id) => {
                let base = self.node(base, builder);
                builder.power_real(base, *id, &self.scalars[id.0])
            }
        }
    }

    /// Operations grouped from the left, in a loop: sums and products are long.
    fn chain<B: Builder>(&self, node: &Node, builder: &mut B) -> B::Value {
        let (mut first, mut rest) = (node, Vec::new());
        while let Node::Binary(operator, left, right) = first {
            rest.push((*operator, right));
            first = left;
        }
        let mut value = self.node(first, builder);
        for (operator, right) in rest.into_iter().rev() {
            let right = self.node(right, builder);
            value = builder.binary(operator, value, right);
        }
        value
    }
}
