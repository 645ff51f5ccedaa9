//! Forward mode: the change of values along a change of variables.

use std::collections::HashMap;
use std::sync::Arc;

use super::build::{added, constant, reshaped, sum, times, total, written};
use super::fixed;
use super::order::{Key, Node, Recording, Variable, key_of};
use super::rules::{self, Parts};
use super::spectral::{changes, hermitian_part};
use super::symmetric::is_symmetric;
use crate::expr::{Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::error::Error;

/// The changes of values along changes of variables, which have the extents and types of the variables. A value that does not depend on
/// any has none.
///
/// # Errors
/// What has no derivative.
pub(super) fn forward<'a>(
    values: &[Link<Value<'a>>],
    variables: &[Variable<'a>],
    changes: &[Link<Value<'a>>],
) -> Result<Parts<'a>, Error> {
    let recording = Recording::new(values, variables)?;
    let mut walk = Walk { recording: &recording, changes: HashMap::new(), results: HashMap::new(), arguments: HashMap::new() };
    for node in &recording.nodes {
        if !recording.varies(node.key()) {
            continue;
        }
        match node {
            Node::Call(call) => {
                let found: Parts<'a> = call.arguments.iter().map(|argument| walk.change(argument)).collect();
                let hermitian = |change: &Option<Link<Value<'a>>>| change.as_ref().map(|change| hermitian_part(call, change));
                walk.arguments.insert(node.key(), found.iter().map(hermitian).collect());
                walk.results.insert(node.key(), rules::forward(call, &found, is_symmetric(&recording, values, call))?);
            }
            Node::Solved(solved) => {
                let found: Vec<_> = solved.arguments.iter().map(|argument| walk.change(argument)).collect();
                walk.results.insert(node.key(), fixed::changes(solved, &found, forward)?);
            }
            Node::Value(value) => {
                let own = recording.variables(node.key()).iter().map(|&n| Link::clone(&changes[n]));
                if let Some(change) = added(own.chain(walk.value(value)?)) {
                    walk.changes.insert(node.key(), change);
                }
            }
        }
    }
    Ok(values.iter().map(|value| walk.change(value)).collect())
}

struct Walk<'r, 'a> {
    recording: &'r Recording<'a>,
    changes: HashMap<Key, Link<Value<'a>>>,
    /// The changes of the results of operations of linear algebra and of solutions.
    results: HashMap<Key, Parts<'a>>,
    /// The changes of the matrices of operations of linear algebra, as functions of these matrices see them.
    arguments: HashMap<Key, Parts<'a>>,
}

impl<'a> Walk<'_, 'a> {
    fn change(&self, value: &Link<Value<'a>>) -> Option<Link<Value<'a>>> {
        self.changes.get(&key_of(value)).cloned()
    }

    /// The change of a value that comes from what it is made of.
    fn value(&self, value: &Link<Value<'a>>) -> Result<Option<Link<Value<'a>>>, Error> {
        Ok(match &value.source {
            Source::Tensor(_) | Source::Computed(..) | Source::Held(_) => None,
            Source::Equation { .. } => self.equation(value)?,
            Source::Graph(..) => unreachable!("graphs that vary were refused"),
            Source::Factorised(call, n) => {
                rules::check_result(call, *n)?;
                self.results.get(&Node::Call(Arc::clone(call)).key()).and_then(|results| results[*n].clone())
            }
            Source::Solved(solved, n) => {
                self.results.get(&Node::Solved(Arc::clone(solved)).key()).and_then(|results| results[*n].clone())
            }
            Source::Reshaped(inner) => self.change(inner).map(|change| reshaped(&change, &value.extents)),
            Source::Written { base, axes, part } => {
                let zeros = || constant(0.0, &part.extents, value.dtype);
                let base = base.as_ref().and_then(|base| self.change(base));
                let change = self.change(part);
                (base.is_some() || change.is_some())
                    .then(|| written(base.as_ref(), &value.extents, axes.clone(), &change.unwrap_or_else(zeros)))
            }
        })
    }

    fn equation(&self, value: &Link<Value<'a>>) -> Result<Option<Link<Value<'a>>>, Error> {
        let form = self.recording.normal(key_of(value));
        let (mut terms, mut labels) = (Vec::new(), form.labels.clone());
        for term in &form.terms {
            let varies = |operand: &Link<Value<'a>>| self.changes.contains_key(&key_of(operand));
            for spectral in &term.spectral {
                if let Some(arguments) = self.arguments.get(&Node::Call(Arc::clone(&spectral.call)).key()) {
                    let found = changes(spectral, &mut labels, &term.bound, arguments, &slope)?;
                    terms.extend(found.into_iter().map(|(bound, tree)| sum(bound, tree)));
                }
            }
            for occurrence in term.occurrences(value.dtype, &varies)? {
                let change = Link::clone(&self.changes[&key_of(occurrence.value)]);
                let change = occurrence.forward(Tree::Operand(change, occurrence.axes.to_vec()));
                let change = match &term.weight {
                    Some(weight) => times(weight.clone(), change),
                    None => change,
                };
                terms.push(sum(term.bound.clone(), change));
            }
        }
        Ok(total(terms).map(|tree| labels.value(tree, form.axes.clone(), value.dtype)))
    }
}

/// How the elements of a value change with those of another at the same places.
///
/// # Errors
/// What has no derivative.
pub(super) fn slope<'a>(of: &Link<Value<'a>>, by: &Link<Value<'a>>) -> Result<Option<Link<Value<'a>>>, Error> {
    let ones = constant(1.0, &by.extents, by.dtype);
    Ok(forward(std::slice::from_ref(of), &[Variable::Recorded(Link::clone(by))], &[ones])?.remove(0))
}
