//! Faults of `sum(k; X)` and its like: labels that are missing or misplaced, and what stands in their place.

use super::cursor::split;
use super::places::fresh;
use super::unread::{is_condition, is_name, is_rest, label_of, labels_in, names, valued, with_values};
use crate::diagnostic::Diagnostic;
use crate::relabel::each_part;
use crate::sentence::quoted;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// `sum(A[i, k])`, `sum(k, A[i, k])`, `sum(k: A[i, k])`. The proposed labels are for a reduction that names none.
pub(super) fn without_semicolon(name: &str, arguments: &[Token], proposed: &str, at: Span) -> Diagnostic {
    let arguments = split(arguments, ';').pop().unwrap_or_default();
    if let [Token { tree: Tree::Ident(label), .. }, sign, body @ ..] = arguments
        && matches!(sign.tree, Tree::Punct(':' | '|', false))
    {
        return semicolon_missing(name, label, &text(body), at);
    }
    // `axis = 1` and `keepdims = true` are options of other libraries.
    let is_option = |part: &&[Token]| part.len() > 1 && is_name(&&part[..1]) && part[1].is_punct('=');
    let mut parts: Vec<&[Token]> = split(arguments, ',').into_iter().filter(|part| !is_option(part)).collect();
    // `sum([k], A[i, k])`
    if let [[group], body] = parts[..]
        && let Some(labels) = listed(group, body)
    {
        return semicolon_missing(name, &labels, &text(body), at);
    }
    if let [body] = parts[..]
        && let Some(fault) = generated(name, body, at)
    {
        return fault;
    }
    // `argmax(A[i, k], 1)`: the number of an axis. A maximum of two elements is no reduction.
    if !matches!(name, "max" | "min") && parts.len() > 1 {
        let axes = parts.split_off(1);
        parts.extend(axes.into_iter().filter(|part| axis_numbers(part).is_none()));
    }
    let written: Vec<String> = parts.iter().map(|part| text(part)).collect();
    match (&parts[..], written.split_last()) {
        ([first @ .., _], Some((body, names))) if !names.is_empty() && first.iter().all(is_name) => {
            semicolon_missing(name, &names.join(", "), body, at)
        }
        // `sum(A[i, k], k)`
        ([body, labels @ ..], _) if labels_follow(name, body, labels) => {
            labels_first(name, &written[1..].join(", "), &text(body), at)
        }
        // `max(A[i], 0.0)` is not a reduction.
        _ if parts.len() > 1 && matches!(name, "max" | "min") => Diagnostic::syntax(at, format!("`{name}` reduces over a label"))
            .help({
                let more = if parts.len() > 2 { ", which is compared with the next one likewise" } else { "" };
                format!("write `{name}(k; X)`, or of two elements `select({})`{more}", larger(name, &written))
            }),
        _ => labels_first(name, proposed, &written.join(", "), at),
    }
}

/// The labels in a group that is a list of those of the body. Braces have a number, as in `max({ n }, a[i])`, and parentheses may.
fn listed(group: &Token, body: &[Token]) -> Option<String> {
    let known = labels_in(body);
    let names = match &group.tree {
        Tree::Group(Delimiter::Bracket | Delimiter::Parenthesis, inner) => names(inner)?,
        _ => return None,
    };
    // A tensor without its indices, as in `sum([k], A)`, tells no labels; brackets alone are no operand.
    let is_list = known.is_empty() && group.group(Delimiter::Bracket).is_some();
    (is_list || names.iter().all(|name| known.contains(name))).then(|| names.join(", "))
}

/// Whether names behind the body are labels. Those of a maximum may be numbers, of which it is no reduction.
fn labels_follow(name: &str, body: &[Token], labels: &[&[Token]]) -> bool {
    let known = labels_in(body);
    let is_known = |part: &[Token]| label_of(part).is_some_and(|label| known.contains(&label));
    let is_reduction = !matches!(name, "max" | "min") || known.is_empty() || labels.iter().all(|part| is_known(part));
    !labels.is_empty() && labels.iter().all(is_name) && is_reduction
}

