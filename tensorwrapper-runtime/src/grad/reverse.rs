//! Reverse mode: the derivatives of one value by several variables.
//!
//! Each node gets a weight, the derivative of the value by it. In index notation this is one rule: a term `coefficient * δA[axes]` of an
//! equation's change gives the weight of A the part `weight * conj(coefficient)`, summed over the labels that A lacks. The parts of
//! the weight of one node are one sum, so that the passes factor it together with everything else.

use std::collections::HashMap;
use std::sync::Arc;

use super::build::{Labels, constant, distinct, labels, relabelled, reshaped, sum, times, total, whole, written};
use super::fixed;
use super::forward::slope;
use super::linear::occurrences;
use super::normal::Normal;
use super::order::{Key, Node, Recording, Variable, key_of};
use super::rules::{self, Parts};
use super::spectral::{self, Spectral, hermitian_part};
use crate::expr::{Axis, Factorised, Solved, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// A part of a weight: `[axes] = sum(bound; tree)`.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    labels: Labels,
    axes: Vec<usize>,
    bound: Vec<usize>,
    tree: Tree<'a>,
}

impl<'a> Part<'a> {
    fn whole(value: &Link<Value<'a>>) -> Part<'a> {
        let labels = Labels::numbered(&value.extents);
        Part { labels, axes: (0..value.extents.len()).collect(), bound: Vec::new(), tree: whole(value) }
    }

    pub(super) fn value(self, dtype: Dtype) -> Link<Value<'a>> {
        // A weight that is another value as it is.
        if let Tree::Operand(value, axes) = &self.tree
            && self.bound.is_empty()
            && value.dtype == dtype
            && *axes == labels(self.axes.iter().copied())
            && value.extents.iter().zip(&self.axes).all(|(extent, &axis)| *extent == self.labels.extents[axis])
        {
            return Link::clone(value);
        }
        self.labels.value(sum(self.bound, self.tree), self.axes, dtype)
    }
}

/// The derivatives of a value, weighted by another value of the same extents, by each variable. A variable on which the value does not
/// depend has none.
///
/// # Errors
/// What has no derivative.
pub(super) fn reverse<'a>(
    value: &Link<Value<'a>>,
    weight: &Link<Value<'a>>,
    variables: &[Variable<'a>],
) -> Result<Parts<'a>, Error> {
    reverse_all(std::slice::from_ref(value), std::slice::from_ref(weight), variables)
}

/// The same for the sum of several values, each with its weight.
///
/// # Errors
/// What has no derivative.
pub(super) fn reverse_all<'a>(
    values: &[Link<Value<'a>>],
    weights: &[Link<Value<'a>>],
    variables: &[Variable<'a>],
) -> Result<Parts<'a>, Error> {
    let recording = Recording::new(values, variables)?;
    let mut walk = Walk { recording: &recording, parts: HashMap::new(), results: HashMap::new(), arguments: HashMap::new() };
    let mut found: Vec<Vec<Part<'a>>> = variables.iter().map(|_| Vec::new()).collect();
    values.iter().zip(weights).for_each(|(value, weight)| walk.add(value, Part::whole(weight)));
    for node in recording.nodes.iter().rev() {
        if !recording.varies(node.key()) {
            continue;
        }
        match node {
            Node::Call(call) => walk.call(call)?,
            Node::Solved(solved) => walk.solved(solved)?,
            Node::Value(value) => {
                let Some(parts) = walk.parts.remove(&node.key()) else { continue };
                let weight = joined(parts, value.dtype);
                recording.variables(node.key()).iter().for_each(|&n| found[n].push(Part::whole(&weight)));
                walk.value(value, &weight)?;
            }
        }
    }
    let dtype = |n: usize| match &variables[n] {
        Variable::Recorded(value) => value.dtype,
        Variable::Elements(tensor) => tensor.dtype(),
    };
    let joined = |(n, parts): (usize, Vec<Part<'a>>)| (!parts.is_empty()).then(|| joined(parts, dtype(n)));
    Ok(found.into_iter().enumerate().map(joined).collect())
}

/// The sum of parts, one equation.
fn joined<'a>(mut parts: Vec<Part<'a>>, dtype: Dtype) -> Link<Value<'a>> {
    if parts.len() == 1 {
        return parts.remove(0).value(dtype);
    }
    let first = &parts[0];
    let mut all = Labels::default();
    let axes: Vec<usize> =
        first.axes.iter().map(|&axis| all.add(first.labels.extents[axis], &first.labels.names[axis])).collect();
    let mut terms = Vec::with_capacity(parts.len());
    for part in parts {
        let mut new = vec![usize::MAX; part.labels.extents.len()];
        part.axes.iter().zip(&axes).for_each(|(&own, &axis)| new[own] = axis);
        for (label, new) in new.iter_mut().enumerate().filter(|(_, new)| **new == usize::MAX) {
            *new = all.add(part.labels.extents[label], &part.labels.names[label]);
        }
        terms.push(relabelled(&sum(part.bound, part.tree), &|label| new[label]));
    }
    all.value(total(terms).expect("there are parts"), axes, dtype)
}

