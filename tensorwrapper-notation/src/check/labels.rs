//! The labels of a right side, and where they occur.

use std::collections::{HashMap, HashSet};

use crate::syntax::{Count, Expression, ExpressionKind, Hole, Index, LeftSide, Name, Operator, Right, Scalar, Statement, Target};
use crate::token::Span;

/// The labels of an expression, without those that an explicit reduction inside it binds. Each occurrence is listed once, in order.
pub(super) fn free_labels(expression: &Expression) -> Vec<&Name> {
    let mut found = Vec::new();
    collect(expression, &mut HashMap::new(), &mut found);
    found
}

/// The names of an expression's free labels.
pub(super) fn free_names(expression: &Expression) -> HashSet<&str> {
    free_labels(expression).into_iter().map(|name| name.text.as_str()).collect()
}

/// Adds the labels of an expression that no reduction binds; `bound` counts the reductions around it that bind a name.
fn collect<'e>(expression: &'e Expression, bound: &mut HashMap<&'e str, usize>, found: &mut Vec<&'e Name>) {
    let mut add = |name: &'e Name, bound: &HashMap<&str, usize>| {
        if bound.get(name.text.as_str()).is_none_or(|&count| count == 0) {
            found.push(name);
        }
    };
    match &expression.kind {
        ExpressionKind::Operand(_, indices) => indices.iter().flat_map(Index::labels).for_each(|name| add(name, bound)),
        ExpressionKind::Spread(_, labels) => labels.iter().for_each(|name| add(name, bound)),
        ExpressionKind::Iota(name) => add(name, bound),
        ExpressionKind::Scalar(_) => {}
        ExpressionKind::Binary(_, a, b) => {
            collect(a, bound, found);
            collect(b, bound, found);
        }
        ExpressionKind::Map(..)
        | ExpressionKind::Select(..)
        | ExpressionKind::Truth(_)
        | ExpressionKind::Clip(_)
        | ExpressionKind::Gradient(..) => {
            children(expression).for_each(|part| collect(part, bound, found));
        }
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
            labels.iter().for_each(|name| *bound.entry(&name.text).or_default() += 1);
            collect(inner, bound, found);
            labels.iter().for_each(|name| *bound.entry(&name.text).or_default() -= 1);
        }
    }
}

/// The expressions directly inside an expression.
fn children(expression: &Expression) -> impl Iterator<Item = &Expression> {
    expression.kind.children().into_iter()
}

/// Whether a reduction inside an expression binds a label of that name.
pub(super) fn binds(expression: &Expression, name: &str) -> bool {
    let here = matches!(&expression.kind, ExpressionKind::Reduce(_, labels, _) if labels.iter().any(|l| l.text == name));
    here || children(expression).any(|child| binds(child, name))
}

/// The first name without indices, which is read as a number.
pub(super) fn without_indices(expression: &Expression) -> Option<&str> {
    match &expression.kind {
        ExpressionKind::Scalar(Scalar::Hole(hole)) if !hole.text.starts_with('{') => Some(&hole.text),
        _ => children(expression).find_map(without_indices),
    }
}

/// The first group in braces that has a word, and whether it is an index. It is Rust, in which no word is a label.
pub(super) fn in_braces<'e>(expression: &'e Expression, word: &str) -> Option<(&'e str, bool)> {
    let has = |hole: &'e Hole| {
        let mut words = hole.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        (hole.text.starts_with('{') && words.any(|one| one == word)).then_some(hole.text.as_str())
    };
    match &expression.kind {
        ExpressionKind::Scalar(Scalar::Hole(hole)) => has(hole).map(|text| (text, false)),
        ExpressionKind::Operand(_, indices) => indices.iter().find_map(|index| match index {
            Index::Chip(Count::Hole(hole)) => has(hole).map(|text| (text, true)),
            _ => None,
        }),
        _ => children(expression).find_map(|child| in_braces(child, word)),
    }
}

/// The literal base and the exponent of a power whose exponent is written with a label in brackets, `powf(2.0, v[i])`.
pub(super) fn exponent_with(expression: &Expression, label: &str) -> Option<(String, String)> {
    if let ExpressionKind::PowerInteger(base, Scalar::Hole(hole)) | ExpressionKind::PowerReal(base, Scalar::Hole(hole)) =
        &expression.kind
        && let ExpressionKind::Scalar(Scalar::Literal(value, _)) = base.kind
    {
        let (_, indices) = hole.text.strip_suffix(']')?.split_once('[')?;
        let has = indices.split(',').any(|index| index.trim() == label);
        return has.then(|| (format!("{value:?}"), hole.text.clone()));
    }
    children(expression).find_map(|part| exponent_with(part, label))
}

/// The first variable of `grad` that has no indices.
pub(super) fn variable_without_indices(expression: &Expression) -> Option<&Hole> {
    match &expression.kind {
        ExpressionKind::Gradient(_, variables) => variables.iter().find_map(|variable| match &variable.kind {
            ExpressionKind::Operand(hole, indices) if indices.iter().next().is_none() => Some(hole),
            _ => None,
        }),
        _ => children(expression).find_map(variable_without_indices),
    }
}