/// `sum(A[i, k] for k in 1..n if k > 2)`
fn generated(name: &str, body: &[Token], at: Span) -> Option<Diagnostic> {
    let end = body.iter().position(|token| token.is_ident("if")).unwrap_or(body.len());
    let condition = body.get(end + 1..).unwrap_or_default();
    let mut loops = body[..end].split(|token| token.is_ident("for"));
    let body = loops.next()?;
    let loops: Vec<&[Token]> = loops.collect();
    let labels: Vec<&str> = loops.iter().map(|part| label_of(part)).collect::<Option<_>>()?;
    if labels.is_empty() {
        return None;
    }
    let slices: Vec<(&str, String)> =
        loops.iter().zip(&labels).filter_map(|(part, label)| Some((*label, partial(part.get(2..)?)?))).collect();
    let sliced = sliced(body, &slices);
    let all = labels.join(", ");
    let fault = Diagnostic::syntax(at, format!("`{name}` names its labels first"));
    Some(match (condition.is_empty(), neutral(name)) {
        (true, _) if !slices.is_empty() && sliced == body => {
            fault.help(format!("write `{name}({all}; X)`; a part of an axis is a slice, `A[k in 1..3]`"))
        }
        (true, _) => labels_first(name, &all, &text(&sliced), at),
        (false, Some(other)) if slices.is_empty() => {
            let condition = text(&with_values(condition, &labels));
            fault.help(format!("write `{name}({all}; select({condition}; {}, {other}))`", text(body)))
        }
        // Values of the label of a slice count from its start.
        (false, _) => fault.help(format!(
            "write `{name}({all}; X)`; a condition chooses among elements, `select(iota[i] < iota[j]; X, 0.0)`, and a part of an axis is a \
             slice, `A[k in 1..3]`"
        )),
    })
}

/// Tokens with slices in the place of free labels: each pair is a label and its range.
fn sliced(body: &[Token], slices: &[(&str, String)]) -> Vec<Token> {
    each_part(body, &mut |part, bound| match part {
        [Token { tree: Tree::Ident(label), span }] if !bound.contains(&label.as_str()) => {
            let (_, range) = slices.iter().find(|(known, _)| known == label)?;
            Some(vec![Token { tree: Tree::Ident(format!("{label} in {range}")), span: *span }])
        }
        _ => None,
    })
}

/// A range in the form of a slice, unless it seems to be a whole axis.
fn partial(range: &[Token]) -> Option<String> {
    let (start, end) = match range {
        // `range(1, n)`
        [word, Token { tree: Tree::Group(_, inner), .. }] if word.is_ident("range") => match split(inner, ',')[..] {
            [end] => ("0".to_string(), text(end)),
            [start, end] => (text(start), text(end)),
            _ => return None,
        },
        // Where `1:n` is a range, positions count from 1.
        _ if let Some(n) = range.iter().position(|token| token.is_punct(':')) => {
            let start = text(&range[..n]).parse::<usize>().ok()?.checked_sub(1)?;
            (start.to_string(), text(&range[n + 1..]))
        }
        _ if range.windows(2).any(|two| two.iter().all(|token| token.is_punct('.'))) => {
            let written = text(range);
            let (start, end) = written.split_once("..")?;
            (start.to_string(), end.to_string())
        }
        _ => return None,
    };
    let is_whole = matches!(start.as_str(), "" | "0") && end.parse::<usize>().is_err();
    (!is_whole).then(|| format!("{start}..{end}"))
}

fn semicolon_missing(name: &str, labels: &str, body: &str, at: Span) -> Diagnostic {
    Diagnostic::syntax(at, format!("the labels of `{name}` and its body have `;` between them"))
        .help(format!("write `{name}({labels}; {body})`"))
}

