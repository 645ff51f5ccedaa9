//! Operands among tokens that are not read yet: which of them has a place, and how it is written with other indices.

use super::cursor::split;
use super::unread::{is_condition, is_rest, label_of};
use super::words::is_keyword;
use crate::relabel::{parts, unused};
use crate::syntax::Ending;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// One index of an operand.
pub(super) struct Place<'t> {
    /// The operand without its brackets. A left side may have no name.
    operand: &'t [Token],
    inside: &'t [Token],
    /// Where the index begins and ends among the tokens between the brackets.
    from: usize,
    to: usize,
}

/// The index at a place, or around it.
pub(super) fn place(tokens: &[Token], at: Span) -> Option<Place<'_>> {
    tokens.iter().enumerate().find_map(|(n, token)| match &token.tree {
        Tree::Group(..) if !contains(token.span, at) => None,
        Tree::Group(Delimiter::Bracket, inside) => {
            let operand = operand_before(tokens, n);
            let (from, to) = parts(inside).find(|&(from, to)| match &inside[from..to] {
                [] => false,
                part => contains(span_of(part), at),
            })?;
            Some(Place { operand, inside, from, to })
        }
        Tree::Group(_, inside) => place(inside, at),
        _ => None,
    })
}

impl<'t> Place<'t> {
    /// The tokens of the index.
    pub(super) fn part(&self) -> &'t [Token] {
        &self.inside[self.from..self.to]
    }

    /// The tokens between the brackets.
    pub(super) fn inside(&self) -> &'t [Token] {
        self.inside
    }

    /// The number of its axis, unless a `..` before it stands for any number of axes.
    pub(super) fn axis(&self) -> Option<usize> {
        let before: Vec<(usize, usize)> = parts(self.inside).take_while(|&(from, _)| from < self.from).collect();
        before.iter().all(|&(from, to)| !is_rest(&self.inside[from..to])).then_some(before.len())
    }

    /// The other indices of the operand.
    pub(super) fn others(&self) -> impl Iterator<Item = &'t [Token]> {
        let inside = self.inside;
        parts(inside).filter(|&(from, _)| from != self.from).map(|(from, to)| &inside[from..to])
    }

    /// The operand without its brackets.
    pub(super) fn operand(&self) -> String {
        text(self.operand)
    }

    /// The operand with another index in this place.
    pub(super) fn with(&self, index: &str) -> String {
        self.of(&self.operand(), index)
    }

    /// Another operand with these indices, but for this one.
    pub(super) fn of(&self, operand: &str, index: &str) -> String {
        let (before, after) = (&self.inside[..self.from], &self.inside[self.to..]);
        let middle = Token { tree: Tree::Ident(index.to_string()), span: Span::default() };
        format!("{operand}[{}]", text(&[before, &[middle], after].concat()))
    }
}

pub(super) fn span_of(tokens: &[Token]) -> Span {
    match tokens {
        [] => Span::default(),
        [first, ..] => first.span.to(tokens[tokens.len() - 1].span),
    }
}

/// Whether a place is inside of another one.
pub(super) fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The operand that ends before a token: a name or a call with the path and the fields before it.
pub(super) fn operand_before(tokens: &[Token], end: usize) -> &[Token] {
    let mut start = end;
    loop {
        let is_word = |n: usize| match &tokens[n].tree {
            Tree::Ident(word) => !is_keyword(word) || matches!(word.as_str(), "self" | "super" | "crate"),
            Tree::Literal(_) => true,
            _ => false,
        };
        match start.checked_sub(1) {
            Some(n) if is_word(n) => start = n,
            Some(n) if matches!(tokens[n].tree, Tree::Group(Delimiter::Parenthesis | Delimiter::Bracket, _)) => {
                start = n;
                if n > 0 && is_word(n - 1) {
                    start = n - 1;
                }
            }
            _ => return &tokens[start..end],
        }
        match &tokens[..start] {
            [.., dot] if dot.is_punct('.') => start -= 1,
            [.., first, second] if first.is_punct(':') && second.is_punct(':') => start -= 2,
            _ => return &tokens[start..end],
        }
    }
}

/// The operand at the end of tokens with its brackets, a call of a function, or a group in parentheses.
pub(super) fn last_operand(tokens: &[Token]) -> &[Token] {
    let end = tokens.len();
    let is_indexed = tokens.last().is_some_and(|token| token.group(Delimiter::Bracket).is_some());
    let start = end - operand_before(tokens, if is_indexed { end - 1 } else { end }).len() - usize::from(is_indexed);
    &tokens[start..]
}

