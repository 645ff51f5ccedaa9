//! `where asym(i, j), assume sym((i, a), (j, b)), herm(p, q)`: symmetries that the left side of an equation has.

use super::cursor::split;
use super::index::labels;
use super::unread::names;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Claim, ClaimKind};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// Whether an item of a `where` is a claim.
pub(super) fn is_claim(tokens: &[Token]) -> bool {
    let tokens = assumed(tokens).1;
    matches!(tokens, [name, call] if kind(name).is_some() && call.group(Delimiter::Parenthesis).is_some())
}

/// Whether tokens begin with `assume`, and those behind it.
fn assumed(tokens: &[Token]) -> (bool, &[Token]) {
    match tokens {
        [first, rest @ ..] if first.is_ident("assume") => (true, rest),
        all => (false, all),
    }
}

fn kind(name: &Token) -> Option<ClaimKind> {
    ClaimKind::ALL.into_iter().find(|kind| name.is_ident(kind.name()))
}

/// A claim, which [`is_claim`] has found.
pub(super) fn claim(tokens: &[Token]) -> Result<Claim, Diagnostic> {
    let (assumed, tokens) = assumed(tokens);
    let [name, call] = tokens else { unreachable!("a claim is a name and what stands in parentheses") };
    let (kind, inner) = (kind(name).expect("a claim has a name"), call.group(Delimiter::Parenthesis).unwrap_or_default());
    let span = name.span.to(call.span);
    let groups = split(inner, ',').into_iter().map(|part| match part {
        [group] if group.group(Delimiter::Parenthesis).is_some() => {
            labels(group.group(Delimiter::Parenthesis).unwrap_or_default(), group.span)
        }
        label => labels(label, call.span),
    });
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    let usage = match kind {
        ClaimKind::Herm => "write `herm(p, q)`, or `herm((p, q), (r, s))`".to_string(),
        _ => format!("write `{0}(i, j)`, or `{0}((i, a), (j, b))`", kind.name()),
    };
    let wanted = if kind == ClaimKind::Herm { groups.len() == 2 } else { groups.len() >= 2 };
    if !wanted || groups.iter().any(|group| group.is_empty() || group.len() != groups[0].len()) {
        let message = format!("`{}` takes labels, or groups of as many labels, that change places", kind.name());
        return Err(Diagnostic::syntax(span, message).help(usage));
    }
    Ok(Claim { kind, groups, assumed, span })
}

/// Whether tokens are a name and what stands in parentheses behind it.
fn is_call(name: &Token, call: &Token) -> bool {
    matches!(name.tree, Tree::Ident(_)) && call.group(Delimiter::Parenthesis).is_some()
}

/// What is wrong with an item that is like a claim, and is none. The next item may be a label of it.
pub(super) fn no_claim(tokens: &[Token], next: &[Token]) -> Option<Diagnostic> {
    let (is_assumed, rest) = assumed(tokens);
    let rest = if rest.last().is_some_and(|last| last.is_punct(',')) { &rest[..rest.len() - 1] } else { rest };
    let known = "symmetries are `sym(i, j)`, `asym(i, j)` and `herm(p, q)`";
    match rest {
        [name, call] if is_call(name, call) => {
            let message = format!("`{}` is no symmetry that `where` claims", text(std::slice::from_ref(name)));
            Some(Diagnostic::syntax(name.span, message).help(known))
        }
        [name, brackets] if kind(name).is_some() && brackets.group(Delimiter::Bracket).is_some() => {
            let (name, assume) = (text(std::slice::from_ref(name)), if is_assumed { "assume " } else { "" });
            let labels = text(brackets.group(Delimiter::Bracket).unwrap_or_default());
            let fault = Diagnostic::syntax(brackets.span, format!("the labels of `{name}` stand in parentheses"));
            Some(fault.help(format!("write `where {assume}{name}({labels})`")))
        }
        // `sym i, j`, of which the label behind the comma is another item
        [name, labels @ ..] if kind(name).is_some() && names(labels).is_some() => {
            let labels = [names(labels), names(next).filter(|next| next.len() == 1)].into_iter().flatten().flatten();
            let labels: Vec<&str> = labels.collect();
            let labels = if labels.len() > 1 { labels.join(", ") } else { "i, j".into() };
            let (name, assume) = (text(std::slice::from_ref(name)), if is_assumed { "assume " } else { "" });
            let fault = Diagnostic::syntax(rest[0].span, format!("the labels of `{name}` stand in parentheses"));
            Some(fault.help(format!("write `where {assume}{name}({labels})`")))
        }
        // `assume(sym(i, j))`
        [group] if is_assumed && group.group(Delimiter::Parenthesis).is_some_and(is_claim) => {
            let inner = group.group(Delimiter::Parenthesis).unwrap_or_default();
            let fault = Diagnostic::syntax(tokens[0].span, "`assume` is a word before a symmetry, without parentheses");
            Some(fault.help(format!("write `where assume {}`", text(inner))))
        }
        // `sym(i, j) = true`
        [claimed @ .., sign, value] if sign.is_punct('=') && is_claim(claimed) => {
            let assume = if is_assumed { "assume " } else { "" };
            let fault = Diagnostic::syntax(sign.span, "a symmetry stands in a `where` by itself, without a value");
            Some(match value.is_ident("true") || value.is_ident("True") {
                true => fault.help(format!("write `where {assume}{}`", text(claimed))),
                false => fault.help("leave it out"),
            })
        }
        [] if is_assumed => {
            let message = "`assume` stands before a symmetry that is believed";
            Some(Diagnostic::syntax(tokens[0].span, message).help("write `where assume sym(i, j)`"))
        }
        _ => None,
    }
}

/// That a claim stands in the `where` of a block.
pub(super) fn in_header(tokens: &[Token], span: Span) -> Diagnostic {
    let message = format!("`{}` claims a symmetry of one equation's left side", text(tokens));
    Diagnostic::syntax(span, message).help(format!("write it behind that equation: `R[i, j] = … where {};`", text(tokens)))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn labels_without_parentheses() {
        refused(&[
            ("[p, q] = a[p, q] where sym p, q", &["sym: the labels of `sym` stand in parentheses | write `where sym(p, q)`"]),
            ("[p, q] = a[p, q] where sym p q", &["sym: the labels of `sym` stand in parentheses | write `where sym(p, q)`"]),
            (
                "[p, q] = a[p, q] where assume asym p, q, p: 3",
                &["asym: the labels of `asym` stand in parentheses | write `where assume asym(p, q)`"],
            ),
            ("[p, q] = a[p, q] where sym p", &["sym: the labels of `sym` stand in parentheses | write `where sym(i, j)`"]),
            ("[p, q] = a[p, q] where sym p, q: 3", &["sym: the labels of `sym` stand in parentheses | write `where sym(i, j)`"]),
            (
                "where sym p, q; let x[p, q] = a[p, q]; x",
                &["sym: the labels of `sym` stand in parentheses | write `where sym(p, q)`"],
            ),
        ]);
    }
}