/// `sum(A[i, k]; k)`
pub(super) fn labels_first(name: &str, labels: &str, body: &str, at: Span) -> Diagnostic {
    // A tensor without its indices.
    let bare = body.chars().all(|c| c.is_alphanumeric() || c == '_') && body.starts_with(char::is_alphabetic);
    let body = if bare { format!("{body}[{labels}]") } else { body.to_string() };
    names_first(name, at).help(format!("write `{name}({labels}; {body})`"))
}

/// The words before the number of an axis.
pub(super) const AXES: [&str; 4] = ["axis", "axes", "dim", "dims"];

/// The numbers of axes in an argument behind the body: `axis = 1`, `dim = -1`, `1`, `(0, 1)`.
pub(super) fn axis_numbers(argument: &[Token]) -> Option<Vec<isize>> {
    match argument {
        [name, sign, numbers @ ..] if sign.is_punct('=') && AXES.iter().any(|word| name.is_ident(word)) => axis_numbers(numbers),
        [Token { tree: Tree::Literal(digits), .. }] => Some(vec![digits.parse().ok()?]),
        [sign, Token { tree: Tree::Literal(digits), .. }] if sign.is_punct('-') => Some(vec![-digits.parse::<isize>().ok()?]),
        [Token { tree: Tree::Group(Delimiter::Parenthesis | Delimiter::Bracket, inner), .. }] => {
            let numbers: Option<Vec<Vec<isize>>> = split(inner, ',').into_iter().map(axis_numbers).collect();
            numbers.map(|numbers| numbers.concat()).filter(|numbers| !numbers.is_empty())
        }
        _ => None,
    }
}

/// The fault of a reduction over axes by their numbers, where it is unknown which indices they have.
pub(super) fn of_an_axis(name: &str, labels: &[String], at: Span) -> Diagnostic {
    let (list, quoted) = (labels.join(", "), quoted(labels));
    let what = match labels.len() {
        1 => format!("a new label {quoted} in the place of that axis"),
        _ => format!("new labels {quoted} in the place of these axes"),
    };
    names_first(name, at).help(format!("write `{name}({list}; …)` with {what}"))
}

/// Whether an operand among tokens has `..`.
pub(super) fn has_rest(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| match &token.tree {
        Tree::Group(Delimiter::Bracket, inner) => split(inner, ',').into_iter().any(is_rest),
        Tree::Group(Delimiter::Parenthesis, inner) => has_rest(inner),
        _ => false,
    })
}

/// The fault of `sum(a[..])` and `sum(..; a[..])` in a statement.
pub(super) fn of_the_rest(name: &str, arguments: &[Token], statement: &[Token], at: Span) -> Option<Diagnostic> {
    let (list, body) = match arguments.iter().position(|token| token.is_punct(';')) {
        Some(n) => (split(&arguments[..n], ','), &arguments[n + 1..]),
        None => (Vec::new(), arguments),
    };
    let is_listed = list.iter().any(|part| is_rest(part));
    if !is_listed && (!list.is_empty() || !has_rest(body)) {
        return None;
    }
    let new = fresh(statement, 2);
    let written = each_part(body, &mut |part, _| {
        is_rest(part).then(|| vec![Token { tree: Tree::Ident(new.join(", ")), span: part[0].span }])
    });
    let others = list.iter().filter_map(|part| label_of(part)).map(str::to_string);
    let labels: Vec<String> = others.chain(new.iter().cloned()).collect();
    let fault = Diagnostic::syntax(at, format!("`..` stands for axes that are kept, and `{name}` names what it runs over"));
    Some(fault.help(format!("each of these axes has a label, here of two: `{name}({}; {})`", labels.join(", "), text(&written))))
}

