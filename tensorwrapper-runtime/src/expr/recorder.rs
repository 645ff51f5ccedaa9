//! Builds one recorded equation, checking ranks, extents and ranges as operands arrive.
//!
//! The sentences are those of the compile-time checks. Faults are collected and come out of `finish` together.

use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_notation::Function;
use tensorwrapper_notation::syntax::{Factorisation as Decomposition, Operator, Reduction};

use super::like::{Operand, ScalarValue};
use super::value::{Axis, Expr, Factorised, Source, Tree, Value};
use crate::backend::Factorisation;
use crate::element::{Dtype, Element};
use crate::error::{Error, ErrorKind, Place};
use crate::shape::Extents;

/// What stands for one axis of an operand, with run-time ranges filled in.
#[derive(Clone, Copy, Debug)]
pub enum Index {
    /// A label by its number.
    Label(usize),
    /// A label over a part of the axis: from the first number to before the second, or to the end.
    Slice(usize, usize, Option<usize>),
    /// One position.
    Chip(usize),
}

/// A right side under construction.
#[derive(Debug)]
pub struct Node<'a>(pub(crate) Tree<'a>);

/// Builds one recorded equation.
#[derive(Debug)]
pub struct Recorder<'n> {
    labels: Vec<LabelState<'n>>,
    dtype: Dtype,
    errors: Vec<Error>,
}

/// The place of an extent that a `where` gives.
const DECLARATION: &str = "where";

#[derive(Debug)]
struct LabelState<'n> {
    name: &'n str,
    /// Where its extent was met first.
    first: Option<Place>,
}

