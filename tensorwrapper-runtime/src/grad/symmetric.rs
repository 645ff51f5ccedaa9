//! Whether what is made of eigenvalues or singular values depends on their order.
//!
//! Equal values change in no order, so that one of them alone has no derivative. A sum over all of a function of each has one.

use std::collections::HashSet;
use std::sync::Arc;

use tensorwrapper_notation::syntax::Factorisation;

use super::order::{Key, Node, Recording, key_of};
use crate::expr::{Axis, Factorised, Source, Value};
use crate::link::Link;

/// Whether the values of an operation are read in sums over all states alone: of element-wise functions of them, with nothing else that
/// differs between states. `results` are what the recording was made for.
pub(super) fn is_symmetric<'a>(recording: &Recording<'a>, results: &[Link<Value<'a>>], call: &Arc<Factorised<'a>>) -> bool {
    let values = match call.call.kind {
        Factorisation::Eigh | Factorisation::Eig => 0,
        Factorisation::Svd => 1,
        _ => return true,
    };
    // The values and their functions: the last axis is that of the states.
    let mut functions: HashSet<Key> = HashSet::new();
    for node in recording.nodes.iter().filter(|node| recording.varies(node.key())) {
        let reads = |value: &Link<Value<'a>>| functions.contains(&key_of(value));
        let value = match node {
            Node::Call(other) if other.arguments.iter().any(reads) => return false,
            Node::Solved(solved) if solved.arguments.iter().any(reads) => return false,
            Node::Call(_) | Node::Solved(_) => continue,
            Node::Value(value) => value,
        };
        let is_one = match &value.source {
            Source::Factorised(of, n) => Arc::ptr_eq(of, call) && *n == values,
            Source::Equation { .. } => match use_of(recording, value, &reads) {
                Use::Other => return false,
                Use::Function => true,
                Use::Sum => false,
            },
            Source::Reshaped(inner) if reads(inner) => return false,
            Source::Written { base, part, .. } if [part].into_iter().chain(base).any(reads) => return false,
            _ => false,
        };
        if is_one {
            functions.insert(node.key());
        }
    }
    !results.iter().any(|value| functions.contains(&key_of(value)))
}

/// What an equation is to the values that it reads.
enum Use {
    /// It is a function of each value.
    Function,
    /// It reads none, or sums over all.
    Sum,
    Other,
}

fn use_of<'a>(recording: &Recording<'a>, value: &Link<Value<'a>>, reads: &dyn Fn(&Link<Value<'a>>) -> bool) -> Use {
    let form = recording.normal(key_of(value));
    let (mut is_function, mut is_sum, mut is_uneven) = (false, false, false);
    for term in &form.terms {
        let mut states = Vec::new();
        let mut is_plain = term.weight.is_none();
        term.body.operands(&mut |operand, axes| {
            if reads(operand) {
                match axes.last() {
                    Some(Axis::Label { label, start: 0 }) if Some(&form.labels.extents[*label]) == operand.extents.last() => {
                        states.push(*label);
                    }
                    _ => is_plain = false,
                }
            }
        });
        let is_summed = states.iter().all(|label| term.bound.contains(label));
        let is_kept = states.iter().all(|label| form.axes.last() == Some(label));
        // Everything else that is read with the label of the states differs between them.
        term.body.operands(&mut |operand, axes| {
            is_plain &= reads(operand) || !axes.iter().flat_map(Axis::labels).any(|label| states.contains(label));
        });
        match states.is_empty() {
            true if !is_plain && term.weight.is_none() => return Use::Other,
            true => term.body.operands(&mut |_, axes| {
                is_uneven |= form.axes.last().is_some_and(|last| axes.iter().any(|axis| axis.labels().contains(last)));
            }),
            false if is_plain && is_summed => is_sum = true,
            false if is_plain && is_kept => is_function = true,
            false => return Use::Other,
        }
    }
    match (is_function, is_sum) {
        (true, true) => Use::Other,
        (true, false) if is_uneven => Use::Other,
        (true, false) => Use::Function,
        (false, _) => Use::Sum,
    }
}
