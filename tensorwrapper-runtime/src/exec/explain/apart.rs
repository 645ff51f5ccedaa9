//! Recorded values as equations, each of which can be computed by itself once those before it are.

use std::collections::HashMap;

use super::equations::Writer;
use crate::expr::{Reach, Source, Value};
use crate::link::Link;

/// A value that others are made of, under a name.
#[derive(Debug)]
pub(crate) struct WrittenValue<'a> {
    pub(crate) name: String,
    pub(crate) value: Link<Value<'a>>,
    /// Its equation, with a left side without a name; nothing for a tensor that is given, or that is made of numbers alone.
    pub(crate) equation: Option<String>,
    /// The names of the tensors that it reads, each once.
    pub(crate) reads: Vec<String>,
}

/// The values that some values are made of, up to `known` ones, which have names by their addresses, in the order in which they can be
/// made. `known` gets the names of the others; numbers stand for themselves.
///
/// # Errors
/// What the language has no words for, or needs more than an equation for.
pub(crate) fn written_values<'a>(
    values: &[Link<Value<'a>>],
    known: &mut HashMap<usize, String>,
) -> Result<Vec<WrittenValue<'a>>, String> {
    let reach = Reach::beyond(values, known.keys().copied().collect());
    let mut writer = Writer::new();
    (writer.texts.names, writer.texts.is_apart) = (std::mem::take(known), true);
    let mut found = Vec::new();
    for value in &reach.values {
        let before = writer.found.statements.len();
        writer.value(value, None);
        let name = writer.texts.name(value).to_string();
        if let Some((_, what)) = writer.found.missing.first() {
            return Err(what.clone());
        }
        let equation = match (&value.source, &writer.found.statements[before..]) {
            // Numbers stand for themselves.
            (Source::Held(_), _) | (Source::Equation { .. }, []) => continue,
            (Source::Tensor(_) | Source::Computed(..) | Source::Solved(..), _) => None,
            (Source::Equation { .. }, [only]) => Some(only.clone()),
            (Source::Factorised(call, _), _) => return Err(format!("made by `{}`", call.call.form().name)),
            _ => return Err("a tensor with other axes".to_string()),
        };
        let reads = reads(value, &writer);
        // Without a tensor nothing tells an equation by itself the extents of its labels.
        let equation = equation.filter(|_| !reads.is_empty());
        found.push(WrittenValue { name, value: Link::clone(value), equation, reads });
    }
    *known = writer.texts.names;
    Ok(found)
}

/// The names of the tensors that an equation reads.
fn reads(value: &Value<'_>, writer: &Writer<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if let Source::Equation { tree, .. } = &value.source {
        tree.operands(&mut |operand, _| found.extend(writer.texts.tensor(operand).map(str::to_string)));
    }
    found.sort_unstable();
    found.dedup();
    found
}
