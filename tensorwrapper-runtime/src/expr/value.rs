//! Recorded values that are not computed yet: trees of labelled operations over tensors and other recorded values.
//!
//! A block records all its equations and then computes its results in one run.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use num_complex::Complex;
use smallvec::SmallVec;
use tensorwrapper_notation::Condition;
use tensorwrapper_notation::syntax::{Operator, Reduction};

use super::mapping::Mapping;
use crate::link::{Link, Node};
use crate::tensor::{AnyRef, AnyTensor, Tensor};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::backend::{Decomposition, Unary};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{LabelNames, OpGraph};
use tensorwrapper_core::shape::{Extents, Shape};

/// A recorded result of an equation: it has an element type and extents, and is computed when its elements are needed.
///
/// Inside a block of `tensor!` every `let` binds one; it may be an operand of any later equation. Cloning it shares the
/// recording; shared values are computed once per run.
#[must_use = "nothing is computed before `eval`"]
pub struct Expr<'a, T, S = Shape> {
    value: Link<Value<'a>>,
    types: PhantomData<fn() -> (T, S)>,
}

impl<T, S> Clone for Expr<'_, T, S> {
    fn clone(&self) -> Self {
        Expr { value: Link::clone(&self.value), types: PhantomData }
    }
}

impl<T: Numeric, S: Extents> fmt::Debug for Expr<'_, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr<{}, extents {:?}>", T::NAME, self.value.extents)
    }
}

impl<'a, T: Numeric, S: Extents> Expr<'a, T, S> {
    pub(crate) fn new(value: Link<Value<'a>>) -> Self {
        debug_assert_eq!(value.dtype, T::COMPUTED);
        debug_assert!(S::check(&value.extents).is_ok());
        Expr { value, types: PhantomData }
    }
}

impl<'a, T: Element, S: Extents> Expr<'a, T, S> {
    /// Extents of the result.
    pub fn extents(&self) -> &[usize] {
        &self.value.extents
    }

    /// The same value with another shape type `S2`, which says what the compiler knows of the extents.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Expr, Shape, Tensor};
    /// let x = Tensor::<f64>::filled([3], 1.0)?;
    /// let y: Expr<'_, f64, Shape![3]> = (x.at("i") * 2.0).record("i")?.into_typed()?;
    /// assert!(y.into_typed::<Shape![4]>().is_err());
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the rank or a constant extent differs.
    pub fn into_typed<S2: Extents>(self) -> Result<Expr<'a, T, S2>, Error> {
        S2::check(self.extents())?;
        Ok(Expr::new(self.value))
    }

    pub(crate) fn value(&self) -> &Link<Value<'a>> {
        &self.value
    }
}

/// A recorded value: its properties that are known before it is computed.
pub(crate) struct Value<'a> {
    pub(crate) extents: Vec<usize>,
    pub(crate) dtype: Dtype,
    pub(crate) source: Source<'a>,
}

// SAFETY: it borrows elements and functions, which its drop does not touch, and has no `Drop` of its own.
unsafe impl Node for Value<'_> {}

/// Shows the value itself but not its source, which may be a chain of any length.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value<{}, extents {:?}>", self.dtype, self.extents)
    }
}

