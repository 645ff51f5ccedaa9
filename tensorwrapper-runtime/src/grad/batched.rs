//! A value for many values of a tensor at once: what depends on the tensor gets one more axis, in front.
//!
//! In index notation this is one more label in every equation, so that there is nothing to know of single operations.

use std::collections::HashMap;
use std::sync::Arc;

use super::build::{labels, repeated, reshaped, sum, total};
use super::fixed;
use super::forward::forward;
use super::normal::Term;
use super::order::{Key, Node, Recording, Variable, key_of};
use super::rules::Parts;
use crate::expr::{Axis, Factorised, Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// The values of `value` for all values of a recorded tensor: `all` has one more axis in front of the tensor's. A value that does not
/// depend on the tensor has none.
///
/// # Errors
/// Graphs that were recorded as values, and solutions of equations that are not linear.
pub(super) fn batched<'a>(
    value: &Link<Value<'a>>,
    tensor: &Link<Value<'a>>,
    all: &Link<Value<'a>>,
) -> Result<Option<Link<Value<'a>>>, Error> {
    let one = std::slice::from_ref;
    Ok(batched_all(one(value), one(tensor), one(all))?.remove(0))
}

/// The same for several values and several tensors, all for equally many values.
///
/// # Errors
/// As [`batched`].
fn batched_all<'a>(values: &[Link<Value<'a>>], tensors: &[Link<Value<'a>>], all: &[Link<Value<'a>>]) -> Result<Parts<'a>, Error> {
    let variables: Vec<Variable<'a>> = tensors.iter().map(|tensor| Variable::new(Link::clone(tensor))).collect();
    let recording = Recording::new(values, &variables)?;
    let count = all[0].extents[0];
    let mut walk = Walk { recording: &recording, count, made: HashMap::new(), calls: HashMap::new(), solved: HashMap::new() };
    for node in recording.nodes.iter().filter(|node| recording.varies(node.key())) {
        match node {
            Node::Call(call) => {
                let call = walk.call(call);
                walk.calls.insert(node.key(), call);
            }
            Node::Solved(solved) => {
                let found: Vec<_> = solved.arguments.iter().map(|argument| walk.made.get(&key_of(argument)).cloned()).collect();
                walk.solved.insert(node.key(), fixed::many(solved, (&found, count), batched_all, forward)?);
            }
            Node::Value(value) => {
                let made = match recording.variables(node.key()) {
                    [] => walk.value(value),
                    [variable, ..] => Link::clone(&all[*variable]),
                };
                walk.made.insert(node.key(), made);
            }
        }
    }
    Ok(values.iter().map(|value| walk.made.get(&key_of(value)).cloned()).collect())
}

struct Walk<'r, 'a> {
    recording: &'r Recording<'a>,
    count: usize,
    made: HashMap<Key, Link<Value<'a>>>,
    calls: HashMap<Key, Arc<Factorised<'a>>>,
    solved: HashMap<Key, Vec<Link<Value<'a>>>>,
}

impl<'a> Walk<'_, 'a> {
    /// The same value for each of the many, if it does not depend on the tensor.
    fn spread(&self, value: &Link<Value<'a>>) -> Link<Value<'a>> {
        match self.made.get(&key_of(value)) {
            Some(made) => Link::clone(made),
            None => repeated(value, self.count),
        }
    }

    fn with_batch(&self, extents: &[usize]) -> Vec<usize> {
        [&[self.count], extents].concat()
    }

    fn value(&self, value: &Link<Value<'a>>) -> Link<Value<'a>> {
        match &value.source {
            Source::Equation { .. } => self.equation(value),
            Source::Factorised(call, n) => {
                let call = Arc::clone(&self.calls[&Node::Call(Arc::clone(call)).key()]);
                let source = Source::Factorised(call, *n);
                Link::new(Value { extents: self.with_batch(&value.extents), dtype: value.dtype, source })
            }
            Source::Solved(solved, n) => Link::clone(&self.solved[&Node::Solved(Arc::clone(solved)).key()][*n]),
            Source::Reshaped(inner) => reshaped(&self.made[&key_of(inner)], &self.with_batch(&value.extents)),
            Source::Written { base, axes, part } => {
                let shifted = axes.iter().map(|axis| match axis {
                    Axis::Label { label, start } => Axis::Label { label: label + 1, start: *start },
                    other => other.clone(),
                });
                let axes = [Axis::Label { label: 0, start: 0 }].into_iter().chain(shifted).collect();
                let source = Source::Written { base: base.as_ref().map(|base| self.spread(base)), axes, part: self.spread(part) };
                Link::new(Value { extents: self.with_batch(&value.extents), dtype: value.dtype, source })
            }
            Source::Tensor(_) | Source::Computed(..) | Source::Held(_) | Source::Graph(..) => {
                unreachable!("these do not vary, or were refused")
            }
        }
    }

    /// The equation with one more label, which every operand that varies has in front.
    fn equation(&self, value: &Link<Value<'a>>) -> Link<Value<'a>> {
        let form = self.recording.normal(key_of(value));
        let mut names = form.labels.clone();
        let label = names.add(self.count, "batch");
        let term = |term: &Term<'a>| {
            // A maximum is a sum over the elements that reach it, as far as its derivative is concerned, but not as a value.
            assert!(term.weight.is_none(), "derivatives hold no maximum that varies with their weight");
            sum(term.bound.clone(), self.tree(&term.body, label))
        };
        let all = total(form.terms.iter().map(term)).expect("an equation that varies has terms");
        let axes = [label].into_iter().chain(form.axes.iter().copied()).collect();
        names.value(all, axes, value.dtype)
    }

    fn tree(&self, tree: &Tree<'a>, label: usize) -> Tree<'a> {
        match tree {
            Tree::Operand(value, axes) => match self.made.get(&key_of(value)) {
                None => tree.clone(),
                Some(made) => Tree::Operand(Link::clone(made), labels([label]).into_iter().chain(axes.iter().cloned()).collect()),
            },
            Tree::Reduce(..) => unreachable!("terms have no reductions inside"),
            other => other.with_parts(|part| self.tree(part, label)),
        }
    }

    fn call(&self, call: &Arc<Factorised<'a>>) -> Arc<Factorised<'a>> {
        let mut of = call.call.clone();
        of.batch += 1;
        let arguments = call.arguments.iter().map(|argument| self.spread(argument)).collect();
        Arc::new(Factorised { call: of, extents: self.with_batch(&call.extents), arguments })
    }
}
