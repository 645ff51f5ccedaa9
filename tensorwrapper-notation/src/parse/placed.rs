//! Helps for arithmetic with labels in an index: joined axes for `i * n + j`, views with a step for `2 * i` of a tensor that is written,
//! and choices at computed positions.

use super::places::{Place, extents, fresh, is_new, is_on_left, place, sides};
use super::put::{put, written_left};
use super::shifted::shifted;
use super::source::{Source, result_of};
use super::unread::{labels_in, with_values};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// What an index such as `i - 1` or `i * n + j` is here, if it computes with labels and plain numbers only.
pub(super) fn arithmetic(here: &Place<'_>, statement: &[Token]) -> Option<String> {
    let (part, labels) = (here.part(), labels_in(statement));
    let is_label = |token: &Token| matches!(&token.tree, Tree::Ident(name) if labels.contains(&name.as_str()));
    if part.len() < 3 || !is_plain(part) || !any(part, &is_label) {
        return None;
    }
    let value = text(&with_values(part, &labels));
    let joined = joined(part, &is_label);
    if is_on_left(statement, part) {
        let read: Vec<&str> = labels.iter().copied().filter(|label| any(part, &|token| token.is_ident(label))).collect();
        return on_left(here, statement, joined, (&value, &read)).or_else(|| shifted(here, statement));
    }
    if let Some(help) = shifted(here, statement) {
        return Some(help);
    }
    let other = fresh(statement, 1).remove(0);
    let chosen = format!("`sum({other}; select(iota[{other}] == {value}; {}, 0.0))`", here.with(&other));
    let mut extents = extents(statement);
    let (first, second) = (extents.next()?, extents.next()?);
    if let Some([major, minor, factor]) = joined {
        return Some(format!(
            "if `{factor}` is the extent of `{minor}`, one axis is split into two: `{}`, with `where {minor}: {factor}` behind the equation; \
             otherwise elements are chosen: {chosen}, with `where {major}: {first}, {minor}: {second}` for extents that nothing else gives",
            here.with(&format!("({major}, {minor})"))
        ));
    }
    Some(format!(
        "elements at computed positions are chosen: {chosen}; `where {}: {first}` behind the equation gives a label the extent that nothing else \
         gives it",
        labels.first().unwrap_or(&"i")
    ))
}

/// The help for such an index of the left side, whose value reads labels.
fn on_left(here: &Place<'_>, statement: &[Token], joined: Option<[String; 3]>, (value, read): (&str, &[&str])) -> Option<String> {
    let (_, right) = sides(statement);
    if let Some([major, minor, factor]) = joined {
        let (left, end) = written_left(statement, here, &format!("({major}, {minor})"));
        let right = text(right);
        let help = format!("if `{factor}` is the extent of `{minor}`, these are joined axes: `{left} {right}{end}`");
        return Some(match put(statement, here, value, read) {
            Some(put) => format!("{help}; otherwise {put}"),
            None => help,
        });
    }
    if let (false, [label]) = (is_new(statement), read) {
        if here.part().iter().any(|token| token.is_punct('*'))
            && let Some((step, first)) = step(here.part(), label)
        {
            let source = Source::of(here, label, result_of(statement));
            let axis = source.axis();
            let slice = if first == "0" { String::new() } else { format!(".slice({axis}, {first}..)?") };
            return Some(
                source.written("an index has no step: write into a view with one", &format!("{slice}.step({axis}, {step})?")),
            );
        }
        // Slices of a tensor that exists may be written.
        if let Some(help) = shifted(here, statement) {
            return Some(help);
        }
    }
    put(statement, here, value, read)
}

/// The step and the first position of `2 * i + 1`.
fn step(part: &[Token], label: &str) -> Option<(String, String)> {
    let number = |token: &Token| match &token.tree {
        Tree::Literal(word) | Tree::Ident(word) if word != label => Some(word.clone()),
        _ => None,
    };
    let product = |one: &Token, other: &Token| match (one.is_ident(label), other.is_ident(label)) {
        (true, false) => number(other),
        (false, true) => number(one),
        _ => None,
    };
    match part {
        [one, times, other] if times.is_punct('*') => Some((product(one, other)?, "0".into())),
        [one, times, other, plus, first] if times.is_punct('*') && plus.is_punct('+') => {
            Some((product(one, other)?, number(first)?))
        }
        [first, plus, one, times, other] if times.is_punct('*') && plus.is_punct('+') => {
            Some((product(one, other)?, number(first)?))
        }
        _ => None,
    }
}

