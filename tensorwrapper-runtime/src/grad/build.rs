//! Makes recorded values: the few forms of which derivatives consist. Knows nothing of derivatives.

use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_notation::syntax::{Operator, Reduction};

use crate::expr::{Axis, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::LabelNames;

/// The labels of an equation: their extents, and the names that the program calls them by.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    pub(super) extents: Vec<usize>,
    pub(super) names: Vec<String>,
}

impl Labels {
    /// The labels of a recorded equation.
    pub(super) fn of(extents: &[usize], names: &LabelNames) -> Labels {
        let name = |label| names.get(label).map_or_else(|| format!("l{label}"), str::to_string);
        Labels { extents: extents.to_vec(), names: (0..extents.len()).map(name).collect() }
    }

    /// A label for each extent, named by number.
    pub(super) fn numbered(extents: &[usize]) -> Labels {
        Labels { extents: extents.to_vec(), names: (0..extents.len()).map(|n| format!("i{n}")).collect() }
    }

    /// Adds a label under a name that no other one has.
    pub(super) fn add(&mut self, extent: usize, name: &str) -> usize {
        let mut own = name.to_string();
        while self.names.contains(&own) {
            own.push('_');
        }
        self.extents.push(extent);
        self.names.push(own);
        self.extents.len() - 1
    }

    /// Whether an operand of these extents is read whole, each axis by one of these labels.
    pub(super) fn read_whole(&self, axes: &[Axis], own: &[usize], extents: &[usize]) -> bool {
        axes == labels(own.iter().copied()) && own.iter().zip(extents).all(|(&label, &extent)| self.extents[label] == extent)
    }

    /// The value of an equation with these labels, of which `axes` are kept in this order.
    pub(super) fn value<'a>(&self, tree: Tree<'a>, axes: Vec<usize>, dtype: Dtype) -> Link<Value<'a>> {
        let names = LabelNames::new(self.names.iter().map(String::as_str));
        let extents = axes.iter().map(|&label| self.extents[label]).collect();
        Link::new(Value { extents, dtype, source: Source::Equation { tree, extents: self.extents.clone(), axes, names } })
    }
}

/// The labels of an operand, each once.
pub(super) fn distinct(axes: &[Axis]) -> Vec<usize> {
    let mut found = Vec::new();
    for label in axes.iter().flat_map(Axis::labels) {
        if !found.contains(label) {
            found.push(*label);
        }
    }
    found
}

/// A value under one label for each axis, in order.
pub(super) fn whole<'a>(value: &Link<Value<'a>>) -> Tree<'a> {
    Tree::Operand(Link::clone(value), labels(0..value.extents.len()))
}

/// Axes that run with these labels.
pub(super) fn labels(labels: impl IntoIterator<Item = usize>) -> Vec<Axis> {
    labels.into_iter().map(|label| Axis::Label { label, start: 0 }).collect()
}

/// An element-wise function of values with the same extents.
pub(super) fn map<'a>(of: &Link<Value<'a>>, tree: impl FnOnce(Tree<'a>) -> Tree<'a>) -> Link<Value<'a>> {
    Labels::numbered(&of.extents).value(tree(whole(of)), (0..of.extents.len()).collect(), of.dtype)
}

/// The number everywhere.
pub(super) fn constant<'a>(number: f64, extents: &[usize], dtype: Dtype) -> Link<Value<'a>> {
    Value::filled(Complex::new(number, 0.0), extents.to_vec(), dtype)
}

/// The same elements in the same order with other extents.
pub(super) fn reshaped<'a>(value: &Link<Value<'a>>, extents: &[usize]) -> Link<Value<'a>> {
    if value.extents == extents {
        return Link::clone(value);
    }
    Link::new(Value { extents: extents.to_vec(), dtype: value.dtype, source: Source::Reshaped(Link::clone(value)) })
}

/// The same value so many times, along an axis in front.
pub(super) fn repeated<'a>(value: &Link<Value<'a>>, count: usize) -> Link<Value<'a>> {
    let mut names = Labels::numbered(&value.extents);
    let label = names.add(count, "batch");
    let axes = [label].into_iter().chain(0..value.extents.len()).collect();
    names.value(whole(value), axes, value.dtype)
}

/// The same value with one more axis, of extent 1.
pub(super) fn as_column<'a>(value: &Link<Value<'a>>) -> Link<Value<'a>> {
    let mut names = Labels::numbered(&value.extents);
    let one = names.add(1, "one");
    names.value(whole(value), (0..value.extents.len()).chain([one]).collect(), value.dtype)
}

/// The same value, which derivatives take as a constant.
pub(super) fn held<'a>(value: &Link<Value<'a>>) -> Link<Value<'a>> {
    Link::new(Value { extents: value.extents.clone(), dtype: value.dtype, source: Source::Held(Link::clone(value)) })
}

/// Whether two links are one value. Derivatives read solutions and results of linear algebra through links of their own.
pub(super) fn is_same_value(one: &Link<Value<'_>>, other: &Link<Value<'_>>) -> bool {
    Link::address(one) == Link::address(other)
        || match (&one.source, &other.source) {
            (Source::Solved(one, n), Source::Solved(other, m)) => n == m && Arc::ptr_eq(one, other),
            (Source::Factorised(one, n), Source::Factorised(other, m)) => n == m && Arc::ptr_eq(one, other),
            _ => false,
        }
}