/// Where a value comes from.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    /// An existing tensor.
    Tensor(AnyRef<'a>),
    /// An equation: a tree over labels, of which `axes` are kept in this order. Labels are numbers,
    /// and `names` tells what the program calls them.
    Equation { tree: Tree<'a>, extents: Vec<usize>, axes: Vec<usize>, names: LabelNames },
    /// A tensor that was computed while an equation was recorded, because its extents depend on elements.
    Computed(Arc<AnyTensor>, Meaning),
    /// One of the results of an operation of linear algebra.
    Factorised(Arc<Factorised<'a>>, usize),
    /// A sink of a graph, by its number among the graph's sinks.
    Graph(Arc<Inlined<'a>>, usize),
    /// The elements of another value in the same order, with other extents.
    Reshaped(Link<Value<'a>>),
    /// Another value, which derivatives take as a constant.
    Held(Link<Value<'a>>),
    /// One tensor of the solution of equations, by its number. It was computed when it was recorded.
    Solved(Arc<Solved<'a>>, usize),
    /// A part written into a copy of `base`, or into zeros. `axes` tell where, by the axes of `part` as labels.
    Written { base: Option<Link<Value<'a>>>, axes: Vec<Axis>, part: Link<Value<'a>> },
}

/// An operation of linear algebra on recorded matrices, their axes those of the batch and of their roles.
#[derive(Debug)]
pub(crate) struct Factorised<'a> {
    pub(crate) call: Decomposition,
    /// The extents of the batch and of all roles.
    pub(crate) extents: Vec<usize>,
    pub(crate) arguments: Vec<Link<Value<'a>>>,
}

/// The solution of `x = step(x)`.
#[derive(Debug)]
pub(crate) struct Solved<'a> {
    /// The tensors of the solution.
    pub(crate) solution: Vec<Arc<AnyTensor>>,
    /// What the step is made of besides x, and which does not depend on x.
    pub(crate) arguments: Vec<Link<Value<'a>>>,
    /// The step, over values that stand for x and the arguments, and are replaced before anything is computed.
    pub(crate) step: Arc<Step<'a>>,
    pub(crate) solver: Arc<dyn LinearSolver>,
}

/// One step of equations `x = step(x)`: a function of two lists of values, `state` and `inputs`.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    pub(crate) state: Vec<Link<Value<'a>>>,
    pub(crate) inputs: Vec<Link<Value<'a>>>,
    pub(crate) values: Vec<Link<Value<'a>>>,
}

/// Solves the linear equations of derivatives.
pub(crate) trait LinearSolver: fmt::Debug + Send + Sync {
    /// The solution of `x = constant + linear(x)`, where `state` stands for x in the values of the linear part.
    ///
    /// # Errors
    /// No solution within the tolerance, and what computing the values reports.
    fn solve<'a>(
        &self,
        constant: &[Link<Value<'a>>],
        linear: &[Link<Value<'a>>],
        state: &[Link<Value<'a>>],
    ) -> Result<Vec<AnyTensor>, Error>;
}

/// A graph over recorded operands, which fill its sources by their slots.
#[derive(Debug)]
pub(crate) struct Inlined<'a> {
    pub(crate) graph: Arc<OpGraph>,
    pub(crate) operands: Vec<Link<Value<'a>>>,
}

/// What a computed tensor is, for people who read the equations of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A tensor as any other one.
    Tensor,
    /// The values of an index.
    Index,
    /// A matrix whose elements depend on which index is larger, as the identity and triangles.
    Mask,
}

/// The index of one axis of an operand; labels are positions in the extents of the equation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Axis {
    /// The axis runs with the label, whose index 0 is at `start`.
    Label { label: usize, start: usize },
    /// The axis is fixed.
    Chip(usize),
    /// The axis runs with several labels, the first slowest.
    Fused(Vec<usize>),
}

impl Axis {
    /// The labels that run with this axis.
    pub(crate) fn labels(&self) -> &[usize] {
        match self {
            Axis::Label { label, .. } => std::slice::from_ref(label),
            Axis::Fused(labels) => labels,
            Axis::Chip(_) => &[],
        }
    }
}

/// The right side of an equation: labelled, every sum explicit.
#[derive(Clone, Debug)]
pub(crate) enum Tree<'a> {
    Operand(Link<Value<'a>>, Vec<Axis>),
    Constant(Complex<f64>),
    Negate(Box<Tree<'a>>),
    Binary(Operator, Box<Tree<'a>>, Box<Tree<'a>>),
    Reduce(Reduction, Vec<usize>, Box<Tree<'a>>),
    Apply(Unary, Box<Tree<'a>>),
    Map(Mapping<'a>, Vec<Tree<'a>>),
    /// The first value where the condition holds, the second one elsewhere.
    Select(Condition<Tree<'a>>, Box<[Tree<'a>; 2]>),
    /// What is computed in elements of that type.
    Cast(Dtype, Box<Tree<'a>>),
    PowerInteger(Box<Tree<'a>>, i32),
    PowerReal(Box<Tree<'a>>, f64),
}

impl<'a> Tree<'a> {
    /// Whether it is another value, with its axes in some order and perhaps conjugated.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self, Tree::Operand(..) | Tree::Apply(Unary::Conj, _))
    }

    /// The trees directly inside, in the order of writing.
    pub(crate) fn parts(&self) -> SmallVec<[&Tree<'a>; 4]> {
        match self {
            Tree::Operand(..) | Tree::Constant(_) => SmallVec::new(),
            Tree::Binary(_, a, b) => SmallVec::from_slice(&[&**a, &**b]),
            Tree::Map(_, arguments) => arguments.iter().collect(),
            Tree::Select(condition, values) => condition.expressions().into_iter().chain(&**values).collect(),
            Tree::Negate(inner)
            | Tree::Reduce(_, _, inner)
            | Tree::Apply(_, inner)
            | Tree::Cast(_, inner)
            | Tree::PowerInteger(inner, _)
            | Tree::PowerReal(inner, _) => SmallVec::from_slice(&[&**inner]),
        }
    }

    /// The same operation with other trees inside, each made of the one that is there. An operand and a number stay as they are.
    pub(crate) fn with_parts(&self, mut make: impl FnMut(&Tree<'a>) -> Tree<'a>) -> Tree<'a> {
        let made = self.try_with_parts(|part| Ok::<_, Infallible>(make(part)));
        made.unwrap_or_else(|never| match never {})
    }

    /// As [`with_parts`](Tree::with_parts), where making may fail.
    ///
    /// # Errors
    /// The first of making them.
    pub(crate) fn try_with_parts<E>(&self, mut make: impl FnMut(&Tree<'a>) -> Result<Tree<'a>, E>) -> Result<Tree<'a>, E> {
        Ok(match self {
            Tree::Operand(..) | Tree::Constant(_) => self.clone(),
            Tree::Negate(of) => Tree::Negate(Box::new(make(of)?)),
            Tree::Binary(operator, left, right) => Tree::Binary(*operator, Box::new(make(left)?), Box::new(make(right)?)),
            Tree::Reduce(reduction, over, of) => Tree::Reduce(*reduction, over.clone(), Box::new(make(of)?)),
            Tree::Apply(function, of) => Tree::Apply(*function, Box::new(make(of)?)),
            Tree::Map(function, arguments) => Tree::Map(function.clone(), arguments.iter().map(make).collect::<Result<_, _>>()?),
            Tree::Select(condition, values) => {
                let condition = condition.try_map(&mut make)?;
                let [chosen, other] = &**values;
                Tree::Select(condition, Box::new([make(chosen)?, make(other)?]))
            }
            Tree::Cast(dtype, of) => Tree::Cast(*dtype, Box::new(make(of)?)),
            Tree::PowerInteger(of, exponent) => Tree::PowerInteger(Box::new(make(of)?), *exponent),
            Tree::PowerReal(of, exponent) => Tree::PowerReal(Box::new(make(of)?), *exponent),
        })
    }

    /// Visits every operand, in the order of writing.
    pub(crate) fn operands<'t>(&'t self, visit: &mut impl FnMut(&'t Link<Value<'a>>, &'t [Axis])) {
        match self {
            Tree::Operand(value, axes) => visit(value, axes),
            other => other.parts().into_iter().for_each(|part| part.operands(visit)),
        }
    }

    /// Whether its values are real numbers, although its elements may be complex ones.
    pub(crate) fn is_real(&self) -> bool {
        match self {
            Tree::Constant(value) => value.im == 0.0,
            Tree::Cast(from, _) if !from.is_complex() => true,
            Tree::Apply(Unary::Re | Unary::Im | Unary::Abs | Unary::IsZero | Unary::IsPositive, _) => true,
            Tree::Select(_, values) => values.iter().all(Tree::is_real),
            Tree::Negate(_) | Tree::Reduce(..) | Tree::PowerInteger(..) | Tree::Binary(..) | Tree::Cast(..) => {
                self.parts().into_iter().all(Tree::is_real)
            }
            Tree::Operand(..) | Tree::Apply(..) | Tree::Map(..) | Tree::PowerReal(..) => false,
        }
    }

    /// Adds the labels that the tree depends on: those of operands, without those that reductions bind.
    pub(crate) fn free_labels(&self, found: &mut Vec<usize>) {
        match self {
            Tree::Reduce(_, over, inner) => {
                let mut own = Vec::new();
                inner.free_labels(&mut own);
                found.extend(own.into_iter().filter(|label| !over.contains(label)));
            }
            Tree::Operand(..) => self.labels(found),
            other => other.parts().into_iter().for_each(|part| part.free_labels(found)),
        }
    }

    /// Adds the labels of every operand.
    pub(crate) fn labels(&self, found: &mut Vec<usize>) {
        self.operands(&mut |_, axes| found.extend(axes.iter().flat_map(Axis::labels)));
    }
}

impl<'a> Value<'a> {
    /// A number, as a value of rank 0.
    pub(crate) fn number(value: Complex<f64>, dtype: Dtype) -> Link<Value<'a>> {
        Value::filled(value, Vec::new(), dtype)
    }

    /// A number everywhere.
    pub(crate) fn filled(value: Complex<f64>, extents: Vec<usize>, dtype: Dtype) -> Link<Value<'a>> {
        let names: Vec<String> = (0..extents.len()).map(|n| format!("i{n}")).collect();
        let names = LabelNames::new(names.iter().map(String::as_str));
        let axes = (0..extents.len()).collect();
        let source = Source::Equation { tree: Tree::Constant(value), extents: extents.clone(), axes, names };
        Link::new(Value { extents, dtype, source })
    }

    /// A tensor that is computed already.
    pub(crate) fn computed(tensor: Arc<AnyTensor>) -> Link<Value<'a>> {
        Value::meaning(tensor, Meaning::Tensor)
    }

    /// The same, with what it is.
    pub(crate) fn meaning(tensor: Arc<AnyTensor>, meaning: Meaning) -> Link<Value<'a>> {
        Link::new(Value { extents: tensor.extents().to_vec(), dtype: tensor.dtype(), source: Source::Computed(tensor, meaning) })
    }

    /// The numbers 0, 1, 2, … up to an extent.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn iota(extent: usize, dtype: Dtype) -> Result<Link<Value<'a>>, Error> {
        let number = |index: &[usize]| Complex::new(index[0] as f64, 0.0);
        let tensor: AnyTensor =
            dispatch!(dtype, T => Tensor::<T>::from_fn([extent], |index| T::from_complex(number(index)))?.into());
        Ok(Value::meaning(Arc::new(tensor), Meaning::Index))
    }

    /// A value that stands for another one, and is recognised by where it is. Its elements do not matter.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn stand_in(extents: &[usize], dtype: Dtype) -> Result<Link<Value<'a>>, Error> {
        Ok(Value::computed(Arc::new(dispatch!(dtype, T => Tensor::<T>::zeros(extents)?.into()))))
    }

    /// A [stand-in](Value::stand_in) for each of some values.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn stand_ins(like: &[Link<Value<'a>>]) -> Result<Vec<Link<Value<'a>>>, Error> {
        like.iter().map(|like| Value::stand_in(&like.extents, like.dtype)).collect()
    }

    /// The tensor, if it is computed already and none of the program's.
    pub(crate) fn tensor(&self) -> Option<&Arc<AnyTensor>> {
        match &self.source {
            Source::Computed(tensor, _) => Some(tensor),
            Source::Solved(solved, n) => Some(&solved.solution[*n]),
            _ => None,
        }
    }

    /// Visits the values that must be computed before this one, except tensors of the program.
    pub(crate) fn needs<'v>(&'v self, visit: &mut impl FnMut(&'v Link<Value<'a>>)) {
        let mut visit = |value: &'v Link<Value<'a>>| match value.source {
            Source::Tensor(_) | Source::Computed(..) | Source::Solved(..) => {}
            Source::Equation { .. }
            | Source::Factorised(..)
            | Source::Graph(..)
            | Source::Reshaped(_)
            | Source::Held(_)
            | Source::Written { .. } => visit(value),
        };
        match &self.source {
            Source::Tensor(_) | Source::Computed(..) | Source::Solved(..) => {}
            Source::Equation { tree, .. } => tree.operands(&mut |value, _| visit(value)),
            // What an argument reads as it is, is read by the operation itself.
            Source::Factorised(call, _) => call.arguments.iter().for_each(|argument| match &argument.source {
                Source::Equation { tree, .. } if tree.is_read() => tree.operands(&mut |value, _| visit(value)),
                _ => visit(argument),
            }),
            Source::Graph(inlined, _) => inlined.operands.iter().for_each(visit),
            Source::Reshaped(inner) | Source::Held(inner) => visit(inner),
            Source::Written { base, part, .. } => [part].into_iter().chain(base).for_each(visit),
        }
    }
}
