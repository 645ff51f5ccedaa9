//! Builds one recorded equation, checking ranks, extents and ranges as operands arrive.
//!
//! The sentences are those of the compile-time checks. Faults are collected and come out of `finish` together.

use std::borrow::Cow;
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
pub enum Index<'i> {
    /// A label by its number.
    Label(usize),
    /// A label over a part of the axis: from the first number to before the second, or to the end.
    Slice(usize, usize, Option<usize>),
    /// One position.
    Chip(usize),
    /// Several labels on one axis, the first slowest.
    Fused(&'i [usize]),
    /// All axes that are not written.
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
pub struct Node<'a>(pub(crate) Tree<'a>);

/// Builds one recorded equation.
#[derive(Debug)]
pub struct Recorder<'n> {
    labels: Vec<LabelState<'n>>,
    dtype: Dtype,
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
    /// Where its extent was met first.
    first: Option<Place>,
}

impl<'n> Recorder<'n> {
    /// An equation over elements of one type, with labels of these names; a label is known by its number.
    pub fn new<T: Element>(labels: &[&'n str]) -> Recorder<'n> {
        let labels = labels.iter().map(|&name| LabelState { name: Cow::Borrowed(name), first: None }).collect();
        Recorder { labels, dtype: T::DTYPE, errors: Vec::new(), rest: Vec::new(), fused: Vec::new() }
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
    pub fn operand<'a, T: Element, S>(&mut self, operand: &Operand<'a, T, S>, text: &str, indices: &[Index<'_>]) -> Node<'a> {
        self.tensor(&operand.value, text, indices)
    }

    pub(crate) fn tensor<'a>(&mut self, value: &Arc<Value<'a>>, text: &str, indices: &[Index<'_>]) -> Node<'a> {
        if value.dtype != self.dtype {
            self.errors.push(Error::new(ErrorKind::Element { expected: self.dtype, found: value.dtype }));
        }
        Node(Tree::Operand(Arc::clone(value), self.axes(&value.extents, text, indices)))
    }

    /// Checks indices against the extents of a tensor.
    fn axes(&mut self, extents: &[usize], text: &str, indices: &[Index<'_>]) -> Vec<Axis> {
        let rests = indices.iter().filter(|index| matches!(index, Index::Rest)).count();
        let written = indices.len() - rests;
        if extents.len() < written || rests == 0 && extents.len() != written {
            let kind = ErrorKind::Rank { operand: text.to_string(), rank: extents.len(), given: written };
            self.errors.push(Error::new(kind));
            return Vec::new();
        }
        let indices = self.spell_out(indices, extents.len() - written);
        let mut axes = Vec::with_capacity(indices.len());
        for (axis, (index, &extent)) in indices.into_iter().zip(extents).enumerate() {
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
                Index::Fused(labels) => {
                    self.fused.push((labels.to_vec(), place(extent)));
                    Axis::Fused(labels.to_vec())
                }
                Index::Rest => unreachable!("`..` was spelled out"),
            });
        }
        axes
    }

    /// Indices with labels in the place of `..`, for that many axes: the same labels in every operand, from the right.
    fn spell_out<'i>(&mut self, indices: &[Index<'i>], axes: usize) -> Vec<Index<'i>> {
        while self.rest.len() < axes && indices.iter().any(|index| matches!(index, Index::Rest)) {
            let name = format!("..-{}", self.rest.len() + 1);
            self.rest.push(self.labels.len());
            self.labels.push(LabelState { name: Cow::Owned(name), first: None });
        }
        let spell = |index: &Index<'i>| match index {
            Index::Rest => self.rest[..axes].iter().rev().map(|&label| Index::Label(label)).collect(),
            other => vec![*other],
        };
        indices.iter().flat_map(spell).collect()
    }

    /// Extents of fused axes against those of their labels; one unknown label of an axis gets what the others leave.
    fn settle_fused(&mut self) {
        let mut pending = std::mem::take(&mut self.fused);
        loop {
            let before = pending.len();
            pending.retain(|(labels, place)| !self.settle(labels, place));
            if pending.is_empty() || pending.len() == before {
                break;
            }
        }
        for (labels, place) in pending {
            let message = format!("the extents of fused axis {} of `{}` are not known", self.fused_name(&labels), place.operand);
            let help = "give them by `where`: at most one label of a fused axis may be unknown";
            self.errors.push(Error::new(ErrorKind::Shape(message)).with_help(help));
        }
    }

