//! How a function depends on the values of a matrix, where each of its elements depends on the value of one state.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::build::{labels as plain, map};
use super::form::result;
use crate::expr::{Axis, Factorised, Reach, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::backend::linear::Factorisation;

/// The values of a matrix under a name of their own.
pub(super) struct Path<'p, 'a> {
    is_variable: &'p dyn Fn(&Link<Value<'a>>) -> bool,
    call: Arc<Factorised<'a>>,
    values: usize,
    /// A copy of the values. A function that reads it depends on the value of each element's own state, and on nothing else of them.
    pub(super) by: Link<Value<'a>>,
    known: HashMap<(usize, Vec<Place>), Option<Link<Value<'a>>>>,
    /// Which values read along an axis depend on the matrix through the copy alone.
    alone: HashMap<(usize, usize), bool>,
}

/// An axis of the batch or of the states: its label or position, and the first index that is read.
type Place = (usize, usize);

impl<'p, 'a> Path<'p, 'a> {
    pub(super) fn new(call: &Arc<Factorised<'a>>, values: usize, is_variable: &'p dyn Fn(&Link<Value<'a>>) -> bool) -> Self {
        let by = map(&result(call, values), |tree| tree);
        Path { is_variable, call: Arc::clone(call), values, by, known: HashMap::new(), alone: HashMap::new() }
    }

    /// The tree with the copy in place of the values where these are read by exactly these labels, the batch and the states, directly or
    /// through element-wise equations; nothing if they are not.
    pub(super) fn tree(&mut self, tree: &Tree<'a>, places: &[Place]) -> Option<Tree<'a>> {
        match tree {
            Tree::Operand(value, axes) => Some(Tree::Operand(self.operand(value, axes, places)?, axes.clone())),
            Tree::Constant(_) => None,
            Tree::Reduce(_, over, _) if places.iter().any(|(label, _)| over.contains(label)) => None,
            other => {
                let mut is_found = false;
                let made = other.with_parts(|part| {
                    let made = self.tree(part, places);
                    is_found |= made.is_some();
                    made.unwrap_or_else(|| part.clone())
                });
                is_found.then_some(made)
            }
        }
    }

    /// Whether what a tree over the copy reads with the label of the states depends on the matrix through the copy alone.
    pub(super) fn is_alone(&mut self, tree: &Tree<'a>, states: usize) -> bool {
        let mut read = Vec::new();
        tree.operands(&mut |value, axes| {
            if let Some(position) = axes.iter().position(|axis| axis.labels().contains(&states)) {
                read.push((value, position));
            }
        });
        read.into_iter().all(|(value, position)| self.is_function(value, position))
    }

    /// The same of a value, whose axis at a position is that of the states.
    fn is_function(&mut self, value: &Link<Value<'a>>, position: usize) -> bool {
        if Link::address(value) == Link::address(&self.by) {
            return true;
        }
        let key = (Link::address(value).addr(), position);
        if let Some(found) = self.alone.get(&key) {
            return *found;
        }
        let found = match &value.source {
            Source::Equation { tree, axes, .. } => self.is_alone(tree, axes[position]),
            Source::Written { base, axes, part } => {
                let inner = match &axes[position] {
                    Axis::Label { label, .. } => Some(*label),
                    Axis::Chip(_) | Axis::Fused(_) => None,
                };
                base.as_ref().is_none_or(|base| self.is_function(base, position))
                    && inner.is_none_or(|inner| self.is_function(part, inner))
            }
            Source::Factorised(call, 0) if call.call.kind == Factorisation::Uniform => {
                self.is_function(&call.arguments[0], position)
            }
            _ => {
                let reach = Reach::new(std::slice::from_ref(value));
                !reach
                    .values
                    .iter()
                    .any(|part| matches!(&part.source, Source::Factorised(call, _) if Arc::ptr_eq(call, &self.call)))
            }
        };
        self.alone.insert(key, found);
        found
    }

    fn operand(&mut self, value: &Link<Value<'a>>, axes: &[Axis], places: &[Place]) -> Option<Link<Value<'a>>> {
        if (self.is_variable)(value) {
            return None;
        }
        match &value.source {
            Source::Factorised(call, n) if Arc::ptr_eq(call, &self.call) && *n == self.values => {
                let wanted = places.iter().map(|&(label, start)| Axis::Label { label, start });
                wanted.eq(axes.iter().cloned()).then(|| Link::clone(&self.by))
            }
            Source::Equation { .. } | Source::Written { .. } | Source::Factorised(..) => {
                let at = |&(wanted, start): &Place| {
                    let mut found = axes.iter().enumerate().filter(|(_, axis)| axis.labels().contains(&wanted));
                    let (position, Axis::Label { start: own, .. }) = found.next()? else { return None };
                    (found.next().is_none() && start >= *own).then(|| (position, start - own))
                };
                self.value(value, &places.iter().map(at).collect::<Option<Vec<Place>>>()?)
            }
            Source::Tensor(_)
            | Source::Computed(..)
            | Source::Graph(..)
            | Source::Reshaped(_)
            | Source::Held(_)
            | Source::Solved(..) => None,
        }
    }

    /// The same value over the copy, where its axes at these positions are the batch and the states; nothing if it does not read the
    /// values.
    pub(super) fn value(&mut self, value: &Link<Value<'a>>, positions: &[Place]) -> Option<Link<Value<'a>>> {
        let key = (Link::address(value).addr(), positions.to_vec());
        if let Some(found) = self.known.get(&key) {
            return found.clone();
        }
        let source = match &value.source {
            Source::Equation { tree, extents, axes, names } => {
                let places: Vec<Place> = positions.iter().map(|&(position, start)| (axes[position], start)).collect();
                let same = |tree| Source::Equation { tree, extents: extents.clone(), axes: axes.clone(), names: names.clone() };
                self.tree(tree, &places).map(same)
            }
            Source::Written { base, axes, part } => {
                let new = base.as_ref().and_then(|base| self.value(base, positions));
                let at = |&(position, start): &Place| match &axes[position] {
                    Axis::Label { label, start: own } => Some((*label, start + own)),
                    Axis::Chip(_) | Axis::Fused(_) => None,
                };
                let inner = positions.iter().map(at).collect::<Option<Vec<Place>>>();
                let new_part = inner.and_then(|inner| self.value(part, &inner));
                (new.is_some() || new_part.is_some()).then(|| Source::Written {
                    base: new.or_else(|| base.clone()),
                    axes: axes.clone(),
                    part: new_part.unwrap_or_else(|| Link::clone(part)),
                })
            }
            // Numbers that are checked, and are as they were.
            Source::Factorised(call, 0) if call.call.kind == Factorisation::Uniform => {
                self.value(&call.arguments[0], positions).map(|numbers| {
                    let arguments = vec![numbers, Link::clone(&call.arguments[1])];
                    let (call, extents) = (call.call.clone(), call.extents.clone());
                    Source::Factorised(Arc::new(Factorised { call, extents, arguments }), 0)
                })
            }
            _ => None,
        };
        let found = source.map(|source| Link::new(Value { extents: value.extents.clone(), dtype: value.dtype, source }));
        self.known.insert(key, found.clone());
        found
    }
}

/// The labels of axes that are read by labels alone, with their starts.
pub(super) fn places(axes: &[Axis]) -> Option<Vec<Place>> {
    let place = |axis: &Axis| if let Axis::Label { label, start } = axis { Some((*label, *start)) } else { None };
    let found: Vec<Place> = axes.iter().map(place).collect::<Option<_>>()?;
    let distinct = plain(found.iter().map(|(label, _)| *label));
    distinct.iter().enumerate().all(|(n, axis)| !distinct[..n].contains(axis)).then_some(found)
}
