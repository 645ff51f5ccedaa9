//! Builds one recorded equation, checking ranks, extents and ranges as operands arrive.
//!
//! The messages are those of the compile-time checks. Faults are collected and returned together at the end. `axes` checks
//! indices, `finish` ends equations, `factorise` those of linear algebra.
//!
//! This is the one place where ranks and extents are compared at run time.

mod axes;
mod factorise;
mod finish;

pub(crate) use factorise::{Computing, Labels};

use std::borrow::Cow;

use num_complex::Complex;
use tensorwrapper_notation::syntax::{Operator, Reduction};
use tensorwrapper_notation::{Condition, Function};

use super::mapping::Mapping;
use super::value::{Axis, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind, Place};

/// The index of one axis of an operand, with run-time values filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index<'i> {
    /// A label by its number.
    Label(usize),
    /// A label over the part of the axis from the second field to before the third, or to the end of the axis.
    Slice(usize, usize, Option<usize>),
    /// One position.
    Chip(usize),
    /// Several labels on one axis; the first varies slowest.
    Fused(&'i [usize]),
    /// All axes that have no index of their own (`..`).
    Rest,
}

impl Index<'_> {
    /// The labels that run with this axis.
    fn labels(&self) -> &[usize] {
        match self {
            Index::Label(label) | Index::Slice(label, _, _) => std::slice::from_ref(label),
            Index::Fused(labels) => labels,
            Index::Chip(_) | Index::Rest => &[],
        }
    }
}

/// A right side under construction.
#[derive(Debug)]
pub(crate) struct Node<'a>(pub(crate) Tree<'a>);

/// Builds one recorded equation.
#[derive(Debug)]
pub(crate) struct Recorder<'n> {
    labels: Vec<LabelState<'n>>,
    dtype: Dtype,
    /// The element types around the cast that is being recorded.
    outer: Vec<Dtype>,
    errors: Vec<Error>,
    /// The labels of the axes that `..` stands for, the last axis first.
    rest: Vec<usize>,
    /// Fused axes, whose labels may get their extents from them.
    fused: Vec<(Vec<usize>, Place)>,
}

/// The place of an extent that a `where` gives.
const DECLARATION: &str = "where";

#[derive(Debug)]
struct LabelState<'n> {
    name: Cow<'n, str>,
    /// The place where its extent was found first.
    first: Option<Place>,
}

impl<'n> Recorder<'n> {
    /// An equation over elements of one type, with labels of these names; a label is known by its number.
    pub(crate) fn new(dtype: Dtype, labels: &[&'n str]) -> Recorder<'n> {
        let labels = labels.iter().map(|&name| LabelState { name: Cow::Borrowed(name), first: None }).collect();
        Recorder { labels, dtype, outer: Vec::new(), errors: Vec::new(), rest: Vec::new(), fused: Vec::new() }
    }

    /// A label's extent by declaration; its place in messages is the declaration.
    pub(crate) fn declare(&mut self, label: usize, extent: usize) {
        self.meet(label, extent, |extent| Place { operand: DECLARATION.to_string(), axis: 0, extent });
    }

    /// Notes an extent of a label, and a fault if it differs from the extent found before. `place` is called only for the
    /// message.
    fn meet(&mut self, label: usize, extent: usize, place: impl Fn(usize) -> Place) {
        let state = &mut self.labels[label];
        match &state.first {
            None => state.first = Some(place(extent)),
            Some(first) if first.extent != extent => {
                let place = place(extent);
                // As the compiler says it: operands in the order of writing, then the declaration.
                let (first, second) = match first.operand == DECLARATION {
                    true => (place, first.clone()),
                    false => (first.clone(), place),
                };
                self.errors.push(Error::new(ErrorKind::Extent { label: state.name.to_string(), first, second }));
            }
            Some(_) => {}
        }
    }

    /// A tensor with one index for each of its axes; `text` is its name in messages.
    /// A real one in an equation over complex numbers is converted.
    pub(crate) fn tensor<'a>(&mut self, value: &Link<Value<'a>>, text: &str, indices: &[Index<'_>]) -> Node<'a> {
        if value.dtype == self.dtype.real() && self.dtype.is_complex() {
            let operand = Tree::Operand(Link::clone(value), self.axes(&value.extents, text, indices));
            return Node(Tree::Cast(value.dtype, Box::new(operand)));
        }
        if value.dtype != self.dtype {
            let fault = Error::new(ErrorKind::Mixed { first: self.dtype, second: value.dtype });
            self.errors.push(fault.with_help("write `cast(…)` around what is to become the equation's type"));
        }
        Node(Tree::Operand(Link::clone(value), self.axes(&value.extents, text, indices)))
    }

    /// What a `grad` differentiates, which is a real number in an equation over complex ones, too.
    pub(crate) fn differentiated<'a>(&mut self, value: &Link<Value<'a>>, text: &str, indices: &[Index<'_>]) -> Node<'a> {
        let is_number = value.extents.is_empty() && value.dtype == self.dtype.real();
        match is_number {
            true => Node(Tree::Operand(Link::clone(value), self.axes(&value.extents, text, indices))),
            false => self.tensor(value, text, indices),
        }
    }

    /// The element type of what is recorded next.
    pub(crate) fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Adds a fault.
    pub(crate) fn fault(&mut self, fault: Error) {
        self.errors.push(fault);
    }

    /// Adds a suggestion to the last fault.
    pub(crate) fn help(&mut self, help: &str) {
        let last = self.errors.pop().map(|error| error.with_help(help));
        self.errors.extend(last);
    }

    /// A literal.
    pub(crate) fn literal<'a>(&mut self, value: f64) -> Node<'a> {
        if value.is_finite() && self.dtype.real() == Dtype::F32 && (value as f32).is_infinite() {
            let message = format!("the literal `{value:e}` is larger than any number of type `f32`");
            self.errors.push(Error::new(ErrorKind::Undefined(message)));
        }
        Node(Tree::Constant(Complex::new(value, 0.0)))
    }

    /// `-X`
    pub(crate) fn negate<'a>(&mut self, value: Node<'a>) -> Node<'a> {
        Node(Tree::Negate(Box::new(value.0)))
    }

    /// `X + Y` and the other binary operators.
    pub(crate) fn binary<'a>(&mut self, operator: Operator, left: Node<'a>, right: Node<'a>) -> Node<'a> {
        Node(Tree::Binary(operator, Box::new(left.0), Box::new(right.0)))
    }

    /// A reduction over labels.
    pub(crate) fn reduce<'a>(&mut self, reduction: Reduction, labels: &[usize], value: Node<'a>) -> Node<'a> {
        if matches!(reduction, Reduction::Max | Reduction::Min) {
            if self.dtype.is_complex() {
                self.errors.push(Error::without_order(self.dtype));
            }
            let empty = labels.iter().find(|&&l| self.labels[l].first.as_ref().is_some_and(|place| place.extent == 0));
            if let Some(&label) = empty {
                self.errors.push(Error::over_nothing(Some(&self.labels[label].name)));
            }
        }
        Node(Tree::Reduce(reduction, labels.to_vec(), Box::new(value.0)))
    }

