//! A label that occurs once may be meant as a variable of that name, which is written `{ k }`. This file writes the help that offers
//! this.

use super::checker::Checker;
use crate::sentence::quoted;
use crate::syntax::{Count, Expression, ExpressionKind, Hole, Index, Name, Range, Target};

/// An operand with positions instead of some labels, as its author would write it; `None` if it has none of them.
fn positioned(hole: &Hole, indices: &[Index], labels: &[&str]) -> Option<String> {
    let is_lone = |index: &Index| matches!(index, Index::Label(name) if labels.contains(&name.text.as_str()));
    let written = |index: &Index| match index {
        Index::Label(name) if is_lone(index) => format!("{{ {} }}", name.text),
        other => text(other),
    };
    let list: Vec<String> = indices.iter().map(written).collect();
    indices.iter().any(is_lone).then(|| format!("{}[{}]", hole.text, list.join(", ")))
}

fn text(index: &Index) -> String {
    let list = |names: &[Name]| names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ");
    match index {
        Index::Label(name) => name.text.clone(),
        Index::Slice(name, Range::Literal(start, end, _)) => {
            format!("{} in {start}..{}", name.text, end.map_or(String::new(), |end| end.to_string()))
        }
        Index::Slice(name, Range::Hole(range)) => format!("{} in {}", name.text, range.text),
        Index::Chip(Count::Literal(position, _)) => position.to_string(),
        Index::Chip(Count::Hole(position)) => position.text.clone(),
        Index::Fused(names, _) => format!("({})", list(names)),
        Index::Rest(_) | Index::NoAxes(_) => "..".to_string(),
    }
}

/// The first operand with a label, written with a position instead.
fn in_expression(expression: &Expression, label: &str) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Operand(hole, indices) => positioned(hole, indices, &[label]),
        kind => kind.children().into_iter().find_map(|part| in_expression(part, label)),
    }
}

/// A help that offers a position first, and then the other meaning.
fn offered(labels: &[&str], written: Option<String>, other: String) -> String {
    let Some(written) = written else { return other };
    let list = quoted(labels);
    match labels {
        [_] => format!("if the variable {list} is meant, write `{written}`; {other}"),
        _ => format!("if the variables {list} are meant, write `{written}`; {other}"),
    }
}

/// The help for a label that occurs once in an expression.
pub(super) fn once(expression: &Expression, label: &str, other: String) -> String {
    offered(&[label], in_expression(expression, label), other)
}

impl Checker<'_> {
    /// The help for labels of the left side that the right side lacks. Only a tensor that exists may have positions instead.
    pub(super) fn on_the_left(&self, labels: &[&str], other: String) -> String {
        let written = match self.target {
            Target::Place(hole, indices, _) => {
                // A label of a slice or of a fused axis cannot be a position.
                let alone: Vec<&str> = labels.iter().copied().filter(|label| stands_alone(indices, label)).collect();
                (alone.len() == labels.len()).then(|| positioned(hole, indices, labels)).flatten()
            }
            Target::Value(_) | Target::Let(_) => None,
        };
        offered(labels, written, other)
    }
}

fn stands_alone(indices: &[Index], label: &str) -> bool {
    let others = indices.iter().filter(|index| !matches!(index, Index::Label(_)));
    !others.flat_map(Index::labels).any(|name| name.text == label)
}
