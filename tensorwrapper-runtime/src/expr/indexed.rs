//! Operators on labelled tensors: `(a.at("i,k") * b.at("k,j")).eval("i,j")`.
//!
//! A chain of operators builds the same syntax tree that `tensor!` would have parsed, so it has the same meaning.

mod choice;
mod leaves;
mod linear;
mod mapped;
mod reductions;

pub use choice::IndexedMask;
pub use linear::Factors;
pub use mapped::{MapArguments, MapSlopes};

use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::atomic::{AtomicUsize, Ordering};

use num_complex::Complex;
use tensorwrapper_notation::syntax::{
    Expression, ExpressionKind, Hole, Index, Indices, LeftSide, Name, Operator, Right, Scalar, Statement, Target, bounded_axes,
};
use tensorwrapper_notation::{Diagnostic, Equation, Function, Span, Use, axes, check, lex};

use self::leaves::{Leaf, Leaves, dense};
use super::bind::{bind_value, one_layer};
use super::faults::{Notation, faults_to_error};
use super::operand::{OperandData, TensorLike};
use super::value::{Expr, Value};
use crate::link::Link;
use crate::tensor::{Blocks, Tensor, TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Extents;

/// A labelled tensor, or an expression of labelled tensors. Faults are collected and reported by `eval` and `record`.
#[derive(Clone, Debug)]
#[must_use = "nothing is computed before `eval`"]
pub struct Indexed<'a, T> {
    expression: Result<Expression, Error>,
    /// The values of the expression's holes, by the number in their spans.
    leaves: Vec<(usize, Leaf<'a>)>,
    element: PhantomData<T>,
}

/// Numbers the holes of all chains of the program, so that joining two needs no renumbering.
fn hole(text: String) -> Hole {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let start = NEXT.fetch_add(1, Ordering::Relaxed);
    Hole { text, span: Span { start, end: start.wrapping_add(1) }, tokens: Vec::new() }
}

/// Labels of a text: one letter per axis where there is no comma, names between commas otherwise.
pub(crate) fn labels(text: &str) -> Result<Indices, Error> {
    let read = if text.contains(',') || !text.trim().chars().all(char::is_alphabetic) {
        lex(text).and_then(|tokens| axes(&tokens))
    } else {
        let letter = |(start, c): (usize, char)| {
            Index::Label(Name { text: c.to_string(), span: Span { start, end: start + c.len_utf8() } })
        };
        let letters: Vec<Index> = text.trim().char_indices().map(letter).collect();
        bounded_axes(&letters).map(|()| letters.into())
    };
    let found = read.map_err(fault)?;
    // Holes would have no meaning in a string.
    for index in &found {
        if let Index::Chip(tensorwrapper_notation::syntax::Count::Hole(hole))
        | Index::Slice(_, tensorwrapper_notation::syntax::Range::Hole(hole)) = index
        {
            let message = format!("`{}` is a Rust expression, which a string cannot hold", hole.text);
            return Err(Error::new(ErrorKind::Syntax { message, position: hole.span.start }));
        }
    }
    Ok(found)
}

impl<'a, T: Element> Indexed<'a, T> {
    pub(crate) fn new(value: Result<Link<Value<'a>>, Error>, text: &str) -> Self {
        Indexed::of_leaf(value.map(Leaf::Tensor), text)
    }

    /// The same of a tensor that messages call by a name, and not by its labels.
    pub(crate) fn called(value: Result<Link<Value<'a>>, Error>, name: &str, text: &str) -> Self {
        Indexed::of_named_leaf(value.map(Leaf::Tensor), hole(name.to_string()), text)
    }

    /// A tensor of the program. A block tensor is made dense where a chain is recorded.
    fn of_tensor(given: OperandData<'a>, text: &str) -> Self {
        match given {
            OperandData::Blocks(_) => Indexed::of_leaf(Ok(Leaf::Blocks(given)), text),
            _ => Indexed::of_leaf(given.value().map(|value| Leaf::Dense(value, given)), text),
        }
    }

    fn of_leaf(value: Result<Leaf<'a>, Error>, text: &str) -> Self {
        Indexed::of_named_leaf(value, hole(format!("[{text}]")), text)
    }

    fn of_named_leaf(value: Result<Leaf<'a>, Error>, hole: Hole, text: &str) -> Self {
        let (start, span) = (hole.span.start, hole.span);
        let is_block = matches!(value, Ok(Leaf::Blocks(_)));
        let expression = labels(text).and_then(|indices| match indices.counts().len() {
            layers if is_block || layers == 0 => Ok(Expression::new(ExpressionKind::Operand(hole, indices), span)),
            layers => Err(one_layer(&format!("`{}`", hole.text), layers)),
        });
        match value {
            Ok(value) => Indexed { expression, leaves: vec![(start, value)], element: PhantomData },
            Err(fault) => Indexed { expression: expression.and(Err(fault)), leaves: Vec::new(), element: PhantomData },
        }
    }

    fn number(value: Complex<f64>) -> Self {
        let hole = hole(value.to_string());
        let leaves = vec![(hole.span.start, Leaf::Number(value))];
        let span = hole.span;
        let expression = Ok(Expression::new(ExpressionKind::Scalar(Scalar::Hole(hole)), span));
        Indexed { expression, leaves, element: PhantomData }
    }

    fn wrap(self, kind: impl FnOnce(Box<Expression>) -> ExpressionKind) -> Self {
        let expression = self.expression.and_then(|inner| {
            let span = inner.span;
            bounded(Expression::new(kind(Box::new(inner)), span))
        });
        Indexed { expression, ..self }
    }

    fn combine(mut self, operator: Operator, other: Self) -> Self {
        self.leaves.extend(other.leaves);
        let multiplicative = matches!(operator, Operator::Multiply | Operator::Divide);
        let expression = match (self.expression, other.expression) {
            (Ok(left), Ok(right)) => {
                let span = left.span;
                // Rust has already grouped the operands; parentheses keep its grouping.
                let left = if multiplicative { parenthesise(left, is_sum) } else { left };
                let right = parenthesise(right, |e| matches!(e, ExpressionKind::Binary(..)));
                bounded(Expression::new(ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), span))
            }
            (Err(left), Err(right)) => Err(left.join(right)),
            (Err(fault), _) | (_, Err(fault)) => Err(fault),
        };
        Indexed { expression, leaves: self.leaves, element: PhantomData }
    }

    /// Records the equation `[left] = self`. Its axes are the labels in `left`: one letter each, or names between
    /// commas.
    ///
    /// # Errors
    /// All faults of syntax and labels, and all ranks and extents that do not fit, in one error.
    pub fn record(&self, left: &str) -> Result<Expr<'a, T>, Error> {
        let (_, equation) = self.equation(left)?;
        let leaves = dense(&self.leaves)?;
        bind_value(&equation, T::DTYPE, &Leaves::new(&leaves)).map(Expr::new)
    }

    /// The equation `[left] = self`.
    ///
    /// # Errors
    /// All faults of syntax and labels.
    pub(crate) fn equation(&self, left: &str) -> Result<(Statement, Equation), Error> {
        let expression = self.expression.clone()?;
        let left = LeftSide { indices: Some(labels(left)?), span: Span::default() };
        let span = expression.span;
        let statement = Statement {
            target: Target::Value(vec![left]),
            right: Right::Expression(expression),
            declarations: Vec::new(),
            claims: Vec::new(),
            span,
        };
        let equation = check(&statement, &[]).map_err(|faults| faults_to_error(faults, Notation::Operators))?;
        Ok((statement, equation))
    }

    /// The operands of its equation, in their order, and the numbers in the order of its holes: each once, however often it is read.
    ///
    /// # Errors
    /// [`ErrorKind::Label`] where a tensor stands for a number.
    pub(crate) fn filled(&self, equation: &Equation) -> Result<(Vec<OperandData<'a>>, Vec<Complex<f64>>), Error> {
        let leaves = Leaves::new(&self.leaves);
        let operands = equation.operands().iter().map(|operand| leaves.given(&operand.hole)).collect();
        let holes = equation.holes().into_iter().filter(|(_, role)| *role == Use::Scalar);
        Ok((operands, holes.map(|(hole, _)| leaves.number(hole)).collect::<Result<_, _>>()?))
    }

    /// Raises each element to an integer power.
    pub fn powi(self, exponent: i32) -> Self {
        let exponent = Scalar::Literal(f64::from(exponent), Span::default());
        self.wrap(|inner| ExpressionKind::PowerInteger(inner, exponent))
    }

    /// Raises each element to a real power.
    pub fn powf(self, exponent: f64) -> Self {
        let exponent = Scalar::Literal(exponent, Span::default());
        self.wrap(|inner| ExpressionKind::PowerReal(inner, exponent))
    }

    /// A tensor that is constant along these labels, as `2.5[i, j]` in `tensor!`. It broadcasts a number explicitly. Other
    /// operands determine the extents of the labels.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Indexed, Tensor};
    /// let a = Tensor::<f64>::filled([2, 3], 1.0)?;
    /// let c = (a.at("i,j") + Indexed::spread(0.5, "i,j")).eval("i,j")?;
    /// assert_eq!(c[[1, 2]], 1.5);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn spread(value: T, labels: &str) -> Self {
        let Indexed { expression, leaves, element } = Indexed::number(value.to_complex());
        let expression = names(labels).and_then(|over| {
            let Expression { kind, span, .. } = expression?;
            let ExpressionKind::Scalar(scalar) = kind else { unreachable!("a number is a scalar") };
            Ok(Expression::new(ExpressionKind::Spread(scalar, over), span))
        });
        Indexed { expression, leaves, element }
    }

    /// The value of an index, 0, 1, 2, …, as `iota[i]` in `tensor!`. Other operands determine how far it goes.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Indexed, Tensor};
    /// let a = Tensor::<f64>::filled([3], 2.0)?;
    /// let c = (a.at("i") * Indexed::iota("i")).eval("i")?;
    /// assert_eq!(c.as_slice(), [0.0, 2.0, 4.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn iota(label: &str) -> Self {
        let expression = names(label).and_then(|mut names| match (names.pop(), names.is_empty()) {
            (Some(name), true) => Ok(Expression::new(ExpressionKind::Iota(name), Span::default())),
            _ => Err(Error::new(ErrorKind::Label(format!("`iota` takes one label, not `{label}`")))),
        });
        Indexed { expression, leaves: Vec::new(), element: PhantomData }
    }
}

