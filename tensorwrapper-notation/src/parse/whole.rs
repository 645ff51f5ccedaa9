//! Helps for `:` and its like, a whole axis in other languages: which label to write in its place.

use super::foreign::WHOLE;
use super::index::indices;
use super::places::{Place, fresh, place, sides};
use super::unread::{LONGEST, is_whole, labels_in};
use crate::relabel::each_part;
use crate::syntax::Factorisation;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The help for a whole axis, which knows the labels of the statement.
pub(super) fn whole_axis(statement: &[Token], at: Span) -> Option<String> {
    let here = place(statement, at).filter(|place| is_whole(place.part()))?;
    let (left, right) = sides(statement);
    let is_algebra =
        right.first().is_some_and(|first| matches!(&first.tree, Tree::Ident(name) if Factorisation::from_name(name).is_some()));
    let found = if is_algebra { None } else { labelled(statement, (left, right), &here) };
    let count = here.inside().split(|token| token.is_punct(',')).filter(|part| is_whole(part)).count();
    Some(found.unwrap_or_else(|| format!("{WHOLE}, {}", quoted(&fresh(statement, count)))))
}

/// Arguments of a reduction with labels for their whole axes, over which it runs, and these labels.
pub(super) fn reduced(arguments: &[Token], statement: &[Token]) -> Option<(Vec<Token>, Vec<String>)> {
    let counts = counts(arguments);
    let labels = fresh(statement, *counts.first()?);
    counts.iter().all(|&count| count == labels.len()).then(|| (with_labels(arguments, &labels), labels))
}

/// The help with labels for all whole axes of the statement, if it is beyond doubt which ones they are.
fn labelled(statement: &[Token], (left, right): (&[Token], &[Token]), here: &Place<'_>) -> Option<String> {
    let (on_left, on_right) = (counts(left), counts(right));
    let lacking = |of: &[Token], other: &[Token]| -> Vec<String> {
        let known = labels_in(other);
        labels_in(of).into_iter().filter(|label| !known.contains(label)).map(str::to_string).collect()
    };
    let (first, second) = (on_left.iter().sum::<usize>(), on_right.first().copied().unwrap_or_default());
    // Only operands with as many whole axes certainly share their labels.
    if on_left.len() > 1 || on_right.iter().any(|&count| count != second) {
        return None;
    }
    if first == 0 {
        let missing = lacking(left, right);
        if missing.len() == second {
            let written = written(statement, &missing)?;
            return Some(format!("a whole axis has a label, here {} of the left side: `{written}`", quoted(&missing)));
        }
        let labels = fresh(statement, second);
        return Some(match on_right.len() {
            1 => {
                let (it, is) = if labels.len() == 1 { ("it", "is") } else { ("them", "are") };
                let operand = written(std::slice::from_ref(&operand_of(here)), &labels)?;
                let list = quoted(&labels);
                format!("{WHOLE}: `{}{operand}`, and {list} {is} summed unless the left side has {it}, too", here.operand())
            }
            _ => format!("{WHOLE}, and axes that are summed together share it: `{}`", written(statement, &labels)?),
        });
    }
    if second == 0 {
        let missing = lacking(right, left);
        let once: Vec<String> = missing.iter().filter(|label| occurrences(right, label) == 1).cloned().collect();
        let labels = [missing, once].into_iter().find(|labels| labels.len() == first)?;
        let written = written(statement, &labels)?;
        return Some(format!("a whole axis has a label, here {} of the right side: `{written}`", quoted(&labels)));
    }
    let labels = fresh(statement, first);
    (first == second).then(|| written(statement, &labels)).flatten().map(|written| {
        let share = if first == 1 { "which both sides share" } else { "and both sides share them" };
        format!("{WHOLE}, {share}: `{written}`")
    })
}

/// The brackets around an index.
fn operand_of(here: &Place<'_>) -> Token {
    Token { tree: Tree::Group(Delimiter::Bracket, here.inside().to_vec()), span: Span::default() }
}

fn quoted(labels: &[String]) -> String {
    crate::sentence::quoted(labels)
}

/// The numbers of whole axes of those operands that have some.
fn counts(tokens: &[Token]) -> Vec<usize> {
    let one = |token: &Token| match &token.tree {
        Tree::Group(Delimiter::Bracket, inside) => {
            let parts = inside.split(|token| token.is_punct(',') || token.is_punct(';'));
            vec![parts.filter(|part| is_whole(part)).count()]
        }
        Tree::Group(Delimiter::Parenthesis, inner) => counts(inner),
        _ => Vec::new(),
    };
    tokens.iter().flat_map(one).filter(|&count| count > 0).collect()
}

/// How often a label stands between brackets.
fn occurrences(tokens: &[Token], label: &str) -> usize {
    let one = |token: &Token| match &token.tree {
        Tree::Group(Delimiter::Bracket, inside) => inside.iter().filter(|token| token.is_ident(label)).count(),
        Tree::Group(Delimiter::Parenthesis, inner) => occurrences(inner, label),
        _ => 0,
    };
    tokens.iter().map(one).sum()
}

/// A statement with labels in the place of whole axes, if nothing else between its brackets is wrong.
fn written(statement: &[Token], labels: &[String]) -> Option<String> {
    let written = with_labels(statement, labels);
    let end = if statement.first().is_some_and(|first| first.is_ident("let")) { ";" } else { "" };
    let text = text(&written) + end;
    (is_right(&written) && text.chars().count() <= LONGEST).then_some(text)
}

/// Tokens with labels in the place of whole axes; those of each operand begin with the first label.
fn with_labels(tokens: &[Token], labels: &[String]) -> Vec<Token> {
    let one = |token: &Token| {
        let mut next = labels.iter();
        each_part(std::slice::from_ref(token), &mut |part, _| {
            let label = if is_whole(part) { next.next()? } else { return None };
            Some(vec![Token { tree: Tree::Ident(label.clone()), span: Span::default() }])
        })
    };
    each_group(tokens, &one)
}

/// Tokens in which all groups in brackets are written otherwise, each by itself.
fn each_group(tokens: &[Token], one: &dyn Fn(&Token) -> Vec<Token>) -> Vec<Token> {
    let other = |token: &Token| match &token.tree {
        Tree::Group(Delimiter::Bracket, _) => one(token),
        Tree::Group(Delimiter::Parenthesis, inner) => {
            vec![Token { tree: Tree::Group(Delimiter::Parenthesis, each_group(inner, one)), span: token.span }]
        }
        _ => vec![token.clone()],
    };
    tokens.iter().flat_map(other).collect()
}

/// Whether there are indices between all brackets.
fn is_right(tokens: &[Token]) -> bool {
    tokens.iter().all(|token| match &token.tree {
        Tree::Group(Delimiter::Bracket, inside) => indices(inside, token.span).is_ok(),
        Tree::Group(Delimiter::Parenthesis, inner) => is_right(inner),
        _ => true,
    })
}
