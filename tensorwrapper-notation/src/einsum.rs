//! Subscript strings and integer labels → syntax tree: other notations of the same language.

use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, ExpressionKind, Hole, Index, LeftSide, Name, Operator, Right, Statement, Target};
use crate::token::Span;

/// An operand of a call, known by its position.
fn operand(position: usize) -> Hole {
    Hole { text: format!("operand {position}"), span: Span { start: position, end: position + 1 }, tokens: Vec::new() }
}

/// Reads NumPy's `einsum` subscripts for operands of these ranks: `"ik,kj->ij"`, spaces anywhere, `...` for the axes
/// that have no label (the same ones in every operand, counted from the right), and without `->` the labels that occur
/// once, in alphabetical order. Any letter of any script is a label. Extents are never broadcast.
///
/// # Errors
/// What is not a subscript, and a number of subscripts or operands that does not fit.
pub fn einsum(subscripts: &str, ranks: &[usize]) -> Result<Statement, Diagnostic> {
    let whole = Span { start: 0, end: subscripts.len() };
    let (inputs, output) = match subscripts.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (subscripts, None),
    };
    let parts: Vec<&str> = inputs.split(',').collect();
    if parts.len() != ranks.len() {
        return Err(Diagnostic::syntax(
            whole,
            format!("`{subscripts}` names {} operands, but {} are given", parts.len(), ranks.len()),
        ));
    }
    let mut offset = 0;
    let mut terms = Vec::new();
    let mut longest = 0;
    for (part, &rank) in parts.iter().zip(ranks) {
        let term = Subscript::read(part, offset)?;
        offset += part.len() + 1;
        longest = longest.max(if term.ellipsis.is_some() { rank.saturating_sub(term.labels.len()) } else { 0 });
        terms.push(term);
    }
    let output = match output {
        Some(text) => Subscript::read(text, offset + 1)?,
        None => implicit_output(&terms),
    };
    let inputs: Vec<Vec<Name>> =
        terms.iter().zip(ranks).map(|(term, &rank)| term.expand(rank.saturating_sub(term.labels.len()), longest)).collect();
    statement(inputs, output.expand(longest, longest))
}

/// Integer labels: `contraction(&[&[0, 1], &[1, 2]], &[0, 2])` is a matrix product.
///
/// # Errors
/// No operand.
pub fn contraction(inputs: &[&[usize]], output: &[usize]) -> Result<Statement, Diagnostic> {
    let name = |label: &usize| Name { text: label.to_string(), span: Span::default() };
    statement(inputs.iter().map(|labels| labels.iter().map(name).collect()).collect(), output.iter().map(name).collect())
}

/// `[output] = operand 0[…] * operand 1[…] * …`
fn statement(inputs: Vec<Vec<Name>>, output: Vec<Name>) -> Result<Statement, Diagnostic> {
    let indices = |labels: Vec<Name>| labels.into_iter().map(Index::Label).collect::<Vec<_>>();
    let factors = inputs.into_iter().enumerate().map(|(n, labels)| {
        let span = Span { start: n, end: n + 1 };
        Expression { kind: ExpressionKind::Operand(operand(n), indices(labels)), span }
    });
    let product = factors.reduce(|left, right| {
        let span = left.span.to(right.span);
        Expression { kind: ExpressionKind::Binary(Operator::Multiply, Box::new(left), Box::new(right)), span }
    });
    let Some(product) = product else {
        return Err(Diagnostic::syntax(Span::default(), "there is no operand"));
    };
    let left = LeftSide { indices: Some(indices(output)), span: Span::default() };
    Ok(Statement {
        target: Target::Value(vec![left]),
        right: Right::Expression(product),
        declarations: Vec::new(),
        span: Span::default(),
    })
}

/// One comma-separated part: labels, and before which of them an ellipsis stands.
struct Subscript {
    labels: Vec<Name>,
    ellipsis: Option<usize>,
}

impl Subscript {
    fn read(text: &str, offset: usize) -> Result<Subscript, Diagnostic> {
        let mut found = Subscript { labels: Vec::new(), ellipsis: None };
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let start = offset + text.len() - rest.len();
            let span = Span { start, end: start + c.len_utf8() };
            if let Some(after) = rest.strip_prefix("...") {
                if found.ellipsis.replace(found.labels.len()).is_some() {
                    return Err(Diagnostic::syntax(span, "`...` stands once in an operand"));
                }
                rest = after;
                continue;
            }
            if c.is_alphabetic() {
                found.labels.push(Name { text: c.to_string(), span });
            } else if !c.is_whitespace() {
                return Err(Diagnostic::syntax(span, format!("`{c}` is not a label: labels are letters"))
                    .help("subscripts look like `ik,kj->ij`; names of several letters are for `at`, numbers for `contract`"));
            }
            rest = &rest[c.len_utf8()..];
        }
        Ok(found)
    }

    /// The labels with the last `count` of `longest` unnamed axes in the place of the ellipsis.
    fn expand(&self, count: usize, longest: usize) -> Vec<Name> {
        let mut names = self.labels.clone();
        if let Some(position) = self.ellipsis {
            let unnamed =
                (longest.saturating_sub(count)..longest).map(|n| Name { text: format!("...{n}"), span: Span::default() });
            names.splice(position..position, unnamed);
        }
        names
    }
}

/// The labels that occur once, alphabetically, after the unnamed axes.
fn implicit_output(terms: &[Subscript]) -> Subscript {
    let all: Vec<&Name> = terms.iter().flat_map(|term| &term.labels).collect();
    let mut labels: Vec<Name> = all
        .iter()
        .filter(|name| all.iter().filter(|other| other.text == name.text).count() == 1)
        .map(|name| (*name).clone())
        .collect();
    labels.sort_by(|a, b| a.text.cmp(&b.text));
    Subscript { labels, ellipsis: terms.iter().any(|t| t.ellipsis.is_some()).then_some(0) }
}
