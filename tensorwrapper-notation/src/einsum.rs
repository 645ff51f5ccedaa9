//! Subscript strings and integer labels → syntax tree: other notations of the same language.

use std::collections::{HashMap, HashSet};

use crate::diagnostic::{Diagnostic, Fault};
use crate::sentence::{are, counted};
use crate::syntax::{
    Ending, Expression, ExpressionKind, Hole, Index, LeftSide, MOST_LEAVES, Name, Operator, Reduction, Right, Statement, Target,
    bounded_axes,
};
use crate::token::Span;

/// The operands of a run-time call, known by their positions.
pub fn numbered_operands(count: usize) -> Vec<Hole> {
    let hole = |n| Hole { text: format!("operand {n}"), span: Span { start: n, end: n + 1 }, tokens: Vec::new() };
    (0..count).map(hole).collect()
}

/// Reads NumPy's `einsum` subscripts for these operands, such as `"ik,kj->ij"`.
///
/// * Any letter of any script is a label. Spaces may be anywhere, even inside `->` and `...`.
/// * `...` stands for the axes that have no label. Counted from the right, these are the same axes in every operand. If there are no such
///   axes, `...` may be missing on the other side of `->`.
/// * Without `->`, the result has the labels that occur exactly once, in alphabetical order.
/// * Extents are never broadcast.
/// * An operand has at most [`MOST_AXES`](crate::syntax::MOST_AXES) labels, and so has the result.
///
/// Spans count the text's bytes. If `place` is given, all spans are that place.
///
/// # Errors
/// A text that has no valid subscripts, and a number of subscripts that is not the number of operands.
pub fn einsum(subscripts: &str, operands: &[Hole], place: Option<Span>) -> Result<Statement, Diagnostic> {
    let whole = place.unwrap_or(Span { start: 0, end: subscripts.len() });
    let (inputs, output) = match arrow(subscripts) {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (subscripts, None),
    };
    let parts: Vec<&str> = inputs.split(',').collect();
    if parts.len() != operands.len() {
        let (named, given) = (counted(parts.len(), "operand"), operands.len());
        let message = format!("`{}` names {named}, but {given} {} given", shortened(subscripts), are(given));
        let fault = Diagnostic::syntax(whole, message);
        let has_other = inputs.contains([';', '*', '|']);
        return Err(if has_other { fault.help("the indices of operands have `,` between them: `ij,jk->ik`") } else { fault });
    }
    let mut offset = 0;
    let mut terms = Vec::new();
    for part in parts {
        terms.push(subscript(part, offset, place)?);
        offset += part.len() + 1;
    }
    let output = match output {
        Some(text) => {
            let mut output = subscript(text, subscripts.len() - text.len(), place)?;
            close(&mut terms, &mut output);
            output
        }
        None => implicit_output(&terms),
    };
    statement(operands.iter().cloned().zip(terms).collect(), output)
}

/// The texts before and behind `->`.
fn arrow(subscripts: &str) -> Option<(&str, &str)> {
    let dashes = subscripts.match_indices('-');
    dashes.map(|(start, _)| subscripts.split_at(start)).find_map(|(inputs, rest)| Some((inputs, after(rest, "->")?)))
}

/// The rest of a text behind a sign such as `->`, which may have spaces inside.
fn after<'t>(text: &'t str, sign: &str) -> Option<&'t str> {
    let mut characters = sign.chars();
    let first = text.strip_prefix(characters.next()?)?;
    characters.try_fold(first, |rest, c| rest.trim_start().strip_prefix(c))
}

/// `...` on one side of the `->` alone stands for no axes: in the output it means nothing, and an operand that has it has no
/// unlabelled axes.
fn close(terms: &mut [Vec<Index>], output: &mut Vec<Index>) {
    let is_rest = |index: &Index| matches!(index, Index::Rest(_));
    if !terms.iter().flatten().any(is_rest) {
        output.retain(|index| !is_rest(index));
    } else if !output.iter().any(is_rest) {
        for index in terms.iter_mut().flatten() {
            if let Index::Rest(span) = *index {
                *index = Index::NoAxes(span);
            }
        }
    }
}

/// Integer labels: `contraction(&[&[0, 1], &[1, 2]], &[0, 2])` is a matrix product.
///
/// # Errors
/// No operands, or a label of the output that none has.
pub fn contraction(inputs: &[&[usize]], output: &[usize]) -> Result<Statement, Diagnostic> {
    let index = |label: &usize| Index::Label(Name { text: label.to_string(), span: Span::default() });
    let indices = |labels: &[usize]| labels.iter().map(index).collect::<Vec<_>>();
    let operands = numbered_operands(inputs.len()).into_iter().zip(inputs.iter().map(|labels| indices(labels)));
    statement(operands.collect(), indices(output))
}

