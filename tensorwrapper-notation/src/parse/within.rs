//! Helps that depend on the rest of the equation: which labels its left side has, and which of its names are labels.

use super::calls::chosen;
use super::choices::doubled;
use super::computed::computed;
use super::cursor::{Cursor, split};
use super::gradient::separated;
use super::holds::holds;
use super::mistake::unexpected;
use super::placed::{arithmetic, extent_inside};
use super::places::{Call, call_at, fresh, has_word, place, span_of};
use super::reduction::{AXES, axis_numbers, has_rest, labels_first, not_labels, of_an_axis, of_the_rest, without_semicolon};
use super::taken::taken;
use super::truths::{comparison_as_number, with_extent};
use super::unread::{is_comparison, is_rest, label_of, labels_in, names, with_values};
use super::whole::{reduced, whole_axis};
use crate::diagnostic::Diagnostic;
use crate::relabel::{free_labels_in, renamed};
use crate::syntax::Ending;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// A fault of a statement, with a help that knows the whole statement.
pub(super) fn within(fault: Diagnostic, statement: &[Token]) -> Diagnostic {
    if let [first, rest @ ..] = statement
        && first.is_ident("return")
    {
        let value = if rest.is_empty() { String::new() } else { format!(", `{}`", text(rest)) };
        let fault = Diagnostic::syntax(first.span, "an equation has no `return`");
        return fault.help(format!("the value of a block is its last line{value}, without a `;` behind it"));
    }
    let end = statement.iter().position(|token| token.is_punct('=')).unwrap_or_default();
    let call = call_at(statement, fault.span);
    let bound = call.as_ref().map_or(&[][..], |call| &call.bound);
    let known = [&labels_in(&statement[..end]), bound].concat();
    if let Some(call) = call.as_ref().filter(|call| Ending::from_name(call.name).is_some()) {
        return labelled(call, (statement, &known), fault.span).unwrap_or(fault);
    }
    if let Some(fault) = comparison_as_number(statement, fault.span) {
        return fault;
    }
    let call = call.as_ref();
    let labels = labels_in(statement);
    if let Some(help) = call.and_then(|call| chosen(call.name, &split(call.arguments, ','), &labels)) {
        return with_extent(fault.help(help), statement, &labels);
    }
    let help = call
        .and_then(|call| holds(call, statement, &known).or_else(|| separated(call, statement, &known)))
        .or_else(|| extent_inside(statement, fault.span))
        .or_else(|| whole_axis(statement, fault.span))
        .or_else(|| taken(statement, fault.span))
        .or_else(|| arithmetic(&place(statement, fault.span)?, statement))
        .or_else(|| computed(statement, &place(statement, fault.span)?));
    match help {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// The fault of a reduction without labels, with those labels that the left side lacks.
fn labelled(call: &Call<'_>, (statement, left): (&[Token], &[&str]), at: Span) -> Option<Diagnostic> {
    let (name, arguments) = (call.name, call.arguments);
    if let Some(fault) = of_a_condition(name, arguments, (statement, left)) {
        return Some(fault);
    }
    let keeps_rest = has_rest(&statement[..statement.iter().position(|token| token.is_punct('=')).unwrap_or_default()]);
    if let Some(fault) = of_the_rest(name, arguments, statement, at).filter(|_| !keeps_rest) {
        return Some(fault);
    }
    match arguments.iter().position(|token| token.is_punct(';')).filter(|&n| n > 0) {
        Some(n) if split(&arguments[..n], ',').into_iter().all(|part| axis_numbers(part).is_some()) => {
            of_numbers(name, (&arguments[..n], &arguments[n + 1..]), left, at)
        }
        Some(n) => {
            let fault = not_labels(name, (&arguments[..n], &arguments[n + 1..]), (left, &labels_in(statement)), at)?;
            let compared: Vec<&str> = left.iter().copied().filter(|label| has_word(&arguments[..n], label)).collect();
            Some(with_extent(fault, statement, &compared))
        }
        // The sign comes first, so that the help for the labels can be written: `sum(v[i]^2)`.
        None if let Some(fault) = raised(arguments) => Some(fault),
        None => {
            if let Some((arguments, labels)) = reduced(arguments, statement) {
                let other =
                    labels_in(&arguments).into_iter().filter(|label| !left.contains(label) && !labels.iter().any(|l| l == label));
                let summed: Vec<&str> = other.chain(labels.iter().map(String::as_str)).collect();
                return Some(without_semicolon(name, &arguments, &summed.join(", "), at));
            }
            let inside = free_labels_in(arguments);
            let summed: Vec<&str> = inside.iter().copied().filter(|label| !left.contains(label)).collect();
            if !summed.is_empty() {
                return Some(without_semicolon(name, arguments, &summed.join(", "), at));
            }
            let is_element = |part: &&[Token]| !part.iter().any(|token| token.is_punct('='));
            if matches!(name, "max" | "min") && split(arguments, ',').into_iter().filter(is_element).count() > 1 {
                return Some(without_semicolon(name, arguments, "k", at));
            }
            // Labels of the left side are not summed: what runs over the same axes has labels of its own.
            let inside = match axes(arguments) {
                Some(axes) => match axes.as_ref().and_then(|axes| numbered(arguments, axes)) {
                    Some(labels) => labels,
                    None => return Some(of_an_axis(name, &fresh(statement, axes.map_or(1, |axes| axes.len().max(1))), at)),
                },
                None => inside,
            };
            let labels = fresh(statement, inside.len().max(1));
            let names: Vec<(&str, String)> = inside.into_iter().zip(labels.iter().cloned()).collect();
            Some(without_semicolon(name, &renamed(arguments, &names), &labels.join(", "), at))
        }
    }
}

/// The fault of a power in the body of a reduction without labels.
fn raised(body: &[Token]) -> Option<Diagnostic> {
    let n = body.iter().position(|token| token.is_punct('^'))?;
    unexpected(&Cursor::new(body, body[n].span).moved(n)).err()
}

/// The fault of `sum(i; v[i] > 0.0)`, a reduction of truth values.
fn of_a_condition(name: &str, arguments: &[Token], (statement, left): (&[Token], &[&str])) -> Option<Diagnostic> {
    let (list, body) = match arguments.iter().position(|token| token.is_punct(';')) {
        Some(n) => (Some(text(&arguments[..n])), &arguments[n + 1..]),
        None => (None, arguments),
    };
    if !is_comparison(body) || split(body, ',').len() != 1 {
        return None;
    }
    let summed: Vec<&str> = free_labels_in(body).into_iter().filter(|label| !left.contains(label)).collect();
    let labels = list.or((!summed.is_empty()).then(|| summed.join(", ")))?;
    let bound: Vec<&str> = arguments.split(|token| token.is_punct(';')).next().and_then(names).unwrap_or_default();
    let condition = text(&with_values(&doubled(body), &[labels_in(statement), bound].concat()));
    let fault = Diagnostic::syntax(span_of(body), "a comparison is not a number");
    Some(fault.help(format!("write `{name}({labels}; select({condition}; 1.0, 0.0))`, in which what holds counts as 1")))
}

/// The fault of a reduction over axes by their numbers, `sum(0; a[i, j])`. The left side has the labels that are left.
fn of_numbers(name: &str, (numbers, body): (&[Token], &[Token]), left: &[&str], at: Span) -> Option<Diagnostic> {
    let axes: Vec<isize> = split(numbers, ',').into_iter().filter_map(axis_numbers).flatten().collect();
    let summed = numbered(body, &axes)?;
    let fault = labels_first(name, &summed.join(", "), &text(body), at);
    let kept: Vec<&str> = free_labels_in(body).into_iter().filter(|label| !summed.contains(label)).collect();
    match (&fault.help, summed.iter().any(|label| left.contains(label))) {
        (Some(help), true) => {
            let help = format!("{help}, whose value has the indices `[{}]`", kept.join(", "));
            Some(fault.help(help))
        }
        _ => Some(fault),
    }
}

/// The axes behind the body of a reduction, `mean(a[i, j], axis = 1)`: `None` if there are none, and `Some(None)` if they are unknown.
fn axes(arguments: &[Token]) -> Option<Option<Vec<isize>>> {
    split(arguments, ',').into_iter().skip(1).find_map(|option| match (axis_numbers(option), option) {
        (Some(axes), _) => Some(Some(axes)),
        (None, [name, sign, ..]) if sign.is_punct('=') && AXES.iter().any(|word| name.is_ident(word)) => Some(None),
        _ => None,
    })
}

/// The labels of the axes with these numbers, if the body has one kind of indices. Negative numbers count from the last axis.
fn numbered<'t>(arguments: &'t [Token], axes: &[isize]) -> Option<Vec<&'t str>> {
    let body = *split(arguments, ',').first()?;
    let mut all = Vec::new();
    brackets(body, &mut all)?;
    let (first, others) = all.split_first()?;
    if others.iter().any(|other| text(other) != text(first)) {
        return None;
    }
    // An axis at a position is none of the part that is left.
    let is_position = |part: &&[Token]| matches!(part, [Token { tree: Tree::Literal(_) | Tree::Group(Delimiter::Brace, _), .. }]);
    let parts: Vec<&[Token]> = split(first, ',').into_iter().filter(|part| !is_position(part)).collect();
    let mut labels = Vec::new();
    for &axis in axes {
        let at = if axis < 0 { parts.len().checked_sub(axis.unsigned_abs())? } else { axis.unsigned_abs() };
        let between = if axis < 0 { parts.get(at..)? } else { parts.get(..=at)? };
        // `..` stands for any number of axes.
        let label = label_of(parts[at]).filter(|_| !between.iter().any(|part| is_rest(part)))?;
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    Some(labels)
}

/// The insides of all brackets. `None` if a list in the tokens binds labels, so that axes are others than those of the brackets.
fn brackets<'t>(tokens: &'t [Token], found: &mut Vec<&'t [Token]>) -> Option<()> {
    for token in tokens {
        match &token.tree {
            Tree::Group(Delimiter::Bracket, inner) => found.push(inner),
            Tree::Group(Delimiter::Parenthesis, inner) => brackets(inner, found)?,
            // So does another reduction over an axis by its number.
            Tree::Punct(';' | '=', _) => return None,
            _ => {}
        }
    }
    Some(())
}