/// A list of labels and nothing else.
fn names(text: &str) -> Result<Vec<Name>, Error> {
    let name = |index| match index {
        Index::Label(name) => Ok(name),
        _ => Err(Error::new(ErrorKind::Label(format!("`{text}` is not a list of labels")))),
    };
    labels(text)?.into_iter().map(name).collect()
}

/// Limits the size of an expression, because a loop may build a chain of any length.
fn bounded(expression: Expression) -> Result<Expression, Error> {
    expression.bounded().map_err(fault)
}

/// A fault of a chain as an error.
fn fault(fault: Diagnostic) -> Error {
    faults_to_error(vec![fault], Notation::Operators)
}

fn is_sum(kind: &ExpressionKind) -> bool {
    matches!(kind, ExpressionKind::Binary(Operator::Add | Operator::Subtract, ..))
}

fn parenthesise(expression: Expression, needed: impl Fn(&ExpressionKind) -> bool) -> Expression {
    if !needed(&expression.kind) {
        return expression;
    }
    let span = expression.span;
    Expression::new(ExpressionKind::Parentheses(Box::new(expression)), span)
}

macro_rules! methods {
    ($($name:ident: $Function:ident, $doc:literal;)*) => {
        impl<T: Element> Indexed<'_, T> { $(
            #[doc = $doc]
            pub fn $name(self) -> Self {
                self.wrap(|inner| ExpressionKind::Apply(Function::$Function, inner))
            }
        )* }
    };
}
methods! {
    exp: Exp, "eˣ of each element.";
    ln: Ln, "The natural logarithm of each element.";
    sqrt: Sqrt, "The square root of each element.";
    abs: Abs, "The absolute value of each element.";
    sin: Sin, "The sine of each element.";
    cos: Cos, "The cosine of each element.";
    tan: Tan, "The tangent of each element.";
    tanh: Tanh, "The hyperbolic tangent of each element.";
    recip: Recip, "1/x of each element.";
    conj: Conj, "The complex conjugate of each element.";
    re: Re, "The real part of each element.";
    im: Im, "The imaginary part of each element.";
}

