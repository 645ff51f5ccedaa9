//! The syntax tree: an equation as written, before its meaning is checked.
//!
//! Expressions have limits because walks through them are recursive. The size is counted while an expression is made, so an expression
//! that is too deep never exists. Long sums and products are chains, which are walked in loops. Ranks are limited, too: see [`MOST_AXES`].

pub use crate::claim::ClaimKind;
use crate::condition::Condition;
use crate::diagnostic::{Diagnostic, Fault};
pub use crate::factorisation::{Elements, Factorisation, Form, Outcome, Role, Word};
use crate::function::Function;
pub(crate) use crate::leaves::too_many_axes;
pub use crate::leaves::{Count, Hole, Index, Indices, MOST_AXES, Name, Range, Scalar, bounded_axes};
use crate::token::Span;

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

/// How labels end inside an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// By a reduction.
    Reduce(Reduction),
    /// `mean(k; X)`: their sum, divided by the number of their values.
    Mean,
    /// `var(k; X)`: the mean of |X − mean(k; X)|².
    Variance,
    /// `std(k; X)`: its square root.
    Deviation,
    /// `argmax(k; X)`: the value of k, 0, 1, …, at which X is largest.
    Argmax,
    /// `argmin(k; X)`: the value of k at which X is smallest.
    Argmin,
}

/// How an expression and its copy with exchanged labels are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// `sym`: their sum.
    Symmetric,
    /// `asym`: their difference.
    Antisymmetric,
}

/// An expression and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it was written.
    pub span: Span,
    size: Size,
}

/// How large an expression is. It is counted while the expression is made, because walks of one that is too deep would overflow
/// the stack.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Size {
    /// How deep a walk of it recurses, in steps along a chain of operators.
    depth: usize,
    /// Operands and numbers.
    leaves: usize,
}

/// The most terms of a sum, or factors of a product. Walks through expressions are recursive, and this number of steps fits on the stack
/// of a thread even without optimisation.
pub const LONGEST: usize = 1000;

/// The most operations that may be nested. Each needs as much of the stack as `LONGEST / DEEPEST` terms.
pub const DEEPEST: usize = 125;

/// The most operands and numbers of an expression.
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
                let Size { depth, leaves } = other.children().into_iter().fold(nothing, join);
                Size { depth, leaves: leaves.max(1) }
            }
        };
        Expression { kind, span, size }
    }

    /// Returns the expression, unless it is larger than the library can walk. All code that makes expressions of any size calls this.
    ///
    /// # Errors
    /// More than [`LONGEST`] terms in a row, more than [`DEEPEST`] nested operations, or more than [`MOST_LEAVES`] operands.
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
    /// The expressions that are directly inside.
    pub fn children(&self) -> Vec<&Expression> {
        match self {
            ExpressionKind::Operand(..) | ExpressionKind::Spread(..) | ExpressionKind::Iota(_) | ExpressionKind::Scalar(_) => {
                Vec::new()
            }
            ExpressionKind::Gradient(value, variables) => [&**value].into_iter().chain(variables).collect(),
            ExpressionKind::Binary(_, a, b) => vec![a, b],
            ExpressionKind::Map(_, arguments) => arguments.iter().collect(),
            ExpressionKind::Truth(condition) => condition.expressions(),
            ExpressionKind::Clip(parts) => parts.iter().collect(),
            ExpressionKind::Select(condition, values) => condition.expressions().into_iter().chain(&**values).collect(),
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
    /// `A[i, j]`, `A[i; a, b]`
    Operand(Hole, Indices),
    /// A number.
    Scalar(Scalar),
    /// `1[i]`
    Spread(Scalar, Vec<Name>),
    /// `iota[i]`: the value of an index, from 0 on.
    Iota(Name),
    /// `-X`
    Negate(Box<Expression>),
    /// `X + Y` and its like.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `(X)`
    Parentheses(Box<Expression>),
    /// `sum(k; X)` and its like.
    Reduce(Ending, Vec<Name>, Box<Expression>),
    /// `exp(X)` and its like.
    Apply(Function, Box<Expression>),
    /// `map(f; X, Y)`: a function of the program, applied to the elements of its arguments. Behind it stand its slopes, if they are
    /// written: `map(f, fx, fy; X, Y)`, then those of each slope.
    Map(Vec<Hole>, Vec<Expression>),
    /// `select(C; X, Y)`: X where the condition holds, and Y elsewhere.
    Select(Condition<Expression>, Box<[Expression; 2]>),
    /// `X < Y` and its like as a whole right side: truth values.
    Truth(Condition<Expression>),
    /// `clip(X, a, b)`: X, but a where X is less and b where it is larger.
    Clip(Box<[Expression; 3]>),
    /// `cast(X)`, `cast(f64; X)`: X is computed in its own element type and converted to that of the equation, which may be named.
    Cast(Option<Hole>, Box<Expression>),
    /// `powi(X, n)`
    PowerInteger(Box<Expression>, Scalar),
    /// `powf(X, p)`
    PowerReal(Box<Expression>, Scalar),
    /// `sym(i, j; X)`: X plus X with the two groups of labels exchanged; `asym` subtracts the second X.
    Exchange(Exchange, [Vec<Name>; 2], Box<Expression>),
    /// `grad(X; A[k, l])`: the derivatives of one operand by another. By several it is the whole right side, and each has a result.
    Gradient(Box<Expression>, Vec<Expression>),
}

/// The right side of an equation.
#[derive(Clone, Debug, PartialEq)]
pub enum Right {
    /// An expression.
    Expression(Expression),
    /// An operation of linear algebra.
    Factorisation(Box<Decomposition>),
}

/// An operation of linear algebra. It is always a whole right side.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// Which operation.
    pub kind: Factorisation,
    /// The labels of rows and of columns, if they are named before the arguments.
    pub groups: Option<[Vec<Name>; 2]>,
    /// Its matrices.
    pub arguments: Vec<Expression>,
    /// Its options.
    pub options: Options,
    /// Where its name was written.
    pub span: Span,
}