/// The labels and the factor of `i * n + j`, in any order: the label that is multiplied is the slower one.
fn joined(part: &[Token], is_label: &dyn Fn(&Token) -> bool) -> Option<[String; 3]> {
    let (one, other, minor) = match part {
        [one, times, other, plus, minor] if times.is_punct('*') && plus.is_punct('+') => (one, other, minor),
        [minor, plus, one, times, other] if times.is_punct('*') && plus.is_punct('+') => (one, other, minor),
        _ => return None,
    };
    let (major, factor) = match (is_label(one), is_label(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    let word = |token: &Token| text(std::slice::from_ref(token));
    (is_label(minor) && word(minor) != word(major)).then(|| [major, minor, factor].map(word))
}

/// The help for `let x[i: 3] = …`, whose extent stands beside its label.
pub(super) fn extent_inside(statement: &[Token], at: Span) -> Option<String> {
    let here = place(statement, at)?;
    match here.part() {
        [label @ Token { tree: Tree::Ident(_), .. }, colon, extent @ ..]
            if is_new(statement) && colon.is_punct(':') && !extent.is_empty() && is_on_left(statement, here.part()) =>
        {
            let (label, extent) = (text(std::slice::from_ref(label)), text(extent));
            Some(format!("an extent stands behind the equation, `where {label}: {extent}`, and `{label}` alone here"))
        }
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn arithmetic_in_indices() {
        refused(&[
            (
                "[i * 3 + j] = a[i, j]",
                &[
                    "i * 3 + j: `i * 3 + j` is not an index | if `3` is the extent of `j`, these are joined axes: `[(i, j)] = a[i, j]`; otherwise elements are put at computed positions by a choice: `[k] = sum(i, j; select(iota[k] == iota[i] * 3 + iota[j]; a[i, j], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "[i * n + j] = a[i, j]",
                &[
                    "i * n + j: `i * n + j` is not an index | if `n` is the extent of `j`, these are joined axes: `[(i, j)] = a[i, j]`; otherwise elements are put at computed positions by a choice: `[k] = sum(i, j; select(iota[k] == iota[i] * n + iota[j]; a[i, j], 0.0)) where k: m`, which is 0 at all other positions",
                ],
            ),
            (
                "[3 * i + j, k] = a[i, j, k]",
                &[
                    "3 * i + j: `3 * i + j` is not an index | if `3` is the extent of `j`, these are joined axes: `[(i, j), k] = a[i, j, k]`; otherwise elements are put at computed positions by a choice: `[l, k] = sum(i, j; select(iota[l] == 3 * iota[i] + iota[j]; a[i, j, k], 0.0)) where l: n`, which is 0 at all other positions",
                ],
            ),
            (
                "[j + 3 * i] = a[i, j]",
                &[
                    "j + 3 * i: `j + 3 * i` is not an index | if `3` is the extent of `j`, these are joined axes: `[(i, j)] = a[i, j]`; otherwise elements are put at computed positions by a choice: `[k] = sum(i, j; select(iota[k] == iota[j] + 3 * iota[i]; a[i, j], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "[i + 3 * j] = a[i, j]",
                &[
                    "i + 3 * j: `i + 3 * j` is not an index | if `3` is the extent of `i`, these are joined axes: `[(j, i)] = a[i, j]`; otherwise elements are put at computed positions by a choice: `[k] = sum(i, j; select(iota[k] == iota[i] + 3 * iota[j]; a[i, j], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "let x[i * n + j] = a[i, j]; x",
                &[
                    "i * n + j: `i * n + j` is not an index | if `n` is the extent of `j`, these are joined axes: `let x[(i, j)] = a[i, j];`; otherwise elements are put at computed positions by a choice: `let x[k] = sum(i, j; select(iota[k] == iota[i] * n + iota[j]; a[i, j], 0.0)) where k: m;`, which is 0 at all other positions",
                ],
            ),
            (
                "c[i * n + j] = a[i, j]",
                &[
                    "i * n + j: `i * n + j` is not an index | if `n` is the extent of `j`, these are joined axes: `c[(i, j)] = a[i, j]`; otherwise elements are put at computed positions by a choice: `c[k] = sum(i, j; select(iota[k] == iota[i] * n + iota[j]; a[i, j], 0.0))`, which is 0 at all other positions",
                ],
            ),
            (
                "c[i * n + j] += a[i, j]",
                &[
                    "i * n + j: `i * n + j` is not an index | if `n` is the extent of `j`, these are joined axes: `c[(i, j)] += a[i, j]`; otherwise elements are put at computed positions by a choice: `c[k] += sum(i, j; select(iota[k] == iota[i] * n + iota[j]; a[i, j], 0.0))`",
                ],
            ),
            (
                "[2 * i] = v[i]",
                &[
                    "2 * i: `2 * i` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == 2 * iota[i]; v[i], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "[i * 2] = v[i]",
                &[
                    "i * 2: `i * 2` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == iota[i] * 2; v[i], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "[2 * i + 1] = v[i]",
                &[
                    "2 * i + 1: `2 * i + 1` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == 2 * iota[i] + 1; v[i], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "let x[2 * i] = v[i]; x",
                &[
                    "2 * i: `2 * i` is not an index | elements are put at computed positions by a choice: `let x[k] = sum(i; select(iota[k] == 2 * iota[i]; v[i], 0.0)) where k: n;`, which is 0 at all other positions",
                ],
            ),
            (
                "c[2 * i] = v[i]",
                &[
                    "2 * i: `2 * i` is not an index | an index has no step: write into a view with one, `let mut b = c.view_mut().step(0, 2)?;`, as `b[i] = …`",
                ],
            ),
            (
                "c[2 * i + 1, j] += v[i, j]",
                &[
                    "2 * i + 1: `2 * i + 1` is not an index | an index has no step: write into a view with one, `let mut b = c.view_mut().slice(0, 1..)?.step(0, 2)?;`, as `b[i, j] = …`",
                ],
            ),
            (
                "c[i + j] += v[i] * w[j]",
                &[
                    "i + j: `i + j` is not an index | elements are put at computed positions by a choice: `c[k] += sum(i, j; select(iota[k] == iota[i] + iota[j]; v[i] * w[j], 0.0))`",
                ],
            ),
            (
                "[i + j] = v[i] * w[j]",
                &[
                    "i + j: `i + j` is not an index | elements are put at computed positions by a choice: `[k] = sum(i, j; select(iota[k] == iota[i] + iota[j]; v[i] * w[j], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "[i + 1] = v[i]",
                &[
                    "i + 1: `i + 1` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == iota[i] + 1; v[i], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "[i - 1] = v[i]",
                &[
                    "i - 1: `i - 1` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == iota[i] - 1; v[i], 0.0)) where k: n`, which is 0 at all other positions",
                ],
            ),
            (
                "c[i + 1] = v[i]",
                &[
                    "i + 1: `i + 1` is not an index | write the shifted operand with the slice `i in 1..`, and all others with `i in ..{ n - 1 }`; `n` is the extent",
                ],
            ),
            (
                "[n - i] = v[i]",
                &[
                    "n - i: `n - i` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == n - iota[i]; v[i], 0.0)) where k: m`, which is 0 at all other positions",
                ],
            ),
            (
                "[n - 1 - i] = v[i]",
                &[
                    "n - 1 - i: `n - 1 - i` is not an index | elements are put at computed positions by a choice: `[k] = sum(i; select(iota[k] == n - 1 - iota[i]; v[i], 0.0)) where k: m`, which is 0 at all other positions",
                ],
            ),
            (
                "c[n - 1 - i] = v[i]",
                &[
                    "n - 1 - i: `n - 1 - i` is not an index | elements are put at computed positions by a choice: `c[k] = sum(i; select(iota[k] == n - 1 - iota[i]; v[i], 0.0))`, which is 0 at all other positions",
                ],
            ),
            (
                "[i, j] = a[i * 3 + j]",
                &[
                    "i * 3 + j: `i * 3 + j` is not an index | if `3` is the extent of `j`, one axis is split into two: `a[(i, j)]`, with `where j: 3` behind the equation; otherwise elements are chosen: `sum(k; select(iota[k] == iota[i] * 3 + iota[j]; a[k], 0.0))`, with `where i: n, j: m` for extents that nothing else gives",
                ],
            ),
            (
                "[i, j] = a[i + 3 * j]",
                &[
                    "i + 3 * j: `i + 3 * j` is not an index | if `3` is the extent of `i`, one axis is split into two: `a[(j, i)]`, with `where i: 3` behind the equation; otherwise elements are chosen: `sum(k; select(iota[k] == iota[i] + 3 * iota[j]; a[k], 0.0))`, with `where j: n, i: m` for extents that nothing else gives",
                ],
            ),
            (
                "[i] = a[2 * i]",
                &[
                    "2 * i: `2 * i` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == 2 * iota[i]; a[k], 0.0))`; `where i: n` behind the equation gives a label the extent that nothing else gives it",
                ],
            ),
            (
                "[i] = a[n - 1 - i]",
                &[
                    "n - 1 - i: `n - 1 - i` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == n - 1 - iota[i]; a[k], 0.0))`; `where i: m` behind the equation gives a label the extent that nothing else gives it",
                ],
            ),
        ]);
    }
}