macro_rules! operators {
    ($($Trait:ident $method:ident $Operator:ident;)*) => { $(
        impl<'a, T: Element> $Trait for Indexed<'a, T> {
            type Output = Indexed<'a, T>;
            fn $method(self, other: Self) -> Self {
                self.combine(Operator::$Operator, other)
            }
        }
        impl<'a, T: Element> $Trait<T> for Indexed<'a, T> {
            type Output = Indexed<'a, T>;
            fn $method(self, other: T) -> Self {
                self.combine(Operator::$Operator, Indexed::number(other.to_complex()))
            }
        }
        operators!(@left $Trait $method $Operator: f32, f64, Complex<f32>, Complex<f64>);
    )* };
    (@left $Trait:ident $method:ident $Operator:ident: $($T:ty),*) => { $(
        impl<'a> $Trait<Indexed<'a, $T>> for $T {
            type Output = Indexed<'a, $T>;
            fn $method(self, other: Indexed<'a, $T>) -> Indexed<'a, $T> {
                Indexed::number(self.to_complex()).combine(Operator::$Operator, other)
            }
        }
    )* };
}
operators! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    Div div Divide;
}

impl<'a, T: Element> Neg for Indexed<'a, T> {
    type Output = Indexed<'a, T>;
    fn neg(mut self) -> Self {
        self.expression = self.expression.map(|e| parenthesise(e, |kind| matches!(kind, ExpressionKind::Binary(..))));
        self.wrap(ExpressionKind::Negate)
    }
}

macro_rules! at {
    ($([$($generics:tt)*] $Type:ty: $lifetime:lifetime, $value:ident;)*) => { $(
        impl<$($generics)* T: Element, S: Extents> $Type {
            /// Labels the axes: with one letter per axis (`"ik"`), or with names between commas (`"i,k"`); at most 256 labels.
            /// Slices `i in 2..5` and positions `3` are indices too.
            pub fn at(&self, labels: &str) -> Indexed<$lifetime, T> {
                Indexed::of_tensor($value(self), labels)
            }
        }
    )* };
}
at! {
    [] Tensor<T, S>: '_, borrowed;
    [] Blocks<T, S>: '_, borrowed;
    ['t,] TensorRef<'t, T, S>: '_, borrowed;
    ['t,] TensorMut<'t, T, S>: '_, borrowed;
    ['t,] Expr<'t, T, S>: 't, shared;
}

fn borrowed<X: TensorLike>(tensor: &X) -> OperandData<'_> {
    tensor.operand().given
}

/// Recorded results are shared, not borrowed, so that a loop can record a chain of them.
fn shared<'t, T: Element, S: Extents>(recorded: &Expr<'t, T, S>) -> OperandData<'t> {
    OperandData::Recorded(Link::clone(recorded.value()))
}
