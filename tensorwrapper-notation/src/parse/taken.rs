//! Helps for indices that are read from a tensor or from a list, `a[idx[k], j]` and `a[k in [0, 2], j]`, and for parts of an axis with a
//! step: methods of whole tensors give these elements, before the equation.

use super::cursor::split;
use super::places::{Place, fresh, has_word, operand_before, place, sides};
use super::unread::{is_condition, label_of, labels_in, list, steps, valued};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The help for such an index, which knows the statement.
pub(super) fn taken(statement: &[Token], at: Span) -> Option<String> {
    let here = place(statement, at)?;
    let name = if has_word(statement, "b") { "taken" } else { "b" };
    match here.part() {
        [Token { tree: Tree::Ident(label), .. }, word, range @ ..] if word.is_ident("in") => match list(range) {
            Some(list) => Some(listed(&here, label, &list, name)),
            None => stepped(&here, label, range, name),
        },
        [sign, part @ ..] if sign.is_punct('&') => indexed(statement, &here, part, name),
        part => with_colons(statement, &here, part, name).or_else(|| indexed(statement, &here, part, name)),
    }
}

fn listed(here: &Place<'_>, label: &str, list: &str, name: &str) -> String {
    let (operand, axis) = (here.operand(), here.axis());
    format!(
        "what an axis has at a list of places is taken before the equation, `let {name} = {operand}.take({axis}, Tensor::from_array({list})?)?;`, \
         and read as `{}`",
        here.of(name, label)
    )
}

fn stepped(here: &Place<'_>, label: &str, range: &[Token], name: &str) -> Option<String> {
    let [start, end, step] = steps(range)?;
    let (operand, axis) = (here.operand(), here.axis());
    let slice = if matches!(start.as_str(), "" | "0") && end.is_empty() {
        String::new()
    } else {
        format!(".slice({axis}, {start}..{end})?")
    };
    Some(format!(
        "a slice has no step, and a view has one: `let {name} = {operand}.view(){slice}.step({axis}, {step})?;` before the equation, read as `{}`",
        here.of(name, label)
    ))
}

/// `::2`, `1:6:2`, `::-1`
fn with_colons(statement: &[Token], here: &Place<'_>, part: &[Token], name: &str) -> Option<String> {
    let (left, right) = sides(statement);
    let known = labels_in(right);
    let lacking: Vec<&str> = labels_in(left).into_iter().filter(|label| !known.contains(label)).collect();
    let label = if let [one] = lacking[..] { one.to_string() } else { fresh(statement, 1).remove(0) };
    if let [first, second, sign, Token { tree: Tree::Literal(one), .. }] = part
        && [first, second].iter().all(|token| token.is_punct(':'))
        && sign.is_punct('-')
        && one == "1"
    {
        return Some(format!(
            "an axis is reversed before the equation, `let {name} = {}.view().reverse({})?;`, and read as `{}`",
            here.operand(),
            here.axis(),
            here.of(name, &label)
        ));
    }
    stepped(here, &label, part, name)
}

/// `a[idx[k], j]`, where `k` is a label of the equation.
fn indexed(statement: &[Token], here: &Place<'_>, part: &[Token], name: &str) -> Option<String> {
    let labels = labels_in(statement);
    let is_label = |token: &Token| matches!(&token.tree, Tree::Ident(name) if labels.contains(&name.as_str()));
    let bracket = part.iter().position(|token| token.group(Delimiter::Bracket).is_some()).filter(|&n| n > 0)?;
    let inner = part[bracket].group(Delimiter::Bracket)?;
    let reads_a_label = inner.split(|token| token.is_punct(',')).any(|one| label_of(one).is_some_and(|l| labels.contains(&l)));
    if !reads_a_label || is_condition(part) || part.iter().any(|token| token.is_punct('=')) {
        return None;
    }
    let other = fresh(statement, 1).remove(0);
    if place(sides(statement).0, part.first()?.span).is_some() {
        return put(statement, here, &text(&valued(part, &is_label)), &other);
    }
    let chosen =
        format!("`sum({other}; select(iota[{other}] == {}; {}, 0.0))`", text(&valued(part, &is_label)), here.with(&other));
    let is_alone = here.others().all(|part| !part.iter().any(|token| token.group(Delimiter::Bracket).is_some()));
    let Some((methods, read)) = methods(here.inside()) else {
        return is_alone.then(|| format!("elements at computed places are chosen: {chosen}"));
    };
    let taken = format!(
        "what an axis has at the places that a tensor names is taken before the equation, `let {name} = {}{methods};`, and read as `{name}[{read}]`",
        here.operand()
    );
    Some(if is_alone { format!("{taken}; or it is chosen in it: {chosen}") } else { taken })
}

/// `c[idx[k]] += v[k]`
fn put(statement: &[Token], here: &Place<'_>, value: &str, other: &str) -> Option<String> {
    let (left, right) = sides(statement);
    let on_left = labels_in(left);
    let summed: Vec<&str> = labels_in(right).into_iter().filter(|label| !on_left.contains(label)).collect();
    let update = left.last().filter(|token| matches!(token.tree, Tree::Punct(..)));
    if summed.is_empty() || right.iter().any(|token| token.is_ident("where")) {
        return None;
    }
    let sign = update.map_or(String::new(), |token| text(std::slice::from_ref(token)).trim().to_string());
    let zero = if sign.is_empty() { ", which is 0 at all other places" } else { "" };
    // A new tensor has an axis whose extent nothing else gives.
    let (before, behind) = match left.first() {
        Some(first) if first.is_ident("let") => ("let ", format!(" where {other}: n;")),
        Some(first) if first.group(Delimiter::Bracket).is_some() => ("", format!(" where {other}: n")),
        _ => ("", String::new()),
    };
    let (place, summed, right) = (here.with(other), summed.join(", "), text(right));
    Some(format!(
        "elements are put at computed places by a choice: \
         `{before}{place} {sign}= sum({summed}; select(iota[{other}] == {value}; {right}, 0.0)){behind}`{zero}"
    ))
}

/// The methods that take what tensors name along each axis, and the indices of the result. `None` if an index is computed otherwise.
fn methods(inside: &[Token]) -> Option<(String, String)> {
    let (mut methods, mut read, mut axis) = (String::new(), Vec::new(), 0);
    for part in split(inside, ',') {
        let part = if let [sign, part @ ..] = part
            && sign.is_punct('&')
        {
            part
        } else {
            part
        };
        let Some(n) = part.iter().position(|token| token.group(Delimiter::Bracket).is_some()) else {
            read.push(text(part));
            axis += 1;
            continue;
        };
        let inner = part[n].group(Delimiter::Bracket)?;
        // Only a tensor as it is is a method's argument.
        if n + 1 != part.len() || operand_before(part, n).len() != n {
            return None;
        }
        methods += &format!(".take({axis}, &{})?", text(&part[..n]));
        read.push(text(inner));
        axis += split(inner, ',').len();
    }
    Some((methods, read.join(", ")))
}
