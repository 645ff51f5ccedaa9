//! Helps for indices that are read from a tensor or from a list, `a[idx[k], j]` and `a[k in [0, 2], j]`, and for parts of an axis with a
//! step: methods of whole tensors give these elements, before the equation.

use super::cursor::split;
use super::places::{Place, fresh, has_word, operand_before, place, sides};
use super::unread::{is_condition, is_rest, label_of, labels_in, list, steps, valued, without_reference};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The help for such an index, which knows the statement.
pub(super) fn taken(statement: &[Token], at: Span) -> Option<String> {
    let here = place(statement, at)?;
    let name = result_of(statement);
    match here.part() {
        [Token { tree: Tree::Ident(label), .. }, word, range @ ..] if word.is_ident("in") => {
            listed_or_stepped(range, &Source::of(&here, label, name))
        }
        part => with_colons(statement, &here, part, name).or_else(|| indexed(statement, &here, without_reference(part), name)),
    }
}

/// The help for a list or a step behind `in`, where nothing is known of the operand.
pub(super) fn list_or_step(range: &[Token]) -> Option<String> {
    listed_or_stepped(range, &Source { operand: "a".into(), axis: None, name: "b", read: None })
}

/// What a result before the statement is called.
fn result_of(statement: &[Token]) -> &'static str {
    if has_word(statement, "b") { "taken" } else { "b" }
}

/// What a method before the equation takes elements from, as far as it is known.
struct Source {
    operand: String,
    axis: Option<usize>,
    /// What the result is called.
    name: &'static str,
    /// How it is read in the equation.
    read: Option<String>,
}

impl Source {
    fn of(here: &Place<'_>, label: &str, name: &'static str) -> Source {
        Source { operand: here.operand(), axis: here.axis(), name, read: Some(here.of(name, label)) }
    }

    /// The axis as an argument.
    fn axis(&self) -> String {
        self.axis.map_or("axis".into(), |axis| axis.to_string())
    }

    /// The help, whose sentence begins with what the methods do.
    fn told(&self, what: &str, methods: &str) -> String {
        let read = self.read.as_ref().map_or(String::new(), |read| format!(", and read as `{read}`"));
        let number = if self.axis.is_none() { "; `axis` is the number of the axis" } else { "" };
        format!("{what} before the equation, `let {} = {}{methods};`{read}{number}", self.name, self.operand)
    }
}

/// The help for `[0, 2]`, and for `0..6..2` or `0:6:2`.
fn listed_or_stepped(range: &[Token], source: &Source) -> Option<String> {
    if let Some(list) = list(range) {
        let methods = format!(".take({}, Tensor::from_array({list})?)?", source.axis());
        return Some(source.told("what an axis has at a list of places is taken", &methods));
    }
    stepped(range, source)
}

fn stepped(range: &[Token], source: &Source) -> Option<String> {
    let ([start, end, step], axis) = (steps(range)?, source.axis());
    let is_whole = matches!(start.as_str(), "" | "0") && end.is_empty();
    let slice = if is_whole { String::new() } else { format!(".slice({axis}, {start}..{end})?") };
    Some(source.told("a slice has no step: a view with one is made", &format!(".view(){slice}.step({axis}, {step})?")))
}

/// `::2`, `1:6:2`, `::-1`
fn with_colons(statement: &[Token], here: &Place<'_>, part: &[Token], name: &'static str) -> Option<String> {
    let (left, right) = sides(statement);
    let known = labels_in(right);
    let lacking: Vec<&str> = labels_in(left).into_iter().filter(|label| !known.contains(label)).collect();
    let label = if let [one] = lacking[..] { one.to_string() } else { fresh(statement, 1).remove(0) };
    let source = Source::of(here, &label, name);
    if let [first, second, sign, Token { tree: Tree::Literal(one), .. }] = part
        && [first, second].iter().all(|token| token.is_punct(':'))
        && sign.is_punct('-')
        && one == "1"
    {
        return Some(source.told("an axis is reversed", &format!(".view().reverse({})?", source.axis())));
    }
    stepped(part, &source)
}