/// The fault of what stands before the body of a reduction and is no list of labels: `sum(..; a[..])`, `sum((i, j); a[i, j])`,
/// `sum(i; j; a[i, j])`, `sum(0; a[i, j])`.
pub(super) fn not_a_list(name: &str, arguments: &[Token], at: Span) -> Option<Diagnostic> {
    let segments = split(arguments, ';');
    let [list @ .., body] = &segments[..] else { return None };
    let parts: Vec<&[Token]> = list.iter().flat_map(|segment| split(segment, ',')).collect();
    if list.len() == 1 && parts.iter().any(|part| is_rest(part)) {
        return of_the_rest(name, arguments, arguments, at);
    }
    if !parts.is_empty() && parts.iter().all(|part| axis_numbers(part).is_some()) {
        return Some(labels_first(name, &quotable(&parts, body), &text(body), at));
    }
    let names: Vec<&str> = match &parts[..] {
        [[group]] => split(group.group(Delimiter::Parenthesis)?, ','),
        parts if list.len() > 1 => parts.to_vec(),
        _ => return None,
    }
    .into_iter()
    .map(|part| label_of(part).filter(|_| part.len() == 1))
    .collect::<Option<_>>()?;
    let fault = Diagnostic::syntax(at, format!("the labels of `{name}` have `,` between them, and `;` behind them"));
    Some(fault.help(format!("write `{name}({}; {})`", names.join(", "), text(body))))
}

/// The labels of the body at these numbers, in the order in which they stand there first, and all of them if there are fewer.
fn quotable(parts: &[&[Token]], body: &[Token]) -> String {
    let numbers: Vec<isize> = parts.iter().filter_map(|part| axis_numbers(part)).flatten().collect();
    let labels = labels_in(body);
    let place = |&n: &isize| if n < 0 { labels.len().checked_sub(n.unsigned_abs()) } else { Some(n.unsigned_abs()) };
    let found: Option<Vec<&str>> = numbers.iter().map(|n| labels.get(place(n)?).copied()).collect();
    found.unwrap_or_else(|| labels.clone()).join(", ")
}

/// The fault of a reduction whose labels are missing or misplaced.
fn names_first(name: &str, at: Span) -> Diagnostic {
    let what = if matches!(name, "argmax" | "argmin") { "label" } else { "labels" };
    Diagnostic::syntax(at, format!("`{name}` names its {what} first"))
}

/// The inside of the `select` that gives the larger or the smaller of elements.
fn larger(name: &str, written: &[String]) -> String {
    let sign = if name == "max" { '>' } else { '<' };
    let [x, y] = [0, 1].map(|n| written.get(n).map_or("X", String::as_str));
    format!("{x} {sign} {y}; {x}, {y}")
}

/// What leaves a reduction as it is, for elements that a condition excludes.
fn neutral(name: &str) -> Option<&'static str> {
    Some(match name {
        "sum" => "0.0",
        "prod" => "1.0",
        "max" => "{ f64::NEG_INFINITY }",
        "min" => "{ f64::INFINITY }",
        _ => return None,
    })
}