    /// A function of each element.
    pub(crate) fn apply<'a>(&mut self, function: Function, value: Node<'a>) -> Node<'a> {
        Node(Tree::Apply(function.into(), Box::new(value.0)))
    }

    /// A function of the program, applied to each element of its arguments; its slopes stand behind it.
    pub(crate) fn map<'a>(&mut self, functions: Vec<Callback<'a>>, arguments: Vec<Node<'a>>) -> Node<'a> {
        Node(Tree::Map(Mapping::new(functions), arguments.into_iter().map(|argument| argument.0).collect()))
    }

    /// One value where a condition holds, and another one elsewhere.
    pub(crate) fn select<'a>(&mut self, condition: Condition<Node<'a>>, chosen: Node<'a>, other: Node<'a>) -> Node<'a> {
        if self.dtype.is_complex() && condition.orders(&|side| !side.0.is_real()) {
            self.errors.push(Error::orders_complex(self.dtype));
        }
        let condition = condition.map(|side| side.0);
        Node(Tree::Select(condition, Box::new([chosen.0, other.0])))
    }

    /// Begins a cast: nodes up to the call of [`cast`](Recorder::cast) have this element type.
    pub(crate) fn begin_cast(&mut self, dtype: Dtype) {
        self.outer.push(std::mem::replace(&mut self.dtype, dtype));
    }

    /// Converts a value to the element type around it.
    ///
    /// # Panics
    /// When no cast has begun.
    pub(crate) fn cast<'a>(&mut self, value: Node<'a>) -> Node<'a> {
        let outer = self.outer.pop().expect("a cast ends that has begun");
        Node(Tree::Cast(std::mem::replace(&mut self.dtype, outer), Box::new(value.0)))
    }

    /// Each element to a whole power.
    pub(crate) fn power_integer<'a>(&mut self, base: Node<'a>, exponent: i32) -> Node<'a> {
        Node(Tree::PowerInteger(Box::new(base.0), exponent))
    }

    /// Each element to a real power.
    pub(crate) fn power_real<'a>(&mut self, base: Node<'a>, exponent: f64) -> Node<'a> {
        Node(Tree::PowerReal(Box::new(base.0), exponent))
    }
}

/// A recorded write into a part of an existing tensor.
#[derive(Debug)]
pub(crate) struct Write<'a> {
    /// The whole tensor as later equations of the block read it.
    pub(crate) after: Link<Value<'a>>,
    /// What is written.
    pub(crate) part: Link<Value<'a>>,
    pub(crate) target: Target,
}

/// Where a part of a tensor is written.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The axes of the tensor by those of the part.
    pub(crate) selection: Vec<Axis>,
    /// Extents of the whole tensor.
    pub(crate) whole: Vec<usize>,
}
