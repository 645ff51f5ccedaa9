//! The labels of an expression, as Einstein's rule counts them.

use crate::syntax::{Expression, ExpressionKind, Name, Operator};

/// The labels of an expression that are visible outside of it, each as often as it occurs in a term.
pub(super) fn occurring(expression: &Expression) -> Vec<&str> {
    let mut found = Vec::new();
    collect(expression, &mut found);
    found
}

fn collect<'e>(expression: &'e Expression, found: &mut Vec<&'e str>) {
    let add = |found: &mut Vec<&'e str>, names: &'e [Name]| found.extend(names.iter().map(|name| name.text.as_str()));
    match &expression.kind {
        ExpressionKind::Operand(_, indices) => indices.iter().for_each(|index| add(found, index.labels())),
        ExpressionKind::Spread(_, names) => add(found, names),
        ExpressionKind::Iota(name) => add(found, std::slice::from_ref(name)),
        ExpressionKind::Scalar(_) => {}
        // The labels that a reduction binds are not visible outside of it.
        ExpressionKind::Reduce(_, bound, inner) => {
            let mut inside = Vec::new();
            collect(inner, &mut inside);
            found.extend(inside.into_iter().filter(|label| bound.iter().all(|name| name.text != *label)));
        }
        // The terms of a sum have the same labels.
        ExpressionKind::Binary(Operator::Add | Operator::Subtract, a, _) => collect(a, found),
        ExpressionKind::Binary(_, a, b) => {
            collect(a, found);
            collect(b, found);
        }
        // The values of a choice have the same labels.
        ExpressionKind::Select(_, values) => collect(&values[0], found),
        ExpressionKind::Clip(parts) => collect(&parts[0], found),
        kind @ (ExpressionKind::Map(..) | ExpressionKind::Truth(_) | ExpressionKind::Gradient(..)) => {
            kind.children().into_iter().for_each(|part| collect(part, found));
        }
        ExpressionKind::Negate(inner)
        | ExpressionKind::Parentheses(inner)
        | ExpressionKind::Cast(_, inner)
        | ExpressionKind::Apply(_, inner)
        | ExpressionKind::Exchange(_, _, inner)
        | ExpressionKind::PowerInteger(inner, _)
        | ExpressionKind::PowerReal(inner, _) => collect(inner, found),
    }
}