/// The options of an operation, which follow its arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// `max = 64`
    pub max: Option<Count>,
    /// `tol = 1e-10`
    pub tol: Option<Scalar>,
    /// `broaden = 1e-8`
    pub broaden: Option<Scalar>,
    /// The exponent of `matpow`.
    pub exponent: Option<Scalar>,
    /// All options by their words, with the places where they were written.
    pub words: Vec<(Word, Span)>,
}

impl Options {
    /// Whether an option is given.
    pub fn has(&self, word: Word) -> bool {
        self.words.iter().any(|(known, _)| *known == word)
    }

    /// Whether the operation truncates, so that only some of the singular values are kept.
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

/// `where asym(i, j)`
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The groups of labels that change places.
    pub groups: Vec<Vec<Name>>,
    /// Whether it is believed without a proof.
    pub assumed: bool,
    /// Where it stands, from its name on.
    pub span: Span,
}

/// The operators of an assignment, between the two sides.
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
    /// `[i, j] =`, or several of these in parentheses: the result is the macro's value. In parentheses, a result without brackets is a
    /// plain number.
    Value(Vec<LeftSide>),
    /// `let W[m, n] =`, `let E =`, `let (e[n], C[p, n]) =`
    Let(Vec<(Name, LeftSide)>),
    /// `C[i, j] +=`
    Place(Hole, Indices, Assignment),
}

/// The axes of one result.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftSide {
    /// The indices; `None` if there are no brackets.
    pub indices: Option<Indices>,
    /// Where it was written.
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
    /// The symmetries that its `where` claims.
    pub claims: Vec<Claim>,
    /// Where it was written.
    pub span: Span,
}

/// The value of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockValue {
    /// `()`
    Nothing,
    /// One name.
    Name(Name),
    /// A tuple of names.
    Names(Vec<Name>),
    /// A last equation without `let`, whose result is the value.
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
    /// The value of the block, which its last line gives.
    pub value: BlockValue,
    /// Where it was written.
    pub span: Span,
}

/// The content of one invocation.
#[derive(Clone, Debug, PartialEq)]
pub enum Invocation {
    /// A single equation.
    Equation(Statement),
    /// A block of equations.
    Block(Block),
}
