//! Helps that depend on the rest of the equation: which labels its left side has, and which of its names are labels.

use super::cursor::split;
use super::reduction::{not_labels, without_semicolon};
use super::unread::{labels_in, valued};
use crate::diagnostic::Diagnostic;
use crate::syntax::Ending;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// A fault of a statement, with a help that knows the whole statement.
pub(super) fn within(fault: Diagnostic, statement: &[Token]) -> Diagnostic {
    let end = statement.iter().position(|token| token.is_punct('=')).unwrap_or_default();
    let left = labels_in(&statement[..end]);
    if let Some((name, arguments)) = reduction(statement, fault.span) {
        return labelled(name, arguments, &left, fault.span).unwrap_or(fault);
    }
    match index(statement, fault.span).and_then(|part| arithmetic(part, &labels_in(statement))) {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// The reduction whose name is at a place.
fn reduction(tokens: &[Token], at: Span) -> Option<(&str, &[Token])> {
    tokens.iter().enumerate().find_map(|(n, token)| match (&token.tree, tokens.get(n + 1)) {
        (Tree::Ident(name), Some(Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. }))
            if token.span == at && Ending::from_name(name).is_some() =>
        {
            Some((name.as_str(), &inner[..]))
        }
        (Tree::Group(_, inner), _) => reduction(inner, at),
        _ => None,
    })
}

/// The fault of a reduction without labels, with those labels that the left side lacks.
fn labelled(name: &str, arguments: &[Token], left: &[&str], at: Span) -> Option<Diagnostic> {
    match arguments.iter().position(|token| token.is_punct(';')).filter(|&n| n > 0) {
        Some(n) => not_labels(name, (&arguments[..n], &arguments[n + 1..]), left, at),
        None => {
            let summed: Vec<&str> = labels_in(arguments).into_iter().filter(|label| !left.contains(label)).collect();
            let proposed = if summed.is_empty() { "k".to_string() } else { summed.join(", ") };
            Some(without_semicolon(name, arguments, &proposed, at))
        }
    }
}

/// The index at a place.
fn index(tokens: &[Token], at: Span) -> Option<&[Token]> {
    tokens.iter().find_map(|token| match &token.tree {
        Tree::Group(Delimiter::Bracket, inner) => split(inner, ',').into_iter().find(|part| match part {
            [first, .., last] => first.span.to(last.span) == at,
            _ => false,
        }),
        Tree::Group(_, inner) => index(inner, at),
        _ => None,
    })
}

/// What an index such as `i - 1` or `i + j` is here, if it computes with labels and plain numbers only.
fn arithmetic(part: &[Token], labels: &[&str]) -> Option<String> {
    let is_label = |token: &Token| matches!(&token.tree, Tree::Ident(name) if labels.contains(&name.as_str()));
    if part.len() < 3 || !is_plain(part) || !any(part, &is_label) {
        return None;
    }
    if let [label, sign, by] = part
        && is_label(label)
        && !is_label(by)
        && !sign.is_punct('*')
    {
        let (label, by) = (text(std::slice::from_ref(label)), text(std::slice::from_ref(by)));
        let end = ["n", "m", "p"].into_iter().find(|name| *name != by && !labels.contains(name)).unwrap_or("n1");
        let [here, there] = [format!("`{label} in {by}..`"), format!("`{label} in ..{end}`")];
        let [here, there] = if sign.is_punct('+') { [here, there] } else { [there, here] };
        return Some(format!(
            "a label that is shifted is a slice, {here}, beside {there} where it is not, and `{end}` is the extent minus `{by}`"
        ));
    }
    let place = text(&valued(part, &is_label));
    let other = ["k", "l", "m", "p"].into_iter().find(|name| !labels.contains(name)).unwrap_or("k1");
    Some(format!(
        "elements at computed places are chosen: `sum({other}; select(iota[{other}] == {place}; A[{other}], 0.0))`; `where {}: n` behind the \
         equation gives a label the extent that nothing else gives it",
        labels.first().unwrap_or(&"i")
    ))
}

/// Whether tokens are sums and products of plain names and numbers.
fn is_plain(tokens: &[Token]) -> bool {
    let one = |token: &Token| match &token.tree {
        Tree::Ident(word) => word != "as",
        Tree::Literal(_) => true,
        Tree::Punct(sign, _) => matches!(sign, '+' | '-' | '*'),
        Tree::Group(delimiter, inner) => *delimiter == Delimiter::Parenthesis && is_plain(inner),
    };
    let is_call = |pair: &[Token]| matches!(pair, [Token { tree: Tree::Ident(_), .. }, Token { tree: Tree::Group(..), .. }]);
    tokens.iter().all(one) && !tokens.windows(2).any(is_call)
}

fn any(tokens: &[Token], test: &dyn Fn(&Token) -> bool) -> bool {
    tokens.iter().any(|token| test(token) || token.group(Delimiter::Parenthesis).is_some_and(|inner| any(inner, test)))
}
