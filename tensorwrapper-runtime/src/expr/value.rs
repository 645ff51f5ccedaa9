//! Values that are described, not computed: trees of labelled operations over tensors and over each other.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_notation::Function;
use tensorwrapper_notation::syntax::{Operator, Reduction};

use super::names::LabelNames;
use crate::backend::Decomposition;
use crate::callback::Callback;
use crate::element::{Dtype, Element};
use crate::shape::{Extents, Shape};
use crate::tensor::{AnyRef, AnyTensor};

/// A recorded result of an equation: it has a type and a shape, and is computed when somebody needs its elements.
///
/// Inside a block of `tensor!` every `let` binds one; it may be an operand of any later equation. Cloning it shares
/// the recording, and what is shared is computed once.
#[must_use = "nothing is computed before `eval`"]
pub struct Expr<'a, T, S = Shape> {
    value: Arc<Value<'a>>,
    types: PhantomData<fn() -> (T, S)>,
}

impl<T, S> Clone for Expr<'_, T, S> {
    fn clone(&self) -> Self {
        Expr { value: Arc::clone(&self.value), types: PhantomData }
    }
}

impl<T: Element, S: Extents> fmt::Debug for Expr<'_, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr<{}, extents {:?}>", T::DTYPE, self.extents())
    }
}

impl<'a, T: Element, S: Extents> Expr<'a, T, S> {
    pub(crate) fn new(value: Arc<Value<'a>>) -> Self {
        debug_assert_eq!(value.dtype, T::DTYPE);
        debug_assert!(S::check(&value.extents).is_ok());
        Expr { value, types: PhantomData }
    }

    /// Extents of the result.
    pub fn extents(&self) -> &[usize] {
        &self.value.extents
    }

    pub(crate) fn value(&self) -> &Arc<Value<'a>> {
        &self.value
    }
}

/// What a recording knows of a value before it is computed.
#[derive(Debug)]
pub(crate) struct Value<'a> {
    pub(crate) extents: Vec<usize>,
    pub(crate) dtype: Dtype,
    pub(crate) source: Source<'a>,
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
    Computed(Arc<AnyTensor>),
    /// One of the results of an operation of linear algebra.
    Factorised(Arc<Factorised<'a>>, usize),
    /// The elements of another value in the same order, with other extents.
    Reshaped(Arc<Value<'a>>),
    /// A part written into a copy of `base`, or into zeros. `axes` tell where, by the axes of `part` as labels.
    Written { base: Option<Arc<Value<'a>>>, axes: Vec<Axis>, part: Arc<Value<'a>> },
}

/// An operation of linear algebra on recorded matrices, their axes those of the batch and of their roles.
#[derive(Debug)]
pub(crate) struct Factorised<'a> {
    pub(crate) call: Decomposition,
    /// The extents of the batch and of all roles.
    pub(crate) extents: Vec<usize>,
    pub(crate) arguments: Vec<Arc<Value<'a>>>,
}

/// What stands for one axis of an operand; labels are numbers into the extents of the equation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Axis {
    /// The axis runs with the label, whose index 0 is at `start`.
    Label { label: usize, start: usize },
    /// The axis is fixed.
    Chip(usize),
    /// The axis runs with several labels, the first slowest.
    Fused(Vec<usize>),
}

/// The right side of an equation: labelled, every sum explicit.
#[derive(Clone, Debug)]
pub(crate) enum Tree<'a> {
    Operand(Arc<Value<'a>>, Vec<Axis>),
    Constant(Complex<f64>),
    Negate(Box<Tree<'a>>),
    Binary(Operator, Box<Tree<'a>>, Box<Tree<'a>>),
    Reduce(Reduction, Vec<usize>, Box<Tree<'a>>),
    Apply(Function, Box<Tree<'a>>),
    Map(Callback<'a>, Vec<Tree<'a>>),
    /// What is computed in elements of that type.
    Cast(Dtype, Box<Tree<'a>>),
    PowerInteger(Box<Tree<'a>>, i32),
    PowerReal(Box<Tree<'a>>, f64),
}

impl Tree<'_> {
    /// Adds the labels of every operand.
    pub(crate) fn labels(&self, found: &mut Vec<usize>) {
        match self {
            Tree::Operand(_, axes) => {
                for axis in axes {
                    match axis {
                        Axis::Label { label, .. } => found.push(*label),
                        Axis::Fused(labels) => found.extend(labels),
                        Axis::Chip(_) => {}
                    }
                }
            }
            Tree::Constant(_) => {}
            Tree::Binary(_, a, b) => {
                a.labels(found);
                b.labels(found);
            }
            Tree::Map(_, arguments) => arguments.iter().for_each(|argument| argument.labels(found)),
            Tree::Negate(inner)
            | Tree::Reduce(_, _, inner)
            | Tree::Apply(_, inner)
            | Tree::Cast(_, inner)
            | Tree::PowerInteger(inner, _)
            | Tree::PowerReal(inner, _) => inner.labels(found),
        }
    }
}