/// `a[idx[k], j]`, where `k` is a label of the equation.
fn indexed(statement: &[Token], here: &Place<'_>, part: &[Token], name: &'static str) -> Option<String> {
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
    let source = Source { read: Some(format!("{name}[{read}]")), ..Source::of(here, &other, name) };
    let taken = source.told("what an axis has at the places that a tensor names is taken", &methods);
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
    // Where nothing is put, the update changes nothing.
    let (reduction, other_places) = match sign.as_str() {
        "" | "+" | "-" => ("sum", "0.0"),
        "*" | "/" => ("prod", "1.0"),
        _ => return None,
    };
    // A new tensor has an axis whose extent nothing else gives.
    let (before, behind) = match left.first() {
        Some(first) if first.is_ident("let") => ("let ", format!(" where {other}: n;")),
        Some(first) if first.group(Delimiter::Bracket).is_some() => ("", format!(" where {other}: n")),
        _ => ("", String::new()),
    };
    let (place, summed, right) = (here.with(other), summed.join(", "), text(right));
    Some(format!(
        "elements are put at computed places by a choice: \
         `{before}{place} {sign}= {reduction}({summed}; select(iota[{other}] == {value}; {right}, {other_places})){behind}`{zero}"
    ))
}

/// The methods that take what tensors name along each axis, and the indices of the result. `None` if an index is computed otherwise,
/// or if the number of its axis is unknown.
fn methods(inside: &[Token]) -> Option<(String, String)> {
    let (mut methods, mut read, mut axis) = (String::new(), Vec::new(), Some(0));
    for part in split(inside, ',').into_iter().map(without_reference) {
        let Some(n) = part.iter().position(|token| token.group(Delimiter::Bracket).is_some()) else {
            read.push(text(part));
            axis = axis.filter(|_| !is_rest(part)).map(|axis| axis + 1);
            continue;
        };
        let inner = part[n].group(Delimiter::Bracket)?;
        // Only a tensor as it is is a method's argument.
        if n + 1 != part.len() || operand_before(part, n).len() != n {
            return None;
        }
        methods += &format!(".take({}, &{})?", axis?, text(&part[..n]));
        read.push(text(inner));
        axis = axis.map(|axis| axis + split(inner, ',').len());
    }
    Some((methods, read.join(", ")))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn places_that_a_tensor_names() {
        refused(&[
            (
                "[k, j] = a[idx[k], j]",
                &[
                    "idx[k]: `idx[k]` is not an index | what an axis has at the places that a tensor names is taken before the equation, `let b = a.take(0, &idx)?;`, and read as `b[k, j]`; or it is chosen in it: `sum(l; select(iota[l] == idx[k]; a[l, j], 0.0))`",
                ],
            ),
            (
                "[k, j] = p.a[k, q.idx[j]] * c[k]",
                &[
                    "q.idx[j]: `q.idx[j]` is not an index | what an axis has at the places that a tensor names is taken before the equation, `let b = p.a.take(1, &q.idx)?;`, and read as `b[k, j]`; or it is chosen in it: `sum(l; select(iota[l] == q.idx[j]; p.a[k, l], 0.0))`",
                ],
            ),
            (
                "[k, m] = b[idx[k], jdx[m]]",
                &[
                    "idx[k]: `idx[k]` is not an index | what an axis has at the places that a tensor names is taken before the equation, `let taken = b.take(0, &idx)?.take(1, &jdx)?;`, and read as `taken[k, m]`",
                ],
            ),
            (
                "[k] = a[idx[k] + 1]",
                &[
                    "idx[k] + 1: `idx[k] + 1` is not an index | elements at computed places are chosen: `sum(l; select(iota[l] == idx[k] + 1; a[l], 0.0))`",
                ],
            ),
            (
                "[k] = a[idx[2]]",
                &[
                    "idx[2]: `idx[2]` is not an index | a position is one number, in braces if it is a Rust expression: `{ idx[2] }`",
                ],
            ),
            (
                "[k] = a[&idx[k]]",
                &[
                    "&idx[k]: `&idx[k]` is not an index | what an axis has at the places that a tensor names is taken before the equation, `let b = a.take(0, &idx)?;`, and read as `b[k]`; or it is chosen in it: `sum(l; select(iota[l] == idx[k]; a[l], 0.0))`",
                ],
            ),
            (
                "c[idx[k]] += v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed places by a choice: `c[l] += sum(k; select(iota[l] == idx[k]; v[k], 0.0))`",
                ],
            ),
            (
                "c[1, idx[p]] = a[p, q] * b[q]",
                &[
                    "idx[p]: `idx[p]` is not an index | elements are put at computed places by a choice: `c[1, k] = sum(p, q; select(iota[k] == idx[p]; a[p, q] * b[q], 0.0))`, which is 0 at all other places",
                ],
            ),
            (
                "c[idx[k]] *= v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed places by a choice: `c[l] *= prod(k; select(iota[l] == idx[k]; v[k], 1.0))`",
                ],
            ),
            (
                "c[idx[k]] /= v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed places by a choice: `c[l] /= prod(k; select(iota[l] == idx[k]; v[k], 1.0))`",
                ],
            ),
            (
                "c[idx[k]] -= v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed places by a choice: `c[l] -= sum(k; select(iota[l] == idx[k]; v[k], 0.0))`",
                ],
            ),
            (
                "[k] = a[.., idx[k]]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements at computed places are chosen: `sum(l; select(iota[l] == idx[k]; a[.., l], 0.0))`",
                ],
            ),
            (
                "[.., k] = a[idx[k], ..]",
                &[
                    "idx[k]: `idx[k]` is not an index | what an axis has at the places that a tensor names is taken before the equation, `let b = a.take(0, &idx)?;`, and read as `b[k, ..]`; or it is chosen in it: `sum(l; select(iota[l] == idx[k]; a[l, ..], 0.0))`",
                ],
            ),
            (
                "let w[idx[k]] = v[k]; w",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed places by a choice: `let w[l] = sum(k; select(iota[l] == idx[k]; v[k], 0.0)) where l: n;`, which is 0 at all other places",
                ],
            ),
        ]);
    }

    #[test]
    fn steps_and_lists() {
        refused(&[
            (
                "[k, j] = a[k in [0, 1], j]",
                &[
                    "[0, 1]: `[0, 1]` is not a range | what an axis has at a list of places is taken before the equation, `let b = a.take(0, Tensor::from_array([0, 1])?)?;`, and read as `b[k, j]`",
                ],
            ),
            (
                "[i, j] = b[i, j in vec![0, 2]]",
                &[
                    "vec![0, 2]: `vec![0, 2]` is not a range | what an axis has at a list of places is taken before the equation, `let taken = b.take(1, Tensor::from_array([0, 2])?)?;`, and read as `taken[i, j]`",
                ],
            ),
            (
                "[i, j] = a[i, j in 0..3..2]",
                &[
                    "0..3..2: `0..3..2` is not a range | a slice has no step: a view with one is made before the equation, `let b = a.view().slice(1, 0..3)?.step(1, 2)?;`, and read as `b[i, j]`",
                ],
            ),
            (
                "[i] = v[::2]",
                &[
                    "::2: `::2` is not an index | a slice has no step: a view with one is made before the equation, `let b = v.view().step(0, 2)?;`, and read as `b[i]`",
                ],
            ),
            (
                "[i] = v[::-1]",
                &[
                    "::-1: `:: - 1` is not an index | an axis is reversed before the equation, `let b = v.view().reverse(0)?;`, and read as `b[i]`",
                ],
            ),
            (
                "[i, j] = a[i, 1:6:2] * b[j]",
                &[
                    "1:6:2: `1:6:2` is not an index | a slice has no step: a view with one is made before the equation, `let taken = a.view().slice(1, 1..6)?.step(1, 2)?;`, and read as `taken[i, k]`",
                ],
            ),
            (
                "[i] = v[i in ..n..2]",
                &[
                    "..n..2: `..n..2` is not a range | a slice has no step: a view with one is made before the equation, `let b = v.view().slice(0, ..n)?.step(0, 2)?;`, and read as `b[i]`",
                ],
            ),
            (
                "[.., k] = a[.., k in [0, 2]]",
                &[
                    "[0, 2]: `[0, 2]` is not a range | what an axis has at a list of places is taken before the equation, `let b = a.take(axis, Tensor::from_array([0, 2])?)?;`, and read as `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[.., k] = a[.., k in 0..6..2]",
                &[
                    "0..6..2: `0..6..2` is not a range | a slice has no step: a view with one is made before the equation, `let b = a.view().slice(axis, 0..6)?.step(axis, 2)?;`, and read as `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[.., k] = a[.., ::2]",
                &[
                    "::2: `::2` is not an index | a slice has no step: a view with one is made before the equation, `let b = a.view().step(axis, 2)?;`, and read as `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[.., k] = a[.., ::-1]",
                &[
                    "::-1: `:: - 1` is not an index | an axis is reversed before the equation, `let b = a.view().reverse(axis)?;`, and read as `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[k, ..] = a[k in [0, 2], ..]",
                &[
                    "[0, 2]: `[0, 2]` is not a range | what an axis has at a list of places is taken before the equation, `let b = a.take(0, Tensor::from_array([0, 2])?)?;`, and read as `b[k, ..]`",
                ],
            ),
            (
                "[i] = v[i + 1 in 0..=3]",
                &["i + 1 in 0..=3: `i + 1 in 0.. = 3` is not an index | before `in` stands a label alone: `i in 1..=4`"],
            ),
            (
                "[i] = v[i - 1 in 1..={ n }]",
                &[
                    "i - 1 in 1..={ n }: `i - 1 in 1.. = { n }` is not an index | before `in` stands a label alone: `i in 0..={ n - 1 }`",
                ],
            ),
            (
                "[i] = v[i + 1 in 0..18446744073709551615]",
                &[
                    "i + 1 in 0..18446744073709551615: `i + 1 in 0..18446744073709551615` is not an index | before `in` stands a label alone, as in `i in 1..3`",
                ],
            ),
            (
                "[i] = v[i - 2 in 1..n]",
                &["i - 2 in 1..n: `i - 2 in 1..n` is not an index | before `in` stands a label alone, as in `i in 1..3`"],
            ),
            (
                "[i] = v[2 * i in 0..3]",
                &["2 * i in 0..3: `2 * i in 0..3` is not an index | before `in` stands a label alone, as in `i in 1..3`"],
            ),
            (
                "[i] = v[i+1 in ..2]",
                &["i+1 in ..2: `i + 1 in..2` is not an index | before `in` stands a label alone: `i in 1..3`"],
            ),
            (
                "[i] = v[i - 1 in 1..n]",
                &["i - 1 in 1..n: `i - 1 in 1..n` is not an index | before `in` stands a label alone: `i in 0..{ n - 1 }`"],
            ),
            (
                "[i] = v[i + m in ..]",
                &["i + m in ..: `i + m in..` is not an index | before `in` stands a label alone: `i in m..`"],
            ),
        ]);
    }

    #[test]
    fn where_no_operand_is_known() {
        for (axes, help) in [
            (
                "k in [0, 2]",
                "what an axis has at a list of places is taken before the equation, `let b = a.take(axis, Tensor::from_array([0, 2])?)?;`; \
             `axis` is the number of the axis",
            ),
            (
                "k in 0..6..2",
                "a slice has no step: a view with one is made before the equation, `let b = a.view().slice(axis, 0..6)?.step(axis, 2)?;`; \
             `axis` is the number of the axis",
            ),
        ] {
            let fault = crate::axes(&crate::lex(axes).unwrap()).unwrap_err();
            assert_eq!(fault.help.as_deref(), Some(help), "`{axes}`");
        }
    }
}