/// A part written into a copy of the base, or into zeros.
pub(super) fn written<'a>(
    base: Option<&Link<Value<'a>>>,
    extents: &[usize],
    axes: Vec<Axis>,
    part: &Link<Value<'a>>,
) -> Link<Value<'a>> {
    let source = Source::Written { base: base.cloned(), axes, part: Link::clone(part) };
    Link::new(Value { extents: extents.to_vec(), dtype: part.dtype, source })
}

/// The elements in another type; complex ones become real by their real parts.
pub(super) fn converted<'a>(value: &Link<Value<'a>>, dtype: Dtype) -> Link<Value<'a>> {
    if value.dtype == dtype {
        return Link::clone(value);
    }
    let tree = cast(whole(value), value.dtype, dtype);
    Labels::numbered(&value.extents).value(tree, (0..value.extents.len()).collect(), dtype)
}

/// What is computed in elements of one type, converted to another; complex ones become real by their real parts.
pub(super) fn cast<'a>(tree: Tree<'a>, from: Dtype, to: Dtype) -> Tree<'a> {
    // Numbers are of any type.
    if let Tree::Constant(value) = tree {
        return if to.is_complex() { Tree::Constant(value) } else { number(value.re) };
    }
    let tree = match from.is_complex() && !to.is_complex() {
        true => apply(Unary::Re, tree),
        false => tree,
    };
    Tree::Cast(from, Box::new(tree))
}

/// A sum over labels, if there are any.
pub(super) fn sum<'a>(labels: Vec<usize>, tree: Tree<'a>) -> Tree<'a> {
    if labels.is_empty() { tree } else { Tree::Reduce(Reduction::Sum, labels, Box::new(tree)) }
}

/// A function of each element.
pub(super) fn apply(function: Unary, tree: Tree<'_>) -> Tree<'_> {
    match (function, tree) {
        (Unary::Re, Tree::Constant(value)) => number(value.re),
        (function, tree) => Tree::Apply(function, Box::new(tree)),
    }
}

/// A real number.
pub(super) fn number<'a>(value: f64) -> Tree<'a> {
    Tree::Constant(Complex::new(value, 0.0))
}

fn is_one(tree: &Tree<'_>) -> bool {
    matches!(tree, Tree::Constant(value) if *value == Complex::new(1.0, 0.0))
}

/// A product. A factor 1 is left out.
pub(super) fn times<'a>(left: Tree<'a>, right: Tree<'a>) -> Tree<'a> {
    match (is_one(&left), is_one(&right)) {
        (true, _) => right,
        (_, true) => left,
        _ => binary(Operator::Multiply, left, right),
    }
}

/// A quotient, a sum or a difference.
pub(super) fn binary<'a>(operator: Operator, left: Tree<'a>, right: Tree<'a>) -> Tree<'a> {
    Tree::Binary(operator, Box::new(left), Box::new(right))
}

/// The sum of trees, if there are any.
pub(super) fn total<'a>(terms: impl IntoIterator<Item = Tree<'a>>) -> Option<Tree<'a>> {
    terms.into_iter().reduce(|before, term| binary(Operator::Add, before, term))
}

/// The sum of values of the same extents, if there are any.
pub(crate) fn added<'a>(values: impl IntoIterator<Item = Link<Value<'a>>>) -> Option<Link<Value<'a>>> {
    values.into_iter().reduce(|a, b| map(&a, |tree| binary(Operator::Add, tree, whole(&b))))
}

/// `-X`, and X for `-X`.
pub(super) fn negated(tree: Tree<'_>) -> Tree<'_> {
    match tree {
        Tree::Negate(inner) => *inner,
        Tree::Constant(value) => Tree::Constant(-value),
        other => Tree::Negate(Box::new(other)),
    }
}

/// The complex conjugate, which is taken of the operands as far as possible: an operand is read conjugated at no cost.
pub(super) fn conjugated(tree: Tree<'_>) -> Tree<'_> {
    match tree {
        Tree::Constant(value) => Tree::Constant(value.conj()),
        Tree::Negate(inner) => negated(conjugated(*inner)),
        Tree::Binary(operator, left, right) => binary(operator, conjugated(*left), conjugated(*right)),
        Tree::Reduce(Reduction::Sum, over, inner) => Tree::Reduce(Reduction::Sum, over, Box::new(conjugated(*inner))),
        Tree::Apply(Unary::Conj, inner) => *inner,
        other => apply(Unary::Conj, other),
    }
}

/// The conjugate of complex values: a derivative in reverse conjugates, and a tensor of derivatives does not.
pub(super) fn turned<'a>(value: &Link<Value<'a>>) -> Link<Value<'a>> {
    if value.dtype.is_complex() { map(value, conjugated) } else { Link::clone(value) }
}

/// The same tree under other labels.
pub(super) fn relabelled<'a>(tree: &Tree<'a>, new: &dyn Fn(usize) -> usize) -> Tree<'a> {
    match tree {
        Tree::Operand(value, axes) => {
            Tree::Operand(Link::clone(value), axes.iter().map(|axis| relabelled_axis(axis, new)).collect())
        }
        Tree::Reduce(reduction, over, of) => {
            Tree::Reduce(*reduction, over.iter().map(|&label| new(label)).collect(), Box::new(relabelled(of, new)))
        }
        other => other.with_parts(|part| relabelled(part, new)),
    }
}

fn relabelled_axis(axis: &Axis, new: &dyn Fn(usize) -> usize) -> Axis {
    match axis {
        Axis::Label { label, start } => Axis::Label { label: new(*label), start: *start },
        Axis::Chip(position) => Axis::Chip(*position),
        Axis::Fused(labels) => Axis::Fused(labels.iter().map(|&label| new(label)).collect()),
    }
}