    /// Whether a fused axis is done with, rightly or wrongly.
    fn settle(&mut self, labels: &[usize], place: &Place) -> bool {
        let known: Option<usize> = labels.iter().filter_map(|&l| self.known(l)).try_fold(1usize, usize::checked_mul);
        let unknown: Vec<usize> = labels.iter().copied().filter(|&l| self.known(l).is_none()).collect();
        let whole = place.extent;
        let fits = match (known, &unknown[..]) {
            (Some(product), []) => product == whole,
            (Some(product), [_]) => product != 0 && whole.is_multiple_of(product),
            (None, _) => false,
            _ => return known == Some(0),
        };
        if !fits {
            let extents: Vec<String> = labels.iter().map(|&l| self.known(l).map_or("?".to_string(), |e| e.to_string())).collect();
            let name = self.fused_name(labels);
            let message = tensorwrapper_notation::sentence::fused(&name, &extents.join("·"), &place.operand, place.axis, whole);
            self.errors.push(Error::new(ErrorKind::Shape(message)));
        }
        if let (Some(product), [label]) = (known, &unknown[..]) {
            let extent = whole.checked_div(product).unwrap_or(0);
            self.meet(*label, Place { extent, ..place.clone() });
        }
        true
    }

    fn known(&self, label: usize) -> Option<usize> {
        self.labels[label].first.as_ref().map(|place| place.extent)
    }

    fn fused_name(&self, labels: &[usize]) -> String {
        let names: Vec<&str> = labels.iter().map(|&l| &*self.labels[l].name).collect();
        format!("`({})`", names.join(", "))
    }

    /// A literal.
    pub fn literal<'a>(&mut self, value: f64) -> Node<'a> {
        Node(Tree::Constant(Complex::new(value, 0.0)))
    }

