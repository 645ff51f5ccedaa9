//! Comparisons of elements and truth values, and what `&&`, `||` and `!` make of them: the condition of `select(C; X, Y)`.

use crate::diagnostic::{Diagnostic, Fault};
use crate::token::Span;

/// How two elements are compared. Comparisons with a number that is not a number do not hold, except that it differs from everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `X < Y`
    Less,
    /// `X <= Y`
    LessOrEqual,
    /// `X > Y`
    Greater,
    /// `X >= Y`
    GreaterOrEqual,
    /// `X == Y`
    Equal,
    /// `X != Y`
    NotEqual,
}

impl Comparison {
    /// Every comparison; those of two characters stand before those that they begin with.
    pub const ALL: [Comparison; 6] = [
        Comparison::LessOrEqual,
        Comparison::GreaterOrEqual,
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::Greater,
    ];

    /// The comparison's sign in equations.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
        }
    }

    /// Whether it asks which of two numbers is larger. Complex numbers have no such order.
    pub const fn orders(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::NotEqual)
    }
}

/// A condition on elements, made of comparisons of expressions `E`. Once an equation is checked, truth values are compared with 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition<E> {
    /// `X < Y` and its like.
    Compare(Comparison, Box<[E; 2]>),
    /// `m[i]`: the tensor of truth values holds.
    Holds(Box<E>),
    /// `C && D`: both hold.
    Both(Box<[Condition<E>; 2]>),
    /// `C || D`: one of them holds, or both.
    Either(Box<[Condition<E>; 2]>),
    /// `!C`
    Not(Box<Condition<E>>),
}

/// The most comparisons of one condition. Walks through conditions are recursive.
const MOST_COMPARISONS: usize = 64;

/// What makes numbers of a condition: 1, or any number but 0, where it holds, and 0 elsewhere.
pub trait ConditionBuilder<E> {
    /// A number that is made.
    type Value;
    /// 1 where a comparison holds.
    fn compare(&mut self, comparison: Comparison, left: &E, right: &E) -> Self::Value;
    /// A truth value as a number.
    fn holds(&mut self, of: &E) -> Self::Value;
    /// A number.
    fn number(&mut self, value: f64) -> Self::Value;
    /// One number where a condition is not 0, and another one elsewhere.
    fn select(&mut self, condition: Self::Value, chosen: Self::Value, other: Self::Value) -> Self::Value;
}

impl<E> Condition<E> {
    /// The condition as a number, whose parts are made in the order of writing.
    pub fn build<B: ConditionBuilder<E>>(&self, builder: &mut B) -> B::Value {
        match self {
            Condition::Compare(comparison, sides) => builder.compare(*comparison, &sides[0], &sides[1]),
            Condition::Holds(of) => builder.holds(of),
            Condition::Both(parts) => {
                let [first, second] = parts.each_ref().map(|part| part.build(builder));
                let zero = builder.number(0.0);
                builder.select(first, second, zero)
            }
            Condition::Either(parts) => {
                let [first, second] = parts.each_ref().map(|part| part.build(builder));
                let one = builder.number(1.0);
                builder.select(first, one, second)
            }
            Condition::Not(inner) => {
                let inner = inner.build(builder);
                let [zero, one] = [0.0, 1.0].map(|value| builder.number(value));
                builder.select(inner, zero, one)
            }
        }
    }

