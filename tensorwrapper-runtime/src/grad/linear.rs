//! The derivative of element-wise work: for each operand a chain of linear maps from its change to the change of the result.
//!
//! One table serves both directions. Forward, a chain is applied to the operand's change; in reverse, the adjoints of its maps are
//! applied to the result's weight. Adjoint is meant under ⟨a, b⟩ = Re Σ conj(a)·b, so that the gradient of a real number L by a complex
//! z is ∂L/∂Re z + i·∂L/∂Im z.

use num_complex::Complex;
use tensorwrapper_notation::syntax::Operator;
use tensorwrapper_notation::{Comparison, Condition};

use super::build::{apply, binary, cast, conjugated, negated, number, times};
use crate::expr::{Axis, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// A linear map of numbers.
#[derive(Clone, Debug)]
pub(super) enum Map<'a> {
    /// Multiplies.
    Times(Tree<'a>),
    /// Divides.
    Over(Tree<'a>),
    Negate,
    Conj,
    Re,
    Im,
    /// Converts elements of one type to another.
    Cast {
        from: Dtype,
        to: Dtype,
    },
    /// Keeps what a choice takes: where a condition holds, or where it does not.
    Select(Condition<Tree<'a>>, Branch),
}

/// Which value of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    Chosen,
    Other,
}

impl<'a> Map<'a> {
    /// The map of a change.
    pub(super) fn of(&self, change: Tree<'a>) -> Tree<'a> {
        match self {
            Map::Times(factor) => times(change, factor.clone()),
            Map::Over(divisor) => binary(Operator::Divide, change, divisor.clone()),
            Map::Negate => negated(change),
            Map::Conj => conjugated(change),
            Map::Re => apply(Unary::Re, change),
            Map::Im => apply(Unary::Im, change),
            Map::Cast { from, to } => cast(change, *from, *to),
            Map::Select(condition, branch) => selected(condition, *branch, change),
        }
    }

    /// The adjoint map of a weight. `is_complex` tells the elements of the weight.
    pub(super) fn adjoint(&self, weight: Tree<'a>, is_complex: bool) -> Tree<'a> {
        let conj = |tree: &Tree<'a>| if is_complex { conjugated(tree.clone()) } else { tree.clone() };
        match self {
            Map::Times(factor) => times(weight, conj(factor)),
            Map::Over(divisor) => binary(Operator::Divide, weight, conj(divisor)),
            Map::Negate => negated(weight),
            Map::Conj => conjugated(weight),
            Map::Re => apply(Unary::Re, weight),
            // Im z is Re(-i·z).
            Map::Im => times(Tree::Constant(Complex::new(0.0, 1.0)), apply(Unary::Re, weight)),
            Map::Cast { from, to } => cast(weight, *to, *from),
            Map::Select(condition, branch) => selected(condition, *branch, weight),
        }
    }

    /// Whether it keeps zeros, whatever the values are: others multiply, and zero times infinity is no number.
    fn keeps_zeros(&self) -> bool {
        match self {
            Map::Times(_) | Map::Over(_) => false,
            Map::Negate | Map::Conj | Map::Re | Map::Im | Map::Cast { .. } | Map::Select(..) => true,
        }
    }
}

/// A number in a branch of a choice, and zero in the other one.
fn selected<'a>(condition: &Condition<Tree<'a>>, branch: Branch, of: Tree<'a>) -> Tree<'a> {
    let values = if branch == Branch::Chosen { [of, number(0.0)] } else { [number(0.0), of] };
    Tree::Select(condition.clone(), Box::new(values))
}

/// One operand of element-wise work, and the chain from its change to that of the result, the outermost map first.
#[derive(Clone, Debug)]
pub(super) struct Occurrence<'t, 'a> {
    pub(super) value: &'t Link<Value<'a>>,
    pub(super) axes: &'t [Axis],
    pub(super) chain: Vec<Map<'a>>,
}

impl<'a> Occurrence<'_, 'a> {
    /// The change of the result for a change of the operand.
    pub(super) fn forward(&self, change: Tree<'a>) -> Tree<'a> {
        self.chain.iter().rev().fold(change, |change, map| map.of(change))
    }

    /// The weight of the operand for a weight of the result, whose elements have that type.
    pub(super) fn reverse(&self, weight: Tree<'a>, mut dtype: Dtype) -> Tree<'a> {
        self.chain.iter().fold(weight, |weight, map| {
            let weight = map.adjoint(weight, dtype.is_complex());
            if let Map::Cast { from, .. } = map {
                dtype = *from;
            }
            weight
        })
    }
}

/// Calls back for each operand of element-wise work that varies.
///
/// # Errors
/// Work whose derivative is not known.
pub(super) fn occurrences<'t, 'a>(
    tree: &'t Tree<'a>,
    dtype: Dtype,
    varies: &dyn Fn(&Link<Value<'a>>) -> bool,
    visit: &mut dyn FnMut(Occurrence<'t, 'a>),
) -> Result<(), Error> {
    let mut walk = Walk { varies, visit, chain: Vec::new(), choices: Vec::new() };
    walk.tree(tree, dtype)
}

struct Walk<'w, 't, 'a> {
    varies: &'w dyn Fn(&Link<Value<'a>>) -> bool,
    visit: &'w mut dyn FnMut(Occurrence<'t, 'a>),
    chain: Vec<Map<'a>>,
    choices: Vec<Choice<'t, 'a>>,
}

/// A choice around what is walked.
struct Choice<'t, 'a> {
    condition: &'t Condition<Tree<'a>>,
    branch: Branch,
    dtype: Dtype,
    /// The number of maps around it, its own included.
    maps: usize,
}

impl<'a> Choice<'_, 'a> {
    /// The choice as a map of numbers of some type.
    fn map(&self, dtype: Dtype) -> Map<'a> {
        if self.dtype == dtype {
            return Map::Select(self.condition.clone(), self.branch);
        }
        // It is made in its own type, because rounded numbers may compare in another way.
        let holds = Tree::Select(self.condition.clone(), Box::new([number(1.0), number(0.0)]));
        let sides = [Tree::Cast(self.dtype, Box::new(holds)), number(0.0)];
        Map::Select(Condition::Compare(Comparison::NotEqual, Box::new(sides)), self.branch)
    }
}

impl<'t, 'a> Walk<'_, 't, 'a> {
    /// Walks an operand of an operation under the maps that lead to it.
    fn under(&mut self, maps: impl IntoIterator<Item = Map<'a>>, tree: &'t Tree<'a>, dtype: Dtype) -> Result<(), Error> {
        let before = self.chain.len();
        self.chain.extend(maps);
        let walked = self.tree(tree, dtype);
        self.chain.truncate(before);
        walked
    }

    fn varies(&self, tree: &Tree<'a>) -> bool {
        let mut found = false;
        tree.operands(&mut |value, _| found = found || (self.varies)(value));
        found
    }

    fn tree(&mut self, tree: &'t Tree<'a>, dtype: Dtype) -> Result<(), Error> {
        if !self.varies(tree) {
            return Ok(());
        }
        match tree {
            Tree::Operand(value, axes) => {
                let chain = self.chain(dtype);
                (self.visit)(Occurrence { value, axes, chain });
                Ok(())
            }
            Tree::Constant(_) => Ok(()),
            Tree::Negate(inner) => self.under([Map::Negate], inner, dtype),
            Tree::Binary(Operator::Add, left, right) => {
                self.tree(left, dtype)?;
                self.tree(right, dtype)
            }
            Tree::Binary(Operator::Subtract, left, right) => {
                self.tree(left, dtype)?;
                self.under([Map::Negate], right, dtype)
            }
            Tree::Binary(Operator::Multiply, left, right) => {
                self.under([Map::Times((**right).clone())], left, dtype)?;
                self.under([Map::Times((**left).clone())], right, dtype)
            }
            Tree::Binary(Operator::Divide, left, right) => {
                self.under([Map::Over((**right).clone())], left, dtype)?;
                let of = Map::Times(negated(tree.clone()));
                self.under([of, Map::Over((**right).clone())], right, dtype)
            }
            Tree::Apply(function, inner) => self.under(slope(*function, tree, inner, dtype), inner, dtype),
            Tree::PowerInteger(_, 0) => Ok(()),
            Tree::PowerInteger(inner, exponent) => {
                let power = power(inner, exponent.saturating_sub(1));
                self.under([Map::Times(times(number(f64::from(*exponent)), power))], inner, dtype)
            }
            Tree::PowerReal(_, exponent) if *exponent == 0.0 => Ok(()),
            Tree::PowerReal(inner, exponent) => {
                let power = Tree::PowerReal(inner.clone(), exponent - 1.0);
                self.under([Map::Times(times(number(*exponent), power))], inner, dtype)
            }
            Tree::Cast(from, inner) => self.under([Map::Cast { from: *from, to: dtype }], inner, *from),
            Tree::Map(function, arguments) => {
                for (n, argument) in arguments.iter().enumerate() {
                    let Some(slope) = function.slope(n, arguments.len()) else { return Err(without_slope()) };
                    self.under([Map::Times(Tree::Map(slope, arguments.clone()))], argument, dtype)?;
                }
                Ok(())
            }
            Tree::Select(condition, values) => {
                for (branch, value) in [Branch::Chosen, Branch::Other].into_iter().zip(&**values) {
                    self.choices.push(Choice { condition, branch, dtype, maps: self.chain.len() + 1 });
                    let walked = self.under([Map::Select(condition.clone(), branch)], value, dtype);
                    self.choices.pop();
                    walked?;
                }
                Ok(())
            }
            Tree::Reduce(..) => unreachable!("element-wise work has no reductions"),
        }
    }

    /// The chain to an operand of that type. A choice stands at both of its ends where slopes are between them, so that infinite
    /// slopes of the branch that is not taken do not count in either direction.
    fn chain(&self, dtype: Dtype) -> Vec<Map<'a>> {
        let mut chain = self.chain.clone();
        let has_slopes = |choice: &&Choice<'t, 'a>| !self.chain[choice.maps..].iter().all(Map::keeps_zeros);
        chain.extend(self.choices.iter().filter(has_slopes).map(|choice| choice.map(dtype)));
        chain
    }
}