/// The fault of a condition or a range in the place of labels: `sum(i < j; v[i, j])`, `sum(k in 0..n; a[k])`. Labels of the left side
/// are not summed, nor are those that reductions around this one bind; the whole statement has the known ones.
pub(super) fn not_labels(
    name: &str,
    (before, body): (&[Token], &[Token]),
    (left, known): (&[&str], &[&str]),
    at: Span,
) -> Option<Diagnostic> {
    // `sum(j where j < i; …)`, `sum(j if j < i; …)`
    let joins = |token: &Token| token.is_ident("where") || token.is_ident("if");
    let parts: Vec<&[Token]> =
        split(before, ',').into_iter().flat_map(|part| part.split(joins)).filter(|part| !part.is_empty()).collect();
    let ranges: Vec<(&str, &[Token])> = parts.iter().filter_map(|part| ranged(part)).collect();
    if !ranges.is_empty() {
        let labels: Option<Vec<&str>> =
            parts.iter().map(|part| ranged(part).map(|(label, _)| label).or_else(|| label_of(part))).collect();
        let slices: Vec<(&str, String)> = ranges.iter().map(|(label, range)| (*label, text(range))).collect();
        let is_range = ranges.iter().all(|(_, range)| range.windows(2).any(|two| two.iter().all(|token| token.is_punct('.'))));
        let body = text(&sliced(body, &slices));
        let fault = Diagnostic::syntax(at, format!("`{name}` runs over all indices of its labels"));
        return Some(fault.help(match labels.filter(|_| is_range) {
            Some(labels) => format!("a part of an axis is a slice: `{name}({}; {body})`", labels.join(", ")),
            None => "a part of an axis is a slice in the brackets of an operand: `A[k in 0..3]`".into(),
        }));
    }
    let (conditions, names): (Vec<&[Token]>, Vec<&[Token]>) = parts.into_iter().partition(|part| is_condition(part));
    if conditions.is_empty() {
        return None;
    }
    let inside = labels_in(body);
    let mut over: Vec<&str> = names.iter().filter_map(|part| label_of(part)).collect();
    let mut written = Vec::new();
    // `j < 2`
    let of_values: Vec<Option<(&str, &str)>> = conditions
        .iter()
        .map(|condition| match condition {
            [Token { tree: Tree::Ident(label), .. }, less, Token { tree: Tree::Literal(end), .. }] if less.is_punct('<') => {
                Some((label.as_str(), end.as_str()))
            }
            _ => None,
        })
        .collect();
    let has = |word: &str| [&inside[..], left, known].iter().any(|labels| labels.contains(&word));
    for condition in conditions {
        let is_label = |token: &Token| matches!(&token.tree, Tree::Ident(word) if has(word));
        let is_summed = |token: &&Token| matches!(&token.tree, Tree::Ident(word) if inside.contains(&word.as_str()));
        let bare = condition.iter().filter(is_summed).filter_map(|token| match &token.tree {
            Tree::Ident(label) => Some(label.as_str()),
            _ => None,
        });
        for label in bare.chain(labels_in(condition)) {
            if !over.contains(&label) && !left.contains(&label) {
                over.push(label);
            }
        }
        written.push(text(&valued(condition, &is_label)));
    }
    let fault = Diagnostic::syntax(at, format!("`{name}` names labels, and a condition chooses among elements"));
    let labels = if over.is_empty() { "k".to_string() } else { over.join(", ") };
    Some(match neutral(name) {
        Some(other) => fault.help(format!("write `{name}({labels}; select({}; {}, {other}))`", written.join(" && "), text(body))),
        None => fault.help(match &of_values[..] {
            [Some((label, end))] if over.len() == 1 => {
                let slice = [(*label, format!("..{end}"))];
                format!("a part of an axis is a slice: `{name}({label}; {})`", text(&sliced(body, &slice)))
            }
            _ => format!("a part of an axis is a slice, as in `{name}(k; A[k in ..3])`"),
        }),
    })
}

/// The label and the range of `k in 0..n`, and of `k = 0..n`.
fn ranged(part: &[Token]) -> Option<(&str, &[Token])> {
    match part {
        [Token { tree: Tree::Ident(label), .. }, sign, range @ ..]
            if (sign.is_ident("in") || sign.is_punct('=') && !range.first().is_some_and(|next| next.is_punct('=')))
                && !range.is_empty() =>
        {
            Some((label, range))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn groups_before_the_body() {
        refused(&[
            (
                "[i] = max({ n }, a[i])",
                &["max: `max` reduces over a label | write `max(k; X)`, or of two elements `select({ n } > a[i]; { n }, a[i])`"],
            ),
            (
                "[i] = min((n), a[i])",
                &["min: `min` reduces over a label | write `min(k; X)`, or of two elements `select((n) < a[i]; (n), a[i])`"],
            ),
            (
                "[i] = sum([k], a[i, k])",
                &["sum: the labels of `sum` and its body have `;` between them | write `sum(k; a[i, k])`"],
            ),
            ("[] = sum([k], a)", &["sum: the labels of `sum` and its body have `;` between them | write `sum(k; a)`"]),
        ]);
    }
}