    /// What holds where the condition does not.
    pub fn negated(self) -> Condition<E> {
        match self {
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// Returns the condition, unless it is larger than the library can walk.
    ///
    /// # Errors
    /// More than 64 comparisons.
    pub fn bounded(self, at: Span) -> Result<Condition<E>, Diagnostic> {
        if self.expressions().len() <= 2 * MOST_COMPARISONS {
            return Ok(self);
        }
        let fault = Diagnostic::new(Fault::Unbuilt, at, format!("a condition has at most {MOST_COMPARISONS} comparisons"));
        Err(fault.help("compute parts of it in equations of their own, `select(C; 1.0, 0.0)`"))
    }

    /// The expressions that are compared, in the order of writing.
    pub fn expressions(&self) -> Vec<&E> {
        match self {
            Condition::Compare(_, sides) => sides.iter().collect(),
            Condition::Holds(of) => vec![of],
            Condition::Both(parts) | Condition::Either(parts) => parts.iter().flat_map(Condition::expressions).collect(),
            Condition::Not(inner) => inner.expressions(),
        }
    }

    /// Whether it asks which of two expressions is larger, of which one `is_unordered`.
    pub fn orders(&self, is_unordered: &dyn Fn(&E) -> bool) -> bool {
        match self {
            Condition::Compare(comparison, sides) => comparison.orders() && sides.iter().any(is_unordered),
            Condition::Holds(_) => false,
            Condition::Both(parts) | Condition::Either(parts) => parts.iter().any(|part| part.orders(is_unordered)),
            Condition::Not(inner) => inner.orders(is_unordered),
        }
    }

    /// The same condition on other expressions, which are made in the order of writing.
    ///
    /// # Errors
    /// The first of making them.
    pub fn try_map<F, X>(&self, make: &mut dyn FnMut(&E) -> Result<F, X>) -> Result<Condition<F>, X> {
        let both = |[a, b]: &[Condition<E>; 2], make: &mut dyn FnMut(&E) -> Result<F, X>| {
            Ok(Box::new([a.try_map(make)?, b.try_map(make)?]))
        };
        Ok(match self {
            Condition::Compare(comparison, sides) => {
                let [left, right] = &**sides;
                Condition::Compare(*comparison, Box::new([make(left)?, make(right)?]))
            }
            Condition::Holds(of) => Condition::Holds(Box::new(make(of)?)),
            Condition::Both(parts) => Condition::Both(both(parts, make)?),
            Condition::Either(parts) => Condition::Either(both(parts, make)?),
            Condition::Not(inner) => Condition::Not(Box::new(inner.try_map(make)?)),
        })
    }

    /// The same condition on what becomes of each expression.
    pub fn map<F>(self, mut make: impl FnMut(E) -> F) -> Condition<F> {
        fn mapped<E, F>(condition: Condition<E>, make: &mut dyn FnMut(E) -> F) -> Condition<F> {
            match condition {
                Condition::Compare(comparison, sides) => Condition::Compare(comparison, Box::new(sides.map(make))),
                Condition::Holds(of) => Condition::Holds(Box::new(make(*of))),
                Condition::Both(parts) => Condition::Both(Box::new(parts.map(|part| mapped(part, make)))),
                Condition::Either(parts) => Condition::Either(Box::new(parts.map(|part| mapped(part, make)))),
                Condition::Not(inner) => Condition::Not(Box::new(mapped(*inner, make))),
            }
        }
        mapped(self, &mut make)
    }

    /// The condition as text, its expressions written by a function.
    pub fn text(&self, write: &mut dyn FnMut(&E) -> String) -> String {
        // `&&` binds its sides closer than `||`.
        let side = |part: &Condition<E>, write: &mut dyn FnMut(&E) -> String| match part {
            Condition::Both(_) | Condition::Either(_) => format!("({})", part.text(write)),
            Condition::Compare(..) | Condition::Holds(_) | Condition::Not(_) => part.text(write),
        };
        match self {
            Condition::Compare(comparison, sides) => {
                let [left, right] = sides.each_ref().map(&mut *write);
                format!("{left} {} {right}", comparison.symbol())
            }
            Condition::Holds(of) => write(of),
            Condition::Both(parts) => parts.each_ref().map(|part| side(part, write)).join(" && "),
            Condition::Either(parts) => parts.each_ref().map(|part| side(part, write)).join(" || "),
            Condition::Not(inner) => match &**inner {
                Condition::Holds(of) => format!("!{}", write(of)),
                inner => format!("!({})", inner.text(write)),
            },
        }
    }
}