impl<'n> Recorder<'n> {
    /// An equation over elements of one type, with labels of these names; a label is known by its number.
    pub fn new<T: Element>(labels: &[&'n str]) -> Recorder<'n> {
        let labels = labels.iter().map(|&name| LabelState { name, first: None }).collect();
        Recorder { labels, dtype: T::DTYPE, errors: Vec::new() }
    }

    /// A label's extent by declaration; its place in messages is the declaration.
    pub fn declare(&mut self, label: usize, extent: usize) {
        self.meet(label, Place { operand: DECLARATION.to_string(), axis: 0, extent });
    }

    /// Notes an extent of a label, and the fault if it is another one than before.
    fn meet(&mut self, label: usize, place: Place) {
        let state = &mut self.labels[label];
        match &state.first {
            None => state.first = Some(place),
            Some(first) if first.extent != place.extent => {
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

    /// A tensor, one index for each of its axes; `text` is how messages call it.
    pub fn operand<'a, T: Element, S>(&mut self, operand: &Operand<'a, T, S>, text: &str, indices: &[Index]) -> Node<'a> {
        self.tensor(&operand.value, text, indices)
    }

    pub(crate) fn tensor<'a>(&mut self, value: &Arc<Value<'a>>, text: &str, indices: &[Index]) -> Node<'a> {
        if value.dtype != self.dtype {
            self.errors.push(Error::new(ErrorKind::Element { expected: self.dtype, found: value.dtype }));
        }
        Node(Tree::Operand(Arc::clone(value), self.axes(&value.extents, text, indices)))
    }

    /// Checks indices against the extents of a tensor.
    fn axes(&mut self, extents: &[usize], text: &str, indices: &[Index]) -> Vec<Axis> {
        if extents.len() != indices.len() {
            let kind = ErrorKind::Rank { operand: text.to_string(), rank: extents.len(), given: indices.len() };
            self.errors.push(Error::new(kind));
            return Vec::new();
        }
        let mut axes = Vec::with_capacity(indices.len());
        for (axis, (&index, &extent)) in indices.iter().zip(extents).enumerate() {
            let place = |extent| Place { operand: text.to_string(), axis, extent };
            let out_of_range = |index: String| Error::new(ErrorKind::Bounds { index, place: place(extent) });
            axes.push(match index {
                Index::Label(label) => {
                    self.meet(label, place(extent));
                    Axis::Label { label, start: 0 }
                }
                Index::Slice(label, start, end) => {
                    let stop = end.unwrap_or(extent);
                    if start > stop || stop > extent {
                        let end = end.map_or(String::new(), |e| e.to_string());
                        self.errors.push(out_of_range(format!("{start}..{end}")));
                    }
                    self.meet(label, place(stop.saturating_sub(start)));
                    Axis::Label { label, start }
                }
                Index::Chip(position) => {
                    if position >= extent {
                        self.errors.push(out_of_range(position.to_string()));
                    }
                    Axis::Chip(position)
                }
            });
        }
        axes
    }

    /// A literal.
    pub fn literal<'a>(&mut self, value: f64) -> Node<'a> {
        Node(Tree::Constant(Complex::new(value, 0.0)))
    }

    /// A number that the program gives.
    pub fn scalar<'a>(&mut self, value: ScalarValue<'a>) -> Node<'a> {
        Node(value.0)
    }

    /// A number, constant along labels.
    pub fn spread<'a>(&mut self, value: Node<'a>, labels: &[usize]) -> Node<'a> {
        Node(Tree::Spread(Box::new(value.0), labels.to_vec()))
    }

    /// `-X`
    pub fn negate<'a>(&mut self, value: Node<'a>) -> Node<'a> {
        Node(Tree::Negate(Box::new(value.0)))
    }

    /// `X + Y` and its like.
    pub fn binary<'a>(&mut self, operator: Operator, left: Node<'a>, right: Node<'a>) -> Node<'a> {
        Node(Tree::Binary(operator, Box::new(left.0), Box::new(right.0)))
    }

    /// A reduction over labels.
    pub fn reduce<'a>(&mut self, reduction: Reduction, labels: &[usize], value: Node<'a>) -> Node<'a> {
        if matches!(reduction, Reduction::Max | Reduction::Min) {
            if self.dtype.is_complex() {
                let message = format!("`max` and `min` need an order, which `{}` has not", self.dtype);
                self.errors
                    .push(Error::new(ErrorKind::Undefined(message)).with_help("take `abs` in an equation over real elements"));
            }
            let empty = labels.iter().find(|&&l| self.labels[l].first.as_ref().is_some_and(|place| place.extent == 0));
            if let Some(&label) = empty {
                let message =
                    format!("index `{}` has extent 0, and `max` or `min` over nothing has no value", self.labels[label].name);
                self.errors.push(Error::new(ErrorKind::Undefined(message)));
            }
        }
        Node(Tree::Reduce(reduction, labels.to_vec(), Box::new(value.0)))
    }

    /// A function of each element.
    pub fn apply<'a>(&mut self, function: Function, value: Node<'a>) -> Node<'a> {
        Node(Tree::Apply(function, Box::new(value.0)))
    }

    /// Each element to a whole power.
    pub fn power_integer<'a>(&mut self, base: Node<'a>, exponent: i32) -> Node<'a> {
        Node(Tree::PowerInteger(Box::new(base.0), exponent))
    }

    /// Each element to a real power.
    pub fn power_real<'a>(&mut self, base: Node<'a>, exponent: f64) -> Node<'a> {
        Node(Tree::PowerReal(Box::new(base.0), exponent))
    }

    fn extent(&self, label: usize) -> usize {
        self.labels[label].first.as_ref().map_or(0, |place| place.extent)
    }

    /// An equation's value with these axes; a label written twice fills a diagonal of zeros.
    fn value<'a>(&self, node: Node<'a>, axes: &[usize]) -> Arc<Value<'a>> {
        let mut distinct = Vec::new();
        for &label in axes {
            if !distinct.contains(&label) {
                distinct.push(label);
            }
        }
        let value = Value {
            extents: distinct.iter().map(|&l| self.extent(l)).collect(),
            dtype: self.dtype,
            source: Source::Equation {
                tree: node.0,
                extents: (0..self.labels.len()).map(|l| self.extent(l)).collect(),
                axes: distinct.clone(),
            },
        };
        if distinct.len() == axes.len() {
            return Arc::new(value);
        }
        let place = |label| Axis::Label {
            label: distinct.iter().position(|d| d == label).expect("every label is among the distinct"),
            start: 0,
        };
        Arc::new(Value {
            extents: axes.iter().map(|&l| self.extent(l)).collect(),
            dtype: self.dtype,
            source: Source::Written { base: None, axes: axes.iter().map(place).collect(), part: Arc::new(value) },
        })
    }

    /// Ends the equation: its value with these axes, typed.
    ///
    /// # Errors
    /// Every fault that was met.
    pub fn finish<'a, T: Element, S: Extents>(self, node: Node<'a>, axes: &[usize]) -> Result<Expr<'a, T, S>, Error> {
        self.finish_value(node, axes).map(Expr::new)
    }

    pub(crate) fn finish_value<'a>(self, node: Node<'a>, axes: &[usize]) -> Result<Arc<Value<'a>>, Error> {
        if self.errors.is_empty() { Ok(self.value(node, axes)) } else { Err(Error::all(self.errors)) }
    }

    /// Ends an equation that writes a part of a tensor: the part, and the whole tensor after the write.
    ///
    /// # Errors
    /// Every fault that was met.
    pub fn finish_write<'a, T: Element, S: Extents>(
        self,
        node: Node<'a>,
        axes: &[usize],
        place: Node<'a>,
    ) -> Result<Written<'a, T, S>, Error> {
        let Tree::Operand(base, selection) = place.0 else {
            unreachable!("the place that is written is an operand");
        };
        let part = self.finish_value(node, axes)?;
        // The selection speaks of the equation's labels, the written value of the part's axes.
        let position =
            |label: usize| axes.iter().position(|&a| a == label).expect("every label of the place is an axis of the part");
        let selection: Vec<Axis> = selection
            .into_iter()
            .map(|axis| match axis {
                Axis::Label { label, start } => Axis::Label { label: position(label), start },
                chip @ Axis::Chip(_) => chip,
            })
            .collect();
        let is_whole = part.extents == base.extents
            && selection.iter().enumerate().all(|(n, axis)| *axis == Axis::Label { label: n, start: 0 });
        let after = if is_whole {
            Arc::clone(&part)
        } else {
            let (extents, dtype) = (base.extents.clone(), base.dtype);
            let source = Source::Written { base: Some(base), axes: selection.clone(), part: Arc::clone(&part) };
            Arc::new(Value { extents, dtype, source })
        };
        Ok(Written { after: Expr::new(after), part, selection })
    }

    /// Ends a decomposition: its results in the order of the language, each with the axes asked for.
    ///
    /// `matrix` are row, column and the new axis; `results` pairs the axes as computed with the axes asked for.
    ///
    /// # Errors
    /// Every fault that was met, and a matrix that is not square.
    pub fn finish_factorise<'a>(
        mut self,
        kind: Decomposition,
        arguments: Vec<Node<'a>>,
        argument_axes: &[usize],
        matrix: [usize; 3],
        results: &[(&[usize], &[usize])],
    ) -> Result<Vec<Factor<'a>>, Error> {
        let [row, column, new] = matrix;
        if let (Some(r), Some(c)) = (&self.labels[row].first, &self.labels[column].first)
            && r.extent != c.extent
        {
            let (r, c) = (r.extent, c.extent);
            let message = tensorwrapper_notation::sentence::square(self.labels[row].name, &r, self.labels[column].name, &c);
            self.errors.push(Error::new(ErrorKind::Shape(message)));
        }
        if !self.errors.is_empty() {
            return Err(Error::all(self.errors));
        }
        self.labels[new].first = self.labels[row].first.clone();
        let arguments = arguments.into_iter().map(|node| self.value(node, argument_axes)).collect();
        let (kind, dtypes) = match kind {
            Decomposition::Cholesky => (Factorisation::Cholesky, vec![self.dtype]),
            Decomposition::Eigh => (Factorisation::Eigh, vec![self.dtype.real(), self.dtype]),
        };
        let call = Arc::new(Factorised { kind, arguments });
        let result = |(n, (&(computed, wanted), dtype)): (usize, (&(&[usize], &[usize]), Dtype))| {
            let extents = computed.iter().map(|&l| self.extent(l)).collect();
            let factor = Arc::new(Value { extents, dtype, source: Source::Factorised(Arc::clone(&call), n) });
            if computed == wanted {
                return Factor(factor);
            }
            let axes = computed.iter().map(|&label| Axis::Label { label, start: 0 }).collect();
            let source = Source::Equation {
                tree: Tree::Operand(factor, axes),
                extents: (0..self.labels.len()).map(|l| self.extent(l)).collect(),
                axes: wanted.to_vec(),
            };
            Factor(Arc::new(Value { extents: wanted.iter().map(|&l| self.extent(l)).collect(), dtype, source }))
        };
        Ok(results.iter().zip(dtypes).enumerate().map(result).collect())
    }
}

/// One result of a decomposition, not yet typed.
#[derive(Debug)]
pub struct Factor<'a>(Arc<Value<'a>>);

impl<'a> Factor<'a> {
    /// The result as elements of type `T`, of shape type `S`.
    pub fn typed<T: Element, S: Extents>(self) -> Expr<'a, T, S> {
        Expr::new(self.0)
    }
}

/// A recorded write into a part of an existing tensor.
pub struct Written<'a, T, S> {
    /// The whole tensor as later equations of the block read it.
    pub after: Expr<'a, T, S>,
    pub(crate) part: Arc<Value<'a>>,
    pub(crate) selection: Vec<Axis>,
}