    /// A number that the program gives.
    pub fn scalar<'a>(&mut self, value: ScalarValue<'a>) -> Node<'a> {
        Node(value.0)
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
        self.known(label).unwrap_or(0)
    }

    fn extents(&self, labels: &[usize]) -> Vec<usize> {
        labels.iter().map(|&l| self.extent(l)).collect()
    }

    /// An equation's value with these labels as its axes, each once.
    fn plain<'a>(&self, node: Node<'a>, axes: Vec<usize>) -> Arc<Value<'a>> {
        let extents = (0..self.labels.len()).map(|l| self.extent(l)).collect();
        Arc::new(Value {
            extents: self.extents(&axes),
            dtype: self.dtype,
            source: Source::Equation { tree: node.0, extents, axes },
        })
    }

    /// An equation's value with these axes; a label written twice fills a diagonal of zeros, fused ones are one axis.
    fn value<'a>(&self, node: Node<'a>, axes: &[Index<'_>]) -> Arc<Value<'a>> {
        let labels: Vec<usize> = axes.iter().flat_map(Index::labels).copied().collect();
        let mut distinct: Vec<usize> = Vec::new();
        labels.iter().for_each(|label| {
            if !distinct.contains(label) {
                distinct.push(*label)
            }
        });
        let value = self.plain(node, distinct.clone());
        if axes.iter().any(|axis| matches!(axis, Index::Fused(_))) {
            let extents = axes.iter().map(|axis| self.extents(axis.labels()).into_iter().product()).collect();
            return Arc::new(Value { extents, dtype: self.dtype, source: Source::Reshaped(value) });
        }
        if distinct.len() == labels.len() {
            return value;
        }
        let place = |label| Axis::Label {
            label: distinct.iter().position(|d| d == label).expect("every label is among the distinct"),
            start: 0,
        };
        let source = Source::Written { base: None, axes: labels.iter().map(place).collect(), part: value };
        Arc::new(Value { extents: self.extents(&labels), dtype: self.dtype, source })
    }

    /// Ends the equation: its value with these axes, typed.
    ///
    /// # Errors
    /// Every fault that was met.
    pub fn finish<'a, T: Element, S: Extents>(self, node: Node<'a>, axes: &[Index<'_>]) -> Result<Expr<'a, T, S>, Error> {
        self.finish_value(node, axes).map(Expr::new)
    }

    pub(crate) fn finish_value<'a>(mut self, node: Node<'a>, axes: &[Index<'_>]) -> Result<Arc<Value<'a>>, Error> {
        let axes = self.settled(axes)?;
        Ok(self.value(node, &axes))
    }

    /// The axes with `..` spelled out, when nothing is wrong with the equation.
    fn settled<'i>(&mut self, axes: &[Index<'i>]) -> Result<Vec<Index<'i>>, Error> {
        self.settle_fused();
        match self.errors.is_empty() {
            true => Ok(self.spell_out(axes, self.rest.len())),
            false => Err(Error::all(std::mem::take(&mut self.errors))),
        }
    }

    /// Ends an equation that writes a part of a tensor: the part, and the whole tensor after the write.
    ///
    /// # Errors
    /// Every fault that was met.
    pub fn finish_write<'a, T: Element, S: Extents>(
        mut self,
        node: Node<'a>,
        axes: &[Index<'_>],
        place: Node<'a>,
    ) -> Result<Written<'a, T, S>, Error> {
        let Tree::Operand(base, selection) = place.0 else {
            unreachable!("the place that is written is an operand");
        };
        let axes: Vec<usize> = self.settled(axes)?.iter().flat_map(Index::labels).copied().collect();
        let part = self.plain(node, axes.clone());
        if let Some(part) = self.fused_whole(&base, &part, &selection, &axes)? {
            let selection = (0..base.extents.len()).map(|label| Axis::Label { label, start: 0 }).collect();
            return Ok(Written { after: Expr::new(Arc::clone(&part)), part, selection });
        }
        // The selection speaks of the equation's labels, the written value of the part's axes.
        let position =
            |label: usize| axes.iter().position(|&a| a == label).expect("every label of the place is an axis of the part");
        let selection: Vec<Axis> = selection
            .into_iter()
            .map(|axis| match axis {
                Axis::Label { label, start } => Axis::Label { label: position(label), start },
                other => other,
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

    /// The new value of a tensor that is written through fused axes: all of it, in the order of its axes.
    fn fused_whole<'a>(
        &self,
        base: &Value<'a>,
        part: &Arc<Value<'a>>,
        selection: &[Axis],
        axes: &[usize],
    ) -> Result<Option<Arc<Value<'a>>>, Error> {
        if !selection.iter().any(|axis| matches!(axis, Axis::Fused(_))) {
            return Ok(None);
        }
        let labels = selection.iter().flat_map(|axis| match axis {
            Axis::Fused(labels) => labels.clone(),
            Axis::Label { label, .. } => vec![*label],
            Axis::Chip(_) => Vec::new(),
        });
        let covers = part.extents.iter().product::<usize>() == base.extents.iter().product::<usize>();
        if !labels.eq(axes.iter().copied()) || !covers {
            let message = "a part of a tensor with a fused axis cannot be written in this version of tensorwrapper";
            return Err(Error::new(ErrorKind::Unsupported(message.to_string()))
                .with_help("compute the part with its axes apart, and write that"));
        }
        let source = Source::Reshaped(Arc::clone(part));
        Ok(Some(Arc::new(Value { extents: base.extents.clone(), dtype: base.dtype, source })))
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
            let message = tensorwrapper_notation::sentence::square(&self.labels[row].name, &r, &self.labels[column].name, &c);
            self.errors.push(Error::new(ErrorKind::Shape(message)));
        }
        self.settled(&[])?;
        self.labels[new].first = self.labels[row].first.clone();
        let arguments = arguments.into_iter().map(|node| self.plain(node, argument_axes.to_vec())).collect();
        let (kind, dtypes) = match kind {
            Decomposition::Cholesky => (Factorisation::Cholesky, vec![self.dtype]),
            Decomposition::Eigh => (Factorisation::Eigh, vec![self.dtype.real(), self.dtype]),
        };
        let call = Arc::new(Factorised { kind, arguments });
        let result = |(n, (&(computed, wanted), dtype)): (usize, (&(&[usize], &[usize]), Dtype))| {
            let extents = self.extents(computed);
            let factor = Arc::new(Value { extents, dtype, source: Source::Factorised(Arc::clone(&call), n) });
            if computed == wanted {
                return Factor(factor);
            }
            let axes = computed.iter().map(|&label| Axis::Label { label, start: 0 }).collect();
            let extents = (0..self.labels.len()).map(|l| self.extent(l)).collect();
            let source = Source::Equation { tree: Tree::Operand(factor, axes), extents, axes: wanted.to_vec() };
            Factor(Arc::new(Value { extents: self.extents(wanted), dtype, source }))
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
