//! The syntax tree: what was written, before anyone asks what it means.

use crate::diagnostic::{Diagnostic, Fault};
pub use crate::factorisation::{Elements, Factorisation, Form, Outcome, Role, Word};
use crate::function::Function;
use crate::token::Span;

/// A label or the name of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A piece of the host's language that this crate does not look into: an operand's expression, a scalar, a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// As a person would write it; equal texts are one operand.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Its tokens, by their places in the host.
    pub tokens: Vec<Span>,
}

/// A number in an equation.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A literal.
    Literal(f64, Span),
    /// A variable or `{ expression }`.
    Hole(Hole),
}

/// A non-negative integer: an extent, a chip.
#[derive(Clone, Debug, PartialEq)]
pub enum Count {
    /// A literal.
    Literal(usize, Span),
    /// A variable or expression.
    Hole(Hole),
}

/// The part of an axis that a slice keeps.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// Literal ends: `2..5`, `..5`, `2..`.
    Literal(usize, Option<usize>, Span),
    /// Any range expression.
    Hole(Hole),
}

/// What stands for one axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// `i`
    Label(Name),
    /// `i in 2..5`
    Slice(Name, Range),
    /// `3` or `{ n - 1 }`
    Chip(Count),
    /// `(i, j)`
    Fused(Vec<Name>, Span),
    /// `..`
    Rest(Span),
    /// `...` of subscripts, where it stands for no axes.
    NoAxes(Span),
}

impl Index {
    /// The labels that run with this axis.
    pub fn labels(&self) -> &[Name] {
        match self {
            Index::Label(name) | Index::Slice(name, _) => std::slice::from_ref(name),
            Index::Fused(names, _) => names,
            Index::Chip(_) | Index::Rest(_) | Index::NoAxes(_) => &[],
        }
    }
}

/// Refuses more axes than an operand or a result may have, each label of a fused axis counted.
///
/// # Errors
/// More than [`MOST_AXES`] of them.
pub fn bounded_axes(indices: &[Index]) -> Result<(), Diagnostic> {
    let axes = |index: &Index| if let Index::NoAxes(_) = index { 0 } else { index.labels().len().max(1) };
    let count: usize = indices.iter().map(axes).sum();
    if count <= MOST_AXES {
        return Ok(());
    }
    let place = indices.iter().flat_map(Index::labels).nth(MOST_AXES).map_or(Span::default(), |name| name.span);
    Err(too_many_axes(count, place))
}

/// The fault of more axes than [`MOST_AXES`].
pub(crate) fn too_many_axes(count: usize, place: Span) -> Diagnostic {
    let message = format!("an operand or a result has at most {MOST_AXES} indices, and here are {count}");
    Diagnostic::new(Fault::Unbuilt, place, message)
}

/// The operators between two factors or terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// Explicit reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// `sum(k; X)`
    Sum,
    /// `prod(k; X)`
    Product,
    /// `max(k; X)`
    Max,
    /// `min(k; X)`
    Min,
}

/// What becomes of an expression and its exchanged twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// `sym`: their sum.
    Symmetric,
    /// `asym`: their difference.
    Antisymmetric,
}

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it stands.
    pub span: Span,
    size: Size,
}

/// How large an expression is: counted as it is made, so that nobody has to walk one that is too deep to be walked.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Size {
    /// What a walk of it takes of the stack, in steps along a chain of operators.
    depth: usize,
    /// Operands and numbers.
    leaves: usize,
}

/// Terms of a sum, or factors of a product, that may follow each other. Walks of expressions are recursive, and this
/// many steps fit the stack of a thread without optimisation.
pub const LONGEST: usize = 1000;

/// Indices that one operand or result may have. Texts come from outside, and what is done with a result may take time in proportion
/// to the square of its rank. NumPy has at most 64 axes.
pub const MOST_AXES: usize = 256;

/// Operations that may be inside each other, of which each takes as much of the stack as `LONGEST / DEEPEST` terms.
pub const DEEPEST: usize = 125;

/// Operands and numbers that an expression may have.
pub const MOST_LEAVES: usize = 10_000;

impl Expression {
    /// An expression of this kind.
    pub fn new(kind: ExpressionKind, span: Span) -> Expression {
        let inside = LONGEST / DEEPEST;
        let size = match &kind {
            ExpressionKind::Binary(_, a, b) => {
                Size { depth: (a.size.depth + 1).max(b.size.depth + inside), leaves: a.size.leaves.saturating_add(b.size.leaves) }
            }
            other => {
                let nothing = Size { depth: 1, leaves: 0 };
                let join = |all: Size, inner: &Expression| Size {
                    depth: all.depth.max(inner.size.depth + inside),
                    leaves: all.leaves.saturating_add(inner.size.leaves),
                };
                let Size { depth, leaves } = other.parts().into_iter().fold(nothing, join);
                Size { depth, leaves: leaves.max(1) }
            }
        };
        Expression { kind, span, size }
    }

    /// The expression, unless it is larger than the library can walk. Whatever makes expressions without an end asks.
    ///
    /// # Errors
    /// More than [`LONGEST`] terms in a row, [`DEEPEST`] operations inside each other, or [`MOST_LEAVES`] operands.
    pub fn bounded(self) -> Result<Expression, Diagnostic> {
        let Size { depth, leaves } = self.size;
        // The last term of a row is inside the operation that adds it.
        let too_deep = depth >= LONGEST + LONGEST / DEEPEST;
        if !too_deep && leaves <= MOST_LEAVES {
            return Ok(self);
        }
        let message = if too_deep {
            format!("this expression has more than {LONGEST} terms in a row, or more than {DEEPEST} operations inside each other")
        } else {
            format!("this expression has more than {MOST_LEAVES} operands")
        };
        Err(Diagnostic::new(Fault::Unbuilt, self.span, message).help("compute parts of it in equations of their own"))
    }
}

