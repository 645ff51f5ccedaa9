//! Forward mode: the change of values along a change of variables.

use std::collections::HashMap;
use std::sync::Arc;

use super::build::{added, constant, labels, reshaped, sum, times, total, written};
use super::fixed;
use super::linear::occurrences;
use super::normal::{Normal, Term};
use super::order::{Key, Node, Recording, Variable, key_of};
use super::rules::spectral::{self, Spectral};
use super::rules::{self, Parts};
use crate::expr::{Source, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::element::Dtype;
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
    let mut walk = Walk { recording: &recording, changes: HashMap::new(), results: HashMap::new() };
    for node in &recording.nodes {
        if !recording.varies(node.key()) {
            continue;
        }
        match node {
            Node::Call(call) => {
                let found: Vec<_> = call.arguments.iter().map(|argument| walk.change(argument)).collect();
                walk.results.insert(node.key(), rules::forward(call, &found)?);
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
}

impl<'a> Walk<'_, 'a> {
    fn change(&self, value: &Link<Value<'a>>) -> Option<Link<Value<'a>>> {
        self.changes.get(&key_of(value)).cloned()
    }

    /// The change of a value that comes from what it is made of.
    fn value(&self, value: &Link<Value<'a>>) -> Result<Option<Link<Value<'a>>>, Error> {
        Ok(match &value.source {
            Source::Tensor(_) | Source::Computed(_) | Source::Held(_) => None,
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
        let mut terms = Vec::new();
        for term in &form.terms {
            let varies = |operand: &Link<Value<'a>>| self.changes.contains_key(&key_of(operand));
            let mut found = Vec::new();
            occurrences(&term.body, value.dtype, &varies, &mut |occurrence| found.push(occurrence))?;
            if let Some((spectral, slope)) = slope_of(form, term, value.dtype, &varies)? {
                let change = &self.changes[&key_of(&spectral.call.arguments[0])];
                let matrix = spectral.forward(&slope, change)?;
                terms.push(Tree::Operand(matrix, labels(spectral.axes.iter().copied())));
            }
            for occurrence in found {
                let change = Link::clone(&self.changes[&key_of(occurrence.value)]);
                let change = occurrence.forward(Tree::Operand(change, occurrence.axes.to_vec()));
                let change = match &term.weight {
                    Some(weight) => times(weight.clone(), change),
                    None => change,
                };
                terms.push(sum(term.bound.clone(), change));
            }
        }
        Ok(total(terms).map(|tree| form.labels.value(tree, form.axes.clone(), value.dtype)))
    }
}

/// A term that is a function of a matrix that varies, by its values, and the slope of that function, if it takes each value by itself.
///
/// # Errors
/// What has no derivative.
pub(super) fn slope_of<'a>(
    form: &Normal<'a>,
    term: &Term<'a>,
    dtype: Dtype,
    varies: &dyn Fn(&Link<Value<'a>>) -> bool,
) -> Result<Option<(Spectral<'a>, Link<Value<'a>>)>, Error> {
    let Some(spectral) = spectral::find(form, term, dtype).filter(|spectral| varies(&spectral.call.arguments[0])) else {
        return Ok(None);
    };
    let by = [Variable::Result(Arc::clone(&spectral.call), spectral.values)];
    let function = std::slice::from_ref(&spectral.function);
    if !Recording::new(function, &by)?.is_element_wise() {
        return Ok(None);
    }
    let result = &spectral.call.call.form().results[spectral.values];
    let dtype = spectral.call.call.dtype(result.elements, spectral.call.arguments[0].dtype);
    let ones = constant(1.0, &spectral.function.extents, dtype);
    let slope = forward(function, &by, &[ones])?.remove(0);
    Ok(slope.map(|slope| (spectral, slope)))
}