pub(super) fn without_slope() -> Error {
    let message = "the derivative of a function of the program, whose slope is not known";
    let error = Error::new(ErrorKind::Unsupported(message.to_string()));
    error.with_help("give the slope: `map(f, slope; X)`, and behind it the slope's slope for second derivatives; or write the function by those of the language")
}

/// `x^n`, written without a power where there is none.
fn power<'a>(of: &Tree<'a>, exponent: i32) -> Tree<'a> {
    match exponent {
        0 => number(1.0),
        1 => of.clone(),
        _ => Tree::PowerInteger(Box::new(of.clone()), exponent),
    }
}

/// The derivative of a function, y = f(x).
fn slope<'a>(function: Unary, y: &Tree<'a>, x: &Tree<'a>, dtype: Dtype) -> Vec<Map<'a>> {
    let (x, y) = (|| x.clone(), || y.clone());
    let square = |tree: Tree<'a>| Tree::PowerInteger(Box::new(tree), 2);
    let one_and = |operator, tree| binary(operator, number(1.0), tree);
    match function {
        Unary::Exp => vec![Map::Times(y())],
        Unary::Ln => vec![Map::Over(x())],
        Unary::Sqrt => vec![Map::Over(times(number(2.0), y()))],
        Unary::Sin => vec![Map::Times(apply(Unary::Cos, x()))],
        Unary::Cos => vec![Map::Negate, Map::Times(apply(Unary::Sin, x()))],
        Unary::Tan => vec![Map::Times(one_and(Operator::Add, square(y())))],
        Unary::Tanh => vec![Map::Times(one_and(Operator::Subtract, square(y())))],
        Unary::Recip => vec![Map::Negate, Map::Times(square(y()))],
        Unary::Abs if dtype.is_complex() => vec![Map::Re, Map::Times(conjugated(apply(Unary::Sign, x())))],
        Unary::Abs => vec![Map::Times(apply(Unary::Sign, x()))],
        // z/|z| changes by what is left of δ/|z| without its part along z.
        Unary::Sign if dtype.is_complex() => {
            let turn = Tree::Constant(Complex::new(0.0, 1.0));
            vec![Map::Times(times(turn, y())), Map::Im, Map::Times(conjugated(y())), Map::Over(apply(Unary::Abs, x()))]
        }
        // Steps are constant between their jumps.
        Unary::Sign | Unary::IsZero | Unary::IsPositive => vec![Map::Times(number(0.0))],
        Unary::Conj if dtype.is_complex() => vec![Map::Conj],
        Unary::Re if dtype.is_complex() => vec![Map::Re],
        Unary::Im if dtype.is_complex() => vec![Map::Im],
        Unary::Conj | Unary::Re => Vec::new(),
        Unary::Im => vec![Map::Times(number(0.0))],
    }
}