impl ExpressionKind {
    /// The expressions right inside.
    pub fn parts(&self) -> Vec<&Expression> {
        match self {
            ExpressionKind::Operand(..) | ExpressionKind::Spread(..) | ExpressionKind::Scalar(_) | ExpressionKind::Unbuilt(_) => {
                Vec::new()
            }
            ExpressionKind::Binary(_, a, b) => vec![a, b],
            ExpressionKind::Map(_, arguments) => arguments.iter().collect(),
            ExpressionKind::Negate(inner)
            | ExpressionKind::Parentheses(inner)
            | ExpressionKind::Apply(_, inner)
            | ExpressionKind::Cast(_, inner)
            | ExpressionKind::PowerInteger(inner, _)
            | ExpressionKind::PowerReal(inner, _)
            | ExpressionKind::Exchange(_, _, inner)
            | ExpressionKind::Reduce(_, _, inner) => vec![inner],
        }
    }
}

/// The forms of a right side.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// `A[i, j]`
    Operand(Hole, Vec<Index>),
    /// A number.
    Scalar(Scalar),
    /// `1[i]`
    Spread(Scalar, Vec<Name>),
    /// `-X`
    Negate(Box<Expression>),
    /// `X + Y` and its like.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `(X)`
    Parentheses(Box<Expression>),
    /// `sum(k; X)` and its like.
    Reduce(Reduction, Vec<Name>, Box<Expression>),
    /// `exp(X)` and its like.
    Apply(Function, Box<Expression>),
    /// `map(f; X, Y)`: a function of the program's, of each element of its arguments.
    Map(Hole, Vec<Expression>),
    /// `cast(X)`, `cast(f64; X)`: X, computed in its own element type, as elements of the equation's, which may be named.
    Cast(Option<Hole>, Box<Expression>),
    /// `powi(X, n)`
    PowerInteger(Box<Expression>, Scalar),
    /// `powf(X, p)`
    PowerReal(Box<Expression>, Scalar),
    /// `sym(i, j; X)`: X and the same with the groups of labels exchanged; `asym` subtracts it.
    Exchange(Exchange, [Vec<Name>; 2], Box<Expression>),
    /// A construct of the language that this version does not have, by the name that a message gives it.
    Unbuilt(String),
}

/// The right side of an equation.
#[derive(Clone, Debug, PartialEq)]
pub enum Right {
    /// An expression.
    Expression(Expression),
    /// An operation of linear algebra.
    Factorisation(Box<Decomposition>),
}

/// An operation of linear algebra, which stands alone on the right side.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// Which one.
    pub kind: Factorisation,
    /// The labels of rows and of columns, where they are given first.
    pub groups: Option<[Vec<Name>; 2]>,
    /// Its matrices.
    pub arguments: Vec<Expression>,
    /// What is asked for beside them.
    pub options: Options,
    /// Where its name stands.
    pub span: Span,
}

/// What is asked for beside the arguments of an operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// `max = 64`
    pub max: Option<Count>,
    /// `tol = 1e-10`
    pub tol: Option<Scalar>,
    /// The exponent of `matpow`.
    pub exponent: Option<Scalar>,
    /// All words, with or without a value, and where they stand.
    pub words: Vec<(Word, Span)>,
}

impl Options {
    /// Whether a word stands there.
    pub fn has(&self, word: Word) -> bool {
        self.words.iter().any(|(known, _)| *known == word)
    }

    /// Whether only a part of the singular values is wanted.
    pub fn cuts(&self) -> bool {
        self.max.is_some() || self.tol.is_some()
    }
}

/// `where i, j: n`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The labels.
    pub labels: Vec<Name>,
    /// Their extent.
    pub extent: Count,
}

/// The operators between the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// `=`
    Set,
    /// `+=`, `-=`, `*=`, `/=`
    Update(Operator),
}

/// Where an equation's result goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `[i, j] =`, or several in parentheses: the macro's value. No brackets inside parentheses: a plain number.
    Value(Vec<LeftSide>),
    /// `let W[m, n] =`, `let E =`, `let (e[n], C[p, n]) =`
    Let(Vec<(Name, LeftSide)>),
    /// `C[i, j] +=`
    Place(Hole, Vec<Index>, Assignment),
}

/// The axes of one result.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftSide {
    /// The indices; `None` where no brackets stand.
    pub indices: Option<Vec<Index>>,
    /// Where it stands.
    pub span: Span,
}

/// One equation as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Where the result goes.
    pub target: Target,
    /// What is computed.
    pub right: Right,
    /// Its own `where`.
    pub declarations: Vec<Declaration>,
    /// Where it stands.
    pub span: Span,
}

/// What a block evaluates to.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockValue {
    /// `()`
    Nothing,
    /// One name.
    Name(Name),
    /// A tuple of names.
    Names(Vec<Name>),
    /// A last equation in value form.
    Equation(Box<Statement>),
}

/// A block of equations.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// `in &ctx;`
    pub context: Option<Hole>,
    /// `where i, j: n;`
    pub declarations: Vec<Declaration>,
    /// The equations in order.
    pub statements: Vec<Statement>,
    /// The last line.
    pub value: BlockValue,
    /// Where it stands.
    pub span: Span,
}

/// What one invocation holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Invocation {
    /// A single equation.
    Equation(Statement),
    /// Several.
    Block(Block),
}
