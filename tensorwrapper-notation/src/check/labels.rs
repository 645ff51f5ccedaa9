//! Which labels occur where in a right side.

use crate::syntax::{Expression, ExpressionKind, Index, Name, Operator};
use crate::token::Span;

/// The labels of an expression that no explicit reduction inside it binds, each occurrence once, in order.
pub(super) fn free_labels(expression: &Expression) -> Vec<&Name> {
    let mut found = Vec::new();
    collect(expression, &mut Vec::new(), &mut found);
    found
}

fn collect<'e>(expression: &'e Expression, bound: &mut Vec<&'e str>, found: &mut Vec<&'e Name>) {
    let mut add = |name: &'e Name, bound: &[&str]| {
        if !bound.contains(&name.text.as_str()) {
            found.push(name);
        }
    };
    match &expression.kind {
        ExpressionKind::Operand(_, indices) => indices.iter().flat_map(index_labels).for_each(|name| add(name, bound)),
        ExpressionKind::Spread(_, labels) => labels.iter().for_each(|name| add(name, bound)),
        ExpressionKind::Scalar(_) | ExpressionKind::Unbuilt(_) => {}
        ExpressionKind::Binary(_, a, b) => {
            collect(a, bound, found);
            collect(b, bound, found);
        }
        ExpressionKind::Map(_, arguments) => arguments.iter().for_each(|argument| collect(argument, bound, found)),
        ExpressionKind::Negate(inner)
        | ExpressionKind::Parentheses(inner)
        | ExpressionKind::Cast(_, inner)
        | ExpressionKind::Apply(_, inner)
        | ExpressionKind::PowerInteger(inner, _)
        | ExpressionKind::PowerReal(inner, _) => collect(inner, bound, found),
        ExpressionKind::Exchange(_, groups, inner) => {
            groups.iter().flatten().for_each(|name| add(name, bound));
            collect(inner, bound, found);
        }
        ExpressionKind::Reduce(_, labels, inner) => {
            let outer = bound.len();
            bound.extend(labels.iter().map(|name| name.text.as_str()));
            collect(inner, bound, found);
            bound.truncate(outer);
        }
    }
}

/// The expressions right inside an expression.
fn parts(expression: &Expression) -> Vec<&Expression> {
    match &expression.kind {
        ExpressionKind::Operand(..) | ExpressionKind::Spread(..) | ExpressionKind::Scalar(_) | ExpressionKind::Unbuilt(_) => {
            Vec::new()
        }
        ExpressionKind::Binary(_, a, b) => vec![a, b],
        ExpressionKind::Map(_, arguments) => arguments.iter().collect(),
        ExpressionKind::Negate(inner)
        | ExpressionKind::Parentheses(inner)
        | ExpressionKind::Cast(_, inner)
        | ExpressionKind::Apply(_, inner)
        | ExpressionKind::PowerInteger(inner, _)
        | ExpressionKind::PowerReal(inner, _)
        | ExpressionKind::Exchange(_, _, inner)
        | ExpressionKind::Reduce(_, _, inner) => vec![inner],
    }
}

/// Whether a reduction inside an expression binds a label of that name.
pub(super) fn binds(expression: &Expression, name: &str) -> bool {
    let here = matches!(&expression.kind, ExpressionKind::Reduce(_, labels, _) if labels.iter().any(|l| l.text == name));
    here || parts(expression).into_iter().any(|part| binds(part, name))
}

/// The constructs inside an expression that this version does not have.
pub(super) fn unbuilt(expression: &Expression) -> Vec<(&str, Span)> {
    match &expression.kind {
        ExpressionKind::Unbuilt(what) => vec![(what, expression.span)],
        _ => parts(expression).into_iter().flat_map(unbuilt).collect(),
    }
}

/// The labels of one index.
pub(super) fn index_labels(index: &Index) -> &[Name] {
    match index {
        Index::Label(name) | Index::Slice(name, _) => std::slice::from_ref(name),
        Index::Fused(names, _) => names,
        Index::Chip(_) | Index::Rest(_) => &[],
    }
}

/// The indices of every operand of an expression.
pub(super) fn operands(expression: &Expression) -> Vec<&[Index]> {
    match &expression.kind {
        ExpressionKind::Operand(_, indices) => vec![indices],
        _ => parts(expression).into_iter().flat_map(operands).collect(),
    }
}

/// The factors of a term: what `*`, `/` and unary `-` join, without looking into parentheses or functions.
pub(super) fn factors(term: &Expression) -> Vec<&Expression> {
    match &term.kind {
        ExpressionKind::Binary(Operator::Multiply | Operator::Divide, a, b) => {
            let mut found = factors(a);
            found.extend(factors(b));
            found
        }
        ExpressionKind::Negate(inner) => factors(inner),
        _ => vec![term],
    }
}

/// The labels of a term, each with its first place, its number of occurrences, and whether it belongs to the whole
/// term (rule 2) or to the addends of the only parenthesis that holds it (rule 4).
pub(super) struct TermLabel<'e> {
    pub(super) name: &'e Name,
    pub(super) occurrences: usize,
    pub(super) of_term: bool,
    factor: usize,
}

/// The labels of a term, in order of first occurrence.
pub(super) fn term_labels(term: &Expression) -> Vec<TermLabel<'_>> {
    let mut found: Vec<TermLabel<'_>> = Vec::new();
    for (n, factor) in factors(term).into_iter().enumerate() {
        let direct = matches!(factor.kind, ExpressionKind::Operand(..) | ExpressionKind::Spread(..));
        for name in free_labels(factor) {
            match found.iter_mut().find(|l| l.name.text == name.text) {
                Some(known) => {
                    known.occurrences += 1;
                    known.of_term |= direct || known.factor != n;
                }
                None => found.push(TermLabel { name, occurrences: 1, of_term: direct, factor: n }),
            }
        }
    }
    found
}