/// The indices of every operand of an expression.
pub(super) fn operands(expression: &Expression) -> Vec<&[Index]> {
    fn collect<'e>(expression: &'e Expression, found: &mut Vec<&'e [Index]>) {
        if let ExpressionKind::Operand(_, indices) = &expression.kind {
            found.push(indices);
        }
        children(expression).for_each(|child| collect(child, found));
    }
    let mut found = Vec::new();
    collect(expression, &mut found);
    found
}

/// The factors of a term, which `*`, `/` and unary `-` join. Parentheses and functions are not opened.
pub(super) fn factors(term: &Expression) -> Vec<&Expression> {
    fn collect<'e>(term: &'e Expression, found: &mut Vec<&'e Expression>) {
        match &term.kind {
            ExpressionKind::Binary(Operator::Multiply | Operator::Divide, a, b) => {
                collect(a, found);
                collect(b, found);
            }
            ExpressionKind::Negate(inner) => collect(inner, found),
            _ => found.push(term),
        }
    }
    let mut found = Vec::new();
    collect(term, &mut found);
    found
}

/// A label of a term. It belongs either to the whole term (rule 2), or to the addends inside the only parentheses that have it
/// (rule 4).
pub(super) struct TermLabel<'e> {
    pub(super) name: &'e Name,
    pub(super) occurrences: usize,
    pub(super) of_term: bool,
    /// The first factor that has it.
    pub(super) first: &'e Expression,
    factor: usize,
}

/// The labels of a term, in order of first occurrence.
pub(super) fn term_labels(term: &Expression) -> Vec<TermLabel<'_>> {
    let mut found: Vec<TermLabel<'_>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (n, factor) in factors(term).into_iter().enumerate() {
        let direct = matches!(
            factor.kind,
            ExpressionKind::Operand(..) | ExpressionKind::Spread(..) | ExpressionKind::Iota(_) | ExpressionKind::Gradient(..)
        );
        for name in free_labels(factor) {
            match known.get(name.text.as_str()) {
                Some(&label) => {
                    found[label].occurrences += 1;
                    found[label].of_term |= direct || found[label].factor != n;
                }
                None => {
                    known.insert(&name.text, found.len());
                    found.push(TermLabel { name, occurrences: 1, of_term: direct, first: factor, factor: n });
                }
            }
        }
    }
    found
}

/// The places of `..`: on each left side, and in each operand on the right.
pub(super) fn rest_spans(statement: &Statement) -> [Vec<Vec<Span>>; 2] {
    let rests =
        |indices: &[Index]| indices.iter().filter_map(|i| if let Index::Rest(span) = i { Some(*span) } else { None }).collect();
    let side = |side: &LeftSide| rests(side.indices.as_deref().unwrap_or_default());
    let left = match &statement.target {
        Target::Value(sides) => sides.iter().map(side).collect(),
        Target::Let(results) => results.iter().map(|(_, s)| side(s)).collect(),
        Target::Place(_, indices, _) => vec![rests(indices)],
    };
    let expressions = match &statement.right {
        Right::Expression(expression) => std::slice::from_ref(expression),
        Right::Factorisation(call) => &call.arguments,
    };
    let right = expressions.iter().flat_map(operands).map(rests).collect();
    [left, right]
}

/// Names of labels, each once.
pub(super) type Labels<'s> = Vec<&'s str>;

/// All labels of equations, each once.
pub(super) fn written<'s>(statements: impl IntoIterator<Item = &'s Statement>) -> Labels<'s> {
    let mut names: Vec<&'s Name> = Vec::new();
    let side = |side: &'s LeftSide| side.indices.iter().flatten().flat_map(Index::labels);
    for statement in statements {
        match &statement.target {
            Target::Value(sides) => names.extend(sides.iter().flat_map(side)),
            Target::Let(results) => names.extend(results.iter().flat_map(|(_, left)| side(left))),
            Target::Place(_, indices, _) => names.extend(indices.iter().flat_map(Index::labels)),
        }
        match &statement.right {
            Right::Expression(expression) => names.extend(all_labels(expression)),
            Right::Factorisation(call) => {
                names.extend(call.groups.iter().flatten().flatten());
                names.extend(call.arguments.iter().flat_map(all_labels));
            }
        }
    }
    let mut met = HashSet::new();
    names.into_iter().map(|name| name.text.as_str()).filter(|name| met.insert(*name)).collect()
}

/// The labels of an expression, bound or not.
fn all_labels(expression: &Expression) -> Vec<&Name> {
    fn collect<'e>(expression: &'e Expression, found: &mut Vec<&'e Name>) {
        match &expression.kind {
            ExpressionKind::Operand(_, indices) => found.extend(indices.iter().flat_map(Index::labels)),
            ExpressionKind::Spread(_, names) | ExpressionKind::Reduce(_, names, _) => found.extend(names),
            ExpressionKind::Iota(name) => found.push(name),
            ExpressionKind::Exchange(_, groups, _) => found.extend(groups.iter().flatten()),
            _ => {}
        }
        children(expression).for_each(|child| collect(child, found));
    }
    let mut found = Vec::new();
    collect(expression, &mut found);
    found
}
