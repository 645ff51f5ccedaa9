//! Choices in chains of operators: comparisons of elements, and what is chosen by them.

use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

use tensorwrapper_notation::syntax::{Expression, ExpressionKind};
use tensorwrapper_notation::{Comparison, Condition, Span};

use super::{Indexed, Leaf, bounded};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// A comparison of labelled elements, or several joined by `&`, `|` and `!`. It [selects](IndexedMask::select) one of two values for each
/// element.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::Tensor;
/// let a = Tensor::from_array([-1.0, 0.5, 3.0])?;
/// let inside = a.at("i").greater(0.0) & !a.at("i").greater_equal(1.0);
/// assert_eq!(inside.select(a.at("i"), -1.0).eval("i")?.as_slice(), [-1.0, 0.5, -1.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a condition chooses nothing by itself"]
pub struct IndexedMask<'a, T> {
    condition: Result<Condition<Expression>, Error>,
    leaves: Vec<(usize, Leaf<'a>)>,
    element: PhantomData<T>,
}

impl<T: Element> From<T> for Indexed<'_, T> {
    fn from(number: T) -> Self {
        Indexed::number(number.to_complex())
    }
}

macro_rules! comparisons {
    ($($name:ident: $Comparison:ident, $result:literal, $doc:literal;)*) => {
        impl<'a, T: Element> Indexed<'a, T> { $(
            #[doc = $doc]
            ///
            /// ```
            /// # use tensorwrapper_runtime as tensorwrapper;
            /// use tensorwrapper::Tensor;
            /// let (v, w) = (Tensor::from_array([-1.0, 2.0, 3.0])?, Tensor::from_array([0.0, 2.0, 1.0])?);
            #[doc = concat!("let holds = v.at(\"i\").", stringify!($name), "(w.at(\"i\"));")]
            #[doc = concat!("assert_eq!(holds.select(1.0, 0.0).eval(\"i\")?.as_slice(), ", $result, ");")]
            /// # Ok::<(), tensorwrapper_runtime::Error>(())
            /// ```
            pub fn $name(self, other: impl Into<Indexed<'a, T>>) -> IndexedMask<'a, T> {
                self.compared(Comparison::$Comparison, other.into())
            }
        )* }
    };
}
comparisons! {
    less: Less, "[1.0, 0.0, 0.0]", "Whether each element is less than a number, or than another labelled tensor's: `X < Y`. Of real numbers only.";
    less_equal: LessOrEqual, "[1.0, 1.0, 0.0]", "Whether each element is at most a number, or another labelled tensor's: `X <= Y`. Of real numbers only.";
    greater: Greater, "[0.0, 0.0, 1.0]", "Whether each element is greater than a number, or than another labelled tensor's: `X > Y`. Of real numbers only.";
    greater_equal: GreaterOrEqual, "[0.0, 1.0, 1.0]", "Whether each element is at least a number, or another labelled tensor's: `X >= Y`. Of real numbers only.";
    equal: Equal, "[0.0, 1.0, 0.0]", "Whether each element equals a number, or another labelled tensor's: `X == Y`. NaN equals nothing.";
    not_equal: NotEqual, "[1.0, 0.0, 1.0]", "Whether each element differs from a number, or from another labelled tensor's: `X != Y`.";
}

impl<'a, T: Element> Indexed<'a, T> {
    fn compared(mut self, comparison: Comparison, other: Indexed<'a, T>) -> IndexedMask<'a, T> {
        self.leaves.extend(other.leaves);
        let condition = both(self.expression, other.expression);
        IndexedMask {
            condition: condition.map(|(left, right)| Condition::Compare(comparison, Box::new([left, right]))),
            leaves: self.leaves,
            element: PhantomData,
        }
    }

    /// Each element, but `low` where it is less, and `high` where it is larger: `clip(X, low, high)`. Of real numbers only.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.0, 0.5, 3.0])?;
    /// assert_eq!(a.at("i").clip(0.0, 1.0).eval("i")?.as_slice(), [0.0, 0.5, 1.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("clamp"))]
    pub fn clip(mut self, low: impl Into<Indexed<'a, T>>, high: impl Into<Indexed<'a, T>>) -> Self {
        let (low, high) = (low.into(), high.into());
        self.leaves.extend(low.leaves.into_iter().chain(high.leaves));
        let expression = both(both(self.expression, low.expression), high.expression).and_then(|((of, low), high)| {
            let span = of.span;
            bounded(Expression::new(ExpressionKind::Clip(Box::new([of, low, high])), span))
        });
        Indexed { expression, ..self }
    }
}

impl<'a, T: Element> IndexedMask<'a, T> {
    /// The first value where the condition holds, the second one elsewhere: `select(C; X, Y)`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let v = Tensor::from_array([-2.0, 0.5, 3.0])?;
    /// let slope = Tensor::from_array([0.1, 0.1, 0.2])?;
    /// let leaky = v.at("i").less(0.0).select(slope.at("i") * v.at("i"), v.at("i"));
    /// assert_eq!(leaky.eval("i")?.as_slice(), [-0.2, 0.5, 3.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("where"))]
    pub fn select(mut self, chosen: impl Into<Indexed<'a, T>>, other: impl Into<Indexed<'a, T>>) -> Indexed<'a, T> {
        let (chosen, other) = (chosen.into(), other.into());
        self.leaves.extend(chosen.leaves.into_iter().chain(other.leaves));
        let values = both(chosen.expression, other.expression);
        let expression = both(self.condition, values).and_then(|(condition, (chosen, other))| {
            let span = chosen.span;
            bounded(Expression::new(ExpressionKind::Select(condition, Box::new([chosen, other])), span))
        });
        Indexed { expression, leaves: self.leaves, element: PhantomData }
    }

    fn join(mut self, other: Self, make: fn(Box<[Condition<Expression>; 2]>) -> Condition<Expression>) -> Self {
        self.leaves.extend(other.leaves);
        let condition = both(self.condition, other.condition).and_then(|(first, second)| {
            let joined = make(Box::new([first, second]));
            joined.bounded(Span::default()).map_err(super::fault)
        });
        IndexedMask { condition, ..self }
    }
}

impl<T: Element> BitAnd for IndexedMask<'_, T> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.join(other, Condition::Both)
    }
}

impl<T: Element> BitOr for IndexedMask<'_, T> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.join(other, Condition::Either)
    }
}

impl<T: Element> Not for IndexedMask<'_, T> {
    type Output = Self;
    fn not(self) -> Self {
        IndexedMask { condition: self.condition.map(Condition::negated), ..self }
    }
}

/// Two things, or the faults of both.
fn both<A, B>(first: Result<A, Error>, second: Result<B, Error>) -> Result<(A, B), Error> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(first), Err(second)) => Err(first.join(second)),
        (Err(fault), _) | (_, Err(fault)) => Err(fault),
    }
}