struct Walk<'r, 'a> {
    recording: &'r Recording<'a>,
    parts: HashMap<Key, Vec<Part<'a>>>,
    /// The weights of the results of operations of linear algebra and of solutions.
    results: HashMap<Key, Parts<'a>>,
    /// The weights of the matrices of operations of linear algebra that come from functions of these matrices.
    arguments: HashMap<Key, Vec<Vec<Part<'a>>>>,
}

impl<'a> Walk<'_, 'a> {
    fn add(&mut self, value: &Link<Value<'a>>, part: Part<'a>) {
        if self.recording.varies(key_of(value)) {
            self.parts.entry(key_of(value)).or_default().push(part);
        }
    }

    /// Adds a weight to that of one of the results of a node.
    fn add_result(&mut self, node: Key, (n, count): (usize, usize), weight: &Link<Value<'a>>) {
        let results = self.results.entry(node).or_insert_with(|| vec![None; count]);
        results[n] = Some(match results[n].take() {
            Some(before) => joined(vec![Part::whole(&before), Part::whole(weight)], weight.dtype),
            None => Link::clone(weight),
        });
    }

    /// Hands the weight of a value on to what it is made of.
    fn value(&mut self, value: &Link<Value<'a>>, weight: &Link<Value<'a>>) -> Result<(), Error> {
        match &value.source {
            Source::Tensor(_) | Source::Computed(..) | Source::Held(_) => Ok(()),
            Source::Equation { .. } => self.equation(value, weight),
            Source::Graph(..) => unreachable!("graphs that vary were refused"),
            Source::Factorised(call, n) => {
                rules::check_result(call, *n)?;
                self.add_result(Node::Call(Arc::clone(call)).key(), (*n, call.call.form().results.len()), weight);
                Ok(())
            }
            Source::Solved(solved, n) => {
                self.add_result(Node::Solved(Arc::clone(solved)).key(), (*n, solved.solution.len()), weight);
                Ok(())
            }
            Source::Reshaped(inner) => {
                self.add(inner, Part::whole(&reshaped(weight, &inner.extents)));
                Ok(())
            }
            Source::Written { base, axes, part } => {
                if let Some(base) = base {
                    let zeros = constant(0.0, &part.extents, value.dtype);
                    self.add(base, Part::whole(&written(Some(weight), &value.extents, axes.clone(), &zeros)));
                }
                let read = Tree::Operand(Link::clone(weight), axes.clone());
                let labels = Labels::numbered(&part.extents);
                self.add(part, Part { labels, axes: (0..part.extents.len()).collect(), bound: Vec::new(), tree: read });
                Ok(())
            }
        }
    }

    fn equation(&mut self, value: &Link<Value<'a>>, whole_weight: &Link<Value<'a>>) -> Result<(), Error> {
        let recording = self.recording;
        let form = recording.normal(key_of(value));
        for term in &form.terms {
            let weight = match &whole_weight.source {
                // That of a number by itself: a product with it need not be computed.
                Source::Equation { tree: Tree::Constant(number), axes, .. } if axes.is_empty() => Tree::Constant(*number),
                _ => Tree::Operand(Link::clone(whole_weight), labels(form.axes.iter().copied())),
            };
            let weight = match &term.weight {
                Some(factor) => times(weight, factor.clone()),
                None => weight,
            };
            let scope: Vec<usize> = form.axes.iter().chain(&term.bound).copied().collect();
            let varies = |operand: &Link<Value<'a>>| recording.varies(key_of(operand));
            for spectral in &term.spectral {
                self.spectral(form, (spectral, &term.bound), &weight, value.dtype)?;
            }
            let found = term.occurrences(value.dtype, &varies)?;
            for occurrence in found {
                let tree = occurrence.reverse(weight.clone(), value.dtype);
                let part = part_of(&form.labels, &scope, occurrence.value, occurrence.axes, tree)?;
                self.add(occurrence.value, part);
            }
        }
        Ok(())
    }

    /// Hands the weight of a term on to the matrices of its functions.
    fn spectral(
        &mut self,
        form: &Normal<'a>,
        (spectral, bound): (&Spectral<'a>, &[usize]),
        weight: &Tree<'a>,
        dtype: Dtype,
    ) -> Result<(), Error> {
        // What stands for the changes of the arguments until the weights are moved to them.
        let stands_for = |argument: &Link<Value<'a>>| {
            let varies = self.recording.varies(key_of(argument));
            varies.then(|| constant(0.0, &argument.extents, argument.dtype))
        };
        let arguments = &spectral.call.arguments;
        let changes: Parts<'a> = arguments.iter().map(stands_for).collect();
        if changes.iter().all(Option::is_none) {
            return Ok(());
        }
        let mut names = form.labels.clone();
        let found = spectral::changes(spectral, &mut names, bound, &changes, &slope)?;
        for (bound, tree) in found {
            let scope: Vec<usize> = form.axes.iter().copied().chain(bound).collect();
            let number = |operand: &Link<Value<'a>>| {
                let is_it = |change: &Option<Link<Value<'a>>>| {
                    change.as_ref().is_some_and(|change| Link::address(change) == Link::address(operand))
                };
                changes.iter().position(is_it)
            };
            let mut parts = Vec::new();
            occurrences(&tree, dtype, &|operand| number(operand).is_some(), &mut |occurrence| {
                let n = number(occurrence.value).expect("it varies");
                let tree = occurrence.reverse(weight.clone(), dtype);
                parts.push((n, part_of(&names, &scope, &arguments[n], occurrence.axes, tree)));
            })?;
            let key = Node::Call(Arc::clone(&spectral.call)).key();
            let weights = self.arguments.entry(key).or_insert_with(|| vec![Vec::new(); arguments.len()]);
            for (n, part) in parts {
                weights[n].push(part?);
            }
        }
        Ok(())
    }

    fn call(&mut self, call: &Arc<Factorised<'a>>) -> Result<(), Error> {
        let key = Node::Call(Arc::clone(call)).key();
        for (argument, parts) in call.arguments.iter().zip(self.arguments.remove(&key).into_iter().flatten()) {
            if !parts.is_empty() {
                self.add(argument, Part::whole(&hermitian_part(call, &joined(parts, argument.dtype))));
            }
        }
        let Some(weights) = self.results.remove(&key) else { return Ok(()) };
        let found = rules::reverse(call, &weights, &self.varying(&call.arguments))?;
        self.add_found(&call.arguments, found);
        Ok(())
    }

    fn solved(&mut self, solved: &Arc<Solved<'a>>) -> Result<(), Error> {
        let Some(weights) = self.results.remove(&Node::Solved(Arc::clone(solved)).key()) else { return Ok(()) };
        let found = fixed::weights(solved, &weights, &self.varying(&solved.arguments), reverse_all)?;
        self.add_found(&solved.arguments, found);
        Ok(())
    }

    fn varying(&self, arguments: &[Link<Value<'a>>]) -> Vec<bool> {
        arguments.iter().map(|argument| self.recording.varies(key_of(argument))).collect()
    }

    fn add_found(&mut self, arguments: &[Link<Value<'a>>], weights: Parts<'a>) {
        for (argument, weight) in arguments.iter().zip(weights) {
            if let Some(weight) = weight {
                self.add(argument, Part::whole(&weight));
            }
        }
    }
}

/// The part of an operand's weight that is `sum(labels of the scope that the operand lacks; tree)`, where the operand is read with these
/// axes.
///
/// # Errors
/// A fused axis beside one of its own labels.
pub(super) fn part_of<'a>(
    names: &Labels,
    scope: &[usize],
    operand: &Link<Value<'a>>,
    axes: &[Axis],
    tree: Tree<'a>,
) -> Result<Part<'a>, Error> {
    let own = distinct(axes);
    let bound: Vec<usize> = scope.iter().copied().filter(|label| !own.contains(label)).collect();
    let is_plain = names.read_whole(axes, &own, &operand.extents);
    let part = Part { labels: names.clone(), axes: own.clone(), bound, tree };
    if is_plain {
        return Ok(part);
    }
    let is_fused = axes.iter().any(|axis| matches!(axis, Axis::Fused(_)));
    if is_fused && axes.iter().flat_map(Axis::labels).count() > own.len() {
        let message = "the derivative by a tensor with a fused axis beside one of its own labels".to_string();
        let error = Error::new(ErrorKind::Unsupported(message));
        return Err(error.with_help("split the axis in an equation before, as in `[i, j, k] = A[(i, j), k]`"));
    }
    let value = part.value(operand.dtype);
    // The labels of fused axes become one axis, then the part is written where the operand was read.
    let (mut joined, mut places) = (Vec::new(), Vec::new());
    for axis in axes {
        match axis {
            Axis::Chip(position) => places.push(Axis::Chip(*position)),
            Axis::Label { label, start } if !is_fused => {
                let label = own.iter().position(|known| known == label).expect("it was noted");
                places.push(Axis::Label { label, start: *start });
            }
            Axis::Label { label, start } => {
                places.push(Axis::Label { label: joined.len(), start: *start });
                joined.push(names.extents[*label]);
            }
            Axis::Fused(labels) => {
                places.push(Axis::Label { label: joined.len(), start: 0 });
                joined.push(labels.iter().map(|&label| names.extents[label]).product());
            }
        }
    }
    let value = if is_fused { reshaped(&value, &joined) } else { value };
    let is_whole = value.extents == operand.extents && places == labels(0..operand.extents.len());
    Ok(Part::whole(&if is_whole { value } else { written(None, &operand.extents, places, &value) }))
}
