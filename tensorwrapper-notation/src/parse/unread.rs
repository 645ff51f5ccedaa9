//! What tokens that are not read yet have: labels, and signs that compare.

use crate::token::{Delimiter, Token, Tree};

/// The label that an index of one axis is, or names before `in`.
pub(super) fn label_of(part: &[Token]) -> Option<&str> {
    match part {
        [Token { tree: Tree::Ident(label), .. }] => Some(label),
        [Token { tree: Tree::Ident(label), .. }, word, ..] if word.is_ident("in") => Some(label),
        _ => None,
    }
}

/// The labels between all brackets of tokens, each once.
pub(super) fn labels_in(tokens: &[Token]) -> Vec<&str> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect<'t>(tokens: &'t [Token], found: &mut Vec<&'t str>) {
    for token in tokens {
        match &token.tree {
            Tree::Group(Delimiter::Bracket, inner) => {
                for part in inner.split(|token| token.is_punct(',') || token.is_punct(';')) {
                    // A fused axis, or an index that is no label.
                    let fused = part.iter().find_map(|token| token.group(Delimiter::Parenthesis)).unwrap_or_default();
                    let labels = label_of(part).into_iter().chain(fused.split(|token| token.is_punct(',')).filter_map(label_of));
                    for label in labels {
                        if !found.contains(&label) {
                            found.push(label);
                        }
                    }
                }
            }
            Tree::Group(Delimiter::Parenthesis | Delimiter::Invisible, inner) => collect(inner, found),
            _ => {}
        }
    }
}

/// Tokens in which some labels between brackets are written otherwise.
pub(super) fn each_index(tokens: &[Token], other: &dyn Fn(&str) -> Option<String>) -> Vec<Token> {
    let inside = |inner: &[Token]| -> Vec<Token> {
        let is_end = |token: Option<&Token>| token.is_none_or(|token| token.is_punct(',') || token.is_punct(';'));
        let one = |n: usize| match &inner[n].tree {
            Tree::Ident(label) if is_end(n.checked_sub(1).map(|n| &inner[n])) && is_end(inner.get(n + 1)) => {
                other(label).map(|text| Token { tree: Tree::Ident(text), span: inner[n].span })
            }
            _ => None,
        };
        (0..inner.len()).map(|n| one(n).unwrap_or_else(|| inner[n].clone())).collect()
    };
    let one = |token: &Token| match &token.tree {
        Tree::Group(Delimiter::Bracket, inner) => {
            Token { tree: Tree::Group(Delimiter::Bracket, inside(inner)), span: token.span }
        }
        Tree::Group(delimiter, inner) => Token { tree: Tree::Group(*delimiter, each_index(inner, other)), span: token.span },
        _ => token.clone(),
    };
    tokens.iter().map(one).collect()
}

/// Tokens with the values of the labels among them.
pub(super) fn valued(tokens: &[Token], is_label: &dyn Fn(&Token) -> bool) -> Vec<Token> {
    let one = |token: &Token| {
        let tree = match &token.tree {
            Tree::Ident(name) if is_label(token) => Tree::Ident(format!("iota[{name}]")),
            // Labels between brackets remain labels.
            Tree::Group(Delimiter::Parenthesis, inner) => Tree::Group(Delimiter::Parenthesis, valued(inner, is_label)),
            other => other.clone(),
        };
        Token { tree, span: token.span }
    };
    tokens.iter().map(one).collect()
}

/// Whether tokens compare, so that they are no expression.
pub(super) fn is_condition(tokens: &[Token]) -> bool {
    let is_before = |n: usize, test: &dyn Fn(&Tree) -> bool| n.checked_sub(1).is_some_and(|before| test(&tokens[before].tree));
    let is_next = |n: usize, sign: char| tokens.get(n + 1).is_some_and(|next| next.is_punct(sign));
    // Types of a Rust path stand between `::<` and `>`.
    let mut types = 0usize;
    tokens.iter().enumerate().any(|(n, token)| match &token.tree {
        Tree::Punct('<', _) if types > 0 || is_before(n, &|tree| matches!(tree, Tree::Punct(':', _))) => {
            types += 1;
            false
        }
        // Arrows do not compare.
        Tree::Punct('>', _) if is_before(n, &|tree| matches!(tree, Tree::Punct('-' | '=', true))) => false,
        Tree::Punct('>', _) if types > 0 => {
            types -= 1;
            false
        }
        Tree::Punct('<' | '>', _) => true,
        Tree::Punct('=', true) => is_next(n, '='),
        Tree::Punct(sign @ ('&' | '|'), true) => is_next(n, *sign),
        Tree::Punct('!', _) => n == 0 || is_next(n, '=') || is_before(n, &|tree| matches!(tree, Tree::Punct('&' | '|', _))),
        // Parentheses behind a name are those of a function.
        Tree::Group(Delimiter::Parenthesis, inner) => {
            !is_before(n, &|tree| matches!(tree, Tree::Ident(_))) && is_condition(inner)
        }
        _ => false,
    })
}
