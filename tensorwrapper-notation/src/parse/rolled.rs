//! The help for an index that is shifted around the end of its axis, `u[(i + 1) % n]`.

use super::places::{Place, is_on_left};
use super::source::Source;
use super::unread::labels_in;
use crate::token::{Delimiter, Token, Tree, text};

/// The help for such an index of the right side, which knows the statement.
pub(super) fn rolled(statement: &[Token], here: &Place<'_>, name: &'static str) -> Option<String> {
    let [sum, sign, modulus @ ..] = here.part() else { return None };
    if !sign.is_punct('%') || is_on_left(statement, here.part()) {
        return None;
    }
    let (label, by) = shift(sum.group(Delimiter::Parenthesis)?, &text(modulus), &labels_in(statement))?;
    let source = Source::of(here, label, name);
    Some(source.told("an axis is shifted around its end", &format!(".roll({by}, {})?", source.axis())))
}

/// The label in a sum and the argument of `roll`. What is at `i + 1` moves back by one. A term of the whole extent shifts nothing.
fn shift<'t>(sum: &'t [Token], modulus: &str, labels: &[&str]) -> Option<(&'t str, String)> {
    let (mut label, mut by) = (None, None);
    let mut is_plus = true;
    for (n, token) in sum.iter().enumerate() {
        match &token.tree {
            Tree::Punct(sign @ ('+' | '-'), _) if n % 2 == 1 => is_plus = *sign == '+',
            Tree::Ident(word) if n % 2 == 0 && is_plus && label.is_none() && labels.contains(&word.as_str()) => {
                label = Some(word)
            }
            Tree::Ident(word) | Tree::Literal(word) if n % 2 == 0 => match word == modulus {
                true => {}
                false if by.is_some() => return None,
                false if is_plus => by = Some(format!("-{word}")),
                false => by = Some(word.clone()),
            },
            _ => return None,
        }
    }
    Some((label?, by?))
}