/// The two sides of a statement, without the `=` between them.
pub(super) fn sides(statement: &[Token]) -> (&[Token], &[Token]) {
    match statement.iter().position(|token| token.is_punct('=')) {
        Some(n) => (&statement[..n], &statement[n + 1..]),
        None => (&[], statement),
    }
}

/// Names for labels that a statement does not have, nor a variable in it.
pub(super) fn fresh(statement: &[Token], count: usize) -> Vec<String> {
    unused(|name| !has_word(statement, name)).take(count).collect()
}

/// A name for an extent that no word of a statement is.
pub(super) fn extent(statement: &[Token]) -> String {
    extents(statement).next().unwrap_or_default()
}

/// Names for extents that no word of a statement is.
pub(super) fn extents(statement: &[Token]) -> impl Iterator<Item = String> {
    let names = ["n", "m", "p"].map(str::to_string);
    names.into_iter().chain((1..).map(|n| format!("n{n}"))).filter(|name| !has_word(statement, name))
}

/// Whether a statement makes a new tensor.
pub(super) fn is_new(statement: &[Token]) -> bool {
    sides(statement).0.first().is_none_or(|first| first.is_ident("let") || matches!(first.tree, Tree::Group(..)))
}

/// A call of a function.
pub(super) struct Call<'t> {
    pub(super) name: &'t str,
    pub(super) arguments: &'t [Token],
    /// The labels that reductions around it bind.
    pub(super) bound: Vec<&'t str>,
}

/// The call whose name is at a place.
pub(super) fn call_at(tokens: &[Token], at: Span) -> Option<Call<'_>> {
    tokens.iter().enumerate().find_map(|(n, token)| match &token.tree {
        Tree::Ident(name) if token.span == at => {
            let arguments = tokens.get(n + 1)?.group(Delimiter::Parenthesis)?;
            Some(Call { name, arguments, bound: Vec::new() })
        }
        Tree::Group(_, inner) if contains(token.span, at) => {
            let mut found = call_at(inner, at)?;
            let is_reduction = n > 0 && matches!(&tokens[n - 1].tree, Tree::Ident(name) if Ending::from_name(name).is_some());
            let end = inner.iter().position(|token| token.is_punct(';')).filter(|_| is_reduction).unwrap_or_default();
            found.bound.extend(split(&inner[..end], ',').into_iter().filter_map(label_of));
            Some(found)
        }
        _ => None,
    })
}

/// Whether tokens are a comparison, or an operand alone, which may have truth values. Signs that negate may stand before them.
pub(super) fn may_hold(part: &[Token]) -> bool {
    let is_sign = |token: &Token| token.is_punct('!') || token.is_punct('~');
    let part = &part[part.iter().position(|token| !is_sign(token)).unwrap_or_default()..];
    let is_operand = part.last().is_some_and(|last| last.group(Delimiter::Bracket).is_some());
    is_condition(part) || is_operand && last_operand(part).len() == part.len()
}

/// Whether tokens of a statement stand on its left side.
pub(super) fn is_on_left(statement: &[Token], part: &[Token]) -> bool {
    place(sides(statement).0, span_of(part)).is_some()
}

/// Tokens with conversions of what is indexed among them: a tensor of positions has integers, and an equation other numbers.
pub(super) fn as_numbers(tokens: &[Token]) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let is_converted = n > 0 && tokens[n - 1].is_ident("cast");
        match &token.tree {
            Tree::Group(Delimiter::Bracket, _) if n > 0 => {
                let mut inside = found.split_off(found.len().saturating_sub(operand_before(tokens, n).len()));
                inside.push(token.clone());
                found.push(Token { tree: Tree::Ident("cast".into()), span: token.span });
                found.push(Token { tree: Tree::Group(Delimiter::Parenthesis, inside), span: token.span });
            }
            Tree::Group(Delimiter::Parenthesis, inner) if !is_converted => {
                found.push(Token { tree: Tree::Group(Delimiter::Parenthesis, as_numbers(inner)), span: token.span });
            }
            _ => found.push(token.clone()),
        }
    }
    found
}

/// Whether a name is anywhere among tokens.
pub(super) fn has_word(tokens: &[Token], name: &str) -> bool {
    tokens.iter().any(|token| match &token.tree {
        Tree::Ident(word) => word == name,
        Tree::Group(_, inner) => has_word(inner, name),
        _ => false,
    })
}
