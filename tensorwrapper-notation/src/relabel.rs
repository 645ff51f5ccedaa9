//! Labels among tokens: which stand between brackets, and how tokens are written with others in their place.
//!
//! A list such as that of `sum(i; X)` binds labels: inside, they are others than those of the same names outside.

use crate::syntax::{Ending, Exchange};
use crate::token::{Delimiter, Token, Tree};

/// What is written in the place of an index, beside the labels that lists around it bind. `None` leaves it as it is.
pub(crate) type Other<'o, 't> = &'o mut dyn FnMut(&'t [Token], &[&'t str]) -> Option<Vec<Token>>;

/// Tokens with other indices between all brackets, and in the lists of `sym` and `asym`.
pub(crate) fn each_part<'t>(tokens: &'t [Token], other: Other<'_, 't>) -> Vec<Token> {
    inside(tokens, &[], other)
}

fn inside<'t>(tokens: &'t [Token], bound: &[&'t str], other: Other<'_, 't>) -> Vec<Token> {
    let one = |(n, token): (usize, &'t Token)| {
        let tree = match &token.tree {
            Tree::Group(Delimiter::Bracket, inner) => Tree::Group(Delimiter::Bracket, indices(inner, bound, other)),
            Tree::Group(Delimiter::Parenthesis, inner) => {
                let before = n.checked_sub(1).map(|n| &tokens[n].tree);
                let name = if let Some(Tree::Ident(name)) = before { name } else { "" };
                Tree::Group(Delimiter::Parenthesis, call(name, inner, bound, other))
            }
            Tree::Group(Delimiter::Invisible, inner) => Tree::Group(Delimiter::Invisible, inside(inner, bound, other)),
            // Rust stands in braces.
            tree => tree.clone(),
        };
        Token { tree, span: token.span }
    };
    tokens.iter().enumerate().map(one).collect()
}

/// The inside of parentheses behind a name. The labels in `sum(i; X)` are bound, and those in `sym(i, j; X)` are labels of X.
fn call<'t>(name: &str, inner: &'t [Token], bound: &[&'t str], other: Other<'_, 't>) -> Vec<Token> {
    let end = inner.iter().position(|token| token.is_punct(';')).unwrap_or_default();
    let (list, rest) = inner.split_at(end);
    if Exchange::from_name(name).is_some() {
        return [indices(list, bound, other), inside(rest, bound, other)].concat();
    }
    if let "map" | "cast" = name {
        // A function or a type of Rust's, whose names are no labels.
        return [list.to_vec(), inside(rest, bound, other)].concat();
    }
    let mut all = bound.to_vec();
    if Ending::from_name(name).is_some() {
        all.extend(list.split(|token| token.is_punct(',')).filter_map(label_of));
    }
    [inside(list, bound, other), inside(rest, &all, other)].concat()
}

fn indices<'t>(inner: &'t [Token], bound: &[&'t str], other: Other<'_, 't>) -> Vec<Token> {
    let mut written = Vec::new();
    for (from, to) in parts(inner) {
        written.extend(other(&inner[from..to], bound).unwrap_or_else(|| inner[from..to].to_vec()));
        written.extend(inner.get(to).cloned());
    }
    written
}

/// Where the indices between two brackets begin and end.
pub(crate) fn parts(inner: &[Token]) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    inner.split(|token| token.is_punct(',') || token.is_punct(';')).map(move |part| {
        let found = (from, from + part.len());
        from = found.1 + 1;
        found
    })
}

/// The label that an index of one axis is, or names before `in`.
pub(crate) fn label_of(part: &[Token]) -> Option<&str> {
    match part {
        [Token { tree: Tree::Ident(label), .. }] => Some(label),
        [Token { tree: Tree::Ident(label), .. }, word, ..] if word.is_ident("in") => Some(label),
        _ => None,
    }
}

/// The labels between all brackets of tokens, each once.
pub(crate) fn labels_in(tokens: &[Token]) -> Vec<&str> {
    labels(tokens, &|_, _| true)
}

/// Those of them that no list among the tokens binds.
pub(crate) fn free_labels_in(tokens: &[Token]) -> Vec<&str> {
    labels(tokens, &|label, bound| !bound.contains(&label))
}

fn labels<'t>(tokens: &'t [Token], counts: &dyn Fn(&str, &[&str]) -> bool) -> Vec<&'t str> {
    let mut found = Vec::new();
    each_part(tokens, &mut |part, bound| {
        // A fused axis, or an index that is no label.
        let fused = part.iter().find_map(|token| token.group(Delimiter::Parenthesis)).unwrap_or_default();
        for label in label_of(part).into_iter().chain(fused.split(|token| token.is_punct(',')).filter_map(label_of)) {
            if counts(label, bound) && !found.contains(&label) {
                found.push(label);
            }
        }
        None
    });
    found
}

/// Tokens in which labels have other names, but not where a list binds them: the first of each pair becomes the second.
pub(crate) fn renamed(tokens: &[Token], names: &[(&str, String)]) -> Vec<Token> {
    each_part(tokens, &mut |part, bound| {
        let named = |token: &Token| match &token.tree {
            Tree::Ident(label) if !bound.contains(&label.as_str()) => {
                let other = names.iter().find(|(old, _)| old == label).map_or(label, |(_, new)| new);
                Token { tree: Tree::Ident(other.clone()), span: token.span }
            }
            _ => token.clone(),
        };
        match part {
            [Token { tree: Tree::Group(Delimiter::Parenthesis, inner), span }] => {
                let inner = inner.iter().map(named).collect();
                Some(vec![Token { tree: Tree::Group(Delimiter::Parenthesis, inner), span: *span }])
            }
            [first, rest @ ..] if label_of(part).is_some() => Some([&[named(first)], rest].concat()),
            _ => None,
        }
    })
}

/// Names for new labels: those that are free.
pub(crate) fn unused(is_free: impl Fn(&str) -> bool) -> impl Iterator<Item = String> {
    let letters = ["k", "l", "m", "p", "q", "r", "s", "t"].map(str::to_string);
    letters.into_iter().chain((1..).map(|n| format!("k{n}"))).filter(move |name| is_free(name))
}