/// `[output] = operand 0[…] * operand 1[…] * …`
fn statement(operands: Vec<(Hole, Vec<Index>)>, output: Vec<Index>) -> Result<Statement, Diagnostic> {
    if operands.len() > MOST_LEAVES {
        return Err(Diagnostic::new(Fault::Unbuilt, Span::default(), format!("there are more than {MOST_LEAVES} operands"))
            .help("contract parts of the network by themselves"));
    }
    operands.iter().map(|(_, indices)| indices).chain([&output]).try_for_each(|indices| bounded_axes(indices))?;
    // Labels that the output lacks are summed explicitly: subscripts have no other way to sum, so nobody is warned.
    let mut known: HashSet<String> = output.iter().flat_map(Index::labels).map(|name| name.text.clone()).collect();
    let all = operands.iter().flat_map(|(_, indices)| indices).flat_map(Index::labels);
    let given: HashSet<&str> = all.clone().map(|name| name.text.as_str()).collect();
    if let Some(unknown) = output.iter().flat_map(Index::labels).find(|name| !given.contains(name.text.as_str())) {
        let message = format!("index `{}` is in the output, but no operand has it", unknown.text);
        return Err(Diagnostic::label(unknown.span, message));
    }
    let summed: Vec<Name> = all.filter(|name| known.insert(name.text.clone())).cloned().collect();
    let mut factors: Vec<Expression> = operands
        .into_iter()
        .map(|(hole, indices)| {
            let span = hole.span;
            Expression::new(ExpressionKind::Operand(hole, indices.into()), span)
        })
        .collect();
    // Factors are multiplied in rows, and rows in rows of rows, so that the tree of a long product is not deep.
    while factors.len() > 1 {
        let mut rest = factors.into_iter();
        let row = || rest.by_ref().take(ROW).reduce(multiplied);
        factors = std::iter::from_fn(row).collect();
    }
    let Some(product) = factors.pop() else {
        return Err(Diagnostic::syntax(Span::default(), "there is no operand"));
    };
    let span = product.span;
    let product = match summed.is_empty() {
        true => product,
        false => Expression::new(ExpressionKind::Reduce(Ending::Reduce(Reduction::Sum), summed, Box::new(product)), span),
    };
    let left = LeftSide { indices: Some(output.into()), span };
    Ok(Statement {
        target: Target::Value(vec![left]),
        right: Right::Expression(product),
        declarations: Vec::new(),
        claims: Vec::new(),
        span,
    })
}

/// A text as a message quotes it: whole, or its beginning if it is long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The most characters of a text that a message quotes.
const LONGEST_QUOTE: usize = 120;

/// How many factors are multiplied one after the other, as a person would write them.
const ROW: usize = 64;

fn multiplied(left: Expression, right: Expression) -> Expression {
    let span = left.span.to(right.span);
    Expression::new(ExpressionKind::Binary(Operator::Multiply, Box::new(left), Box::new(right)), span)
}

/// The labels of one operand, `..` where an ellipsis stands.
fn subscript(text: &str, offset: usize, place: Option<Span>) -> Result<Vec<Index>, Diagnostic> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let start = offset + text.len() - rest.len();
        let span = place.unwrap_or(Span { start, end: start + c.len_utf8() });
        if let Some(rest_of_text) = after(rest, "...") {
            if found.iter().any(|index| matches!(index, Index::Rest(_))) {
                return Err(Diagnostic::syntax(span, "`...` stands once in an operand: where it ends must be clear"));
            }
            found.push(Index::Rest(span));
            rest = rest_of_text;
            continue;
        }
        if c.is_alphabetic() {
            found.push(Index::Label(Name { text: c.to_string(), span }));
        } else if !c.is_whitespace() {
            return Err(Diagnostic::syntax(span, format!("`{c}` is not a label: labels are letters"))
                .help("subscripts look like `ik,kj->ij`; names of several letters are for `at`, numbers for `contract`"));
        }
        rest = &rest[c.len_utf8()..];
    }
    Ok(found)
}

/// The labels that occur once, alphabetically, after the unnamed axes.
fn implicit_output(terms: &[Vec<Index>]) -> Vec<Index> {
    let all: Vec<&Name> =
        terms.iter().flatten().filter_map(|index| if let Index::Label(name) = index { Some(name) } else { None }).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    all.iter().for_each(|name| *counts.entry(&name.text).or_default() += 1);
    let once = |name: &&&Name| counts[name.text.as_str()] == 1;
    let mut labels: Vec<Name> = all.iter().filter(once).map(|name| (*name).clone()).collect();
    labels.sort_by(|a, b| a.text.cmp(&b.text));
    let rest = terms.iter().flatten().find(|index| matches!(index, Index::Rest(_))).cloned();
    rest.into_iter().chain(labels.into_iter().map(Index::Label)).collect()
}
