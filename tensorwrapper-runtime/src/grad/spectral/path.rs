//! How a function depends on the values of a matrix, where each of its elements depends on the value of one state.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::build::{labels as plain, map};
use super::result;
use crate::expr::{Axis, Factorised, Source, Tree, Value};
use crate::link::Link;

/// The values of a matrix under a name of their own.
pub(super) struct Path<'p, 'a> {
    is_variable: &'p dyn Fn(&Link<Value<'a>>) -> bool,
    call: Arc<Factorised<'a>>,
    values: usize,
    /// A copy of the values. A function that reads it depends on the value of each element's own state, and on nothing else of them.
    pub(super) by: Link<Value<'a>>,
    known: HashMap<(usize, Vec<Place>), Option<Link<Value<'a>>>>,
}

/// An axis of the batch or of the states: its label or position, and the first index that is read.
type Place = (usize, usize);

impl<'p, 'a> Path<'p, 'a> {
    pub(super) fn new(call: &Arc<Factorised<'a>>, values: usize, is_variable: &'p dyn Fn(&Link<Value<'a>>) -> bool) -> Self {
        let by = map(&result(call, values), |tree| tree);
        Path { is_variable, call: Arc::clone(call), values, by, known: HashMap::new() }
    }

    /// The tree with the copy in place of the values where these are read by exactly these labels, the batch and the states, directly or
    /// through element-wise equations; nothing if they are not.
    pub(super) fn tree(&mut self, tree: &Tree<'a>, places: &[Place]) -> Option<Tree<'a>> {
        match tree {
            Tree::Operand(value, axes) => Some(Tree::Operand(self.operand(value, axes, places)?, axes.clone())),
            Tree::Constant(_) => None,
            Tree::Reduce(_, over, _) if places.iter().any(|(label, _)| over.contains(label)) => None,
            Tree::Reduce(reduction, over, inner) => {
                Some(Tree::Reduce(*reduction, over.clone(), Box::new(self.tree(inner, places)?)))
            }
            Tree::Negate(inner) => Some(Tree::Negate(Box::new(self.tree(inner, places)?))),
            Tree::Binary(operator, left, right) => {
                let found = [self.tree(left, places), self.tree(right, places)];
                if found.iter().all(Option::is_none) {
                    return None;
                }
                let [new_left, new_right] = found;
                let or = |new: Option<Tree<'a>>, old: &Tree<'a>| Box::new(new.unwrap_or_else(|| old.clone()));
                Some(Tree::Binary(*operator, or(new_left, left), or(new_right, right)))
            }
            Tree::Apply(function, inner) => Some(Tree::Apply(*function, Box::new(self.tree(inner, places)?))),
            Tree::Map(function, arguments) => {
                let found: Vec<Option<Tree<'a>>> = arguments.iter().map(|argument| self.tree(argument, places)).collect();
                if found.iter().all(Option::is_none) {
                    return None;
                }
                let both = found.into_iter().zip(arguments);
                Some(Tree::Map(*function, both.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()))
            }
            Tree::Cast(dtype, inner) => Some(Tree::Cast(*dtype, Box::new(self.tree(inner, places)?))),
            Tree::PowerInteger(inner, exponent) => Some(Tree::PowerInteger(Box::new(self.tree(inner, places)?), *exponent)),
            Tree::PowerReal(inner, exponent) => Some(Tree::PowerReal(Box::new(self.tree(inner, places)?), *exponent)),
        }
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
            Source::Equation { .. } | Source::Written { .. } => {
                let at = |&(wanted, start): &Place| {
                    let mut found = axes.iter().enumerate().filter(|(_, axis)| axis.labels().contains(&wanted));
                    let (position, Axis::Label { start: own, .. }) = found.next()? else { return None };
                    (found.next().is_none() && start >= *own).then(|| (position, start - own))
                };
                self.value(value, &places.iter().map(at).collect::<Option<Vec<Place>>>()?)
            }
            Source::Tensor(_)
            | Source::Computed(_)
            | Source::Factorised(..)
            | Source::Graph(..)
            | Source::Reshaped(_)
            | Source::Held(_)
            | Source::Solved(..) => None,
        }
    }

    /// The same value over the copy, where its axes at these positions are the batch and the states; nothing if it does not read the values.
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
