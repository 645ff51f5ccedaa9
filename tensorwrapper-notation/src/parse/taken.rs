//! Helps for indices that are read from a tensor or from a list, `a[idx[k], j]` and `a[k in [0, 2], j]`: methods of whole tensors give
//! these elements, before the equation.

use super::cursor::split;
use super::places::{Place, as_numbers, fresh, is_on_left, operand_before, place};
use super::put::{put, put_at_list};
use super::rolled::rolled;
use super::source::{Source, result_of};
use super::stepped::{stepped, with_colons};
use super::unread::{is_condition, is_rest, labels_in, list, with_values, without_reference};
use crate::relabel::free_labels_in;
use crate::sentence::quoted;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The help for such an index, and for parts of an axis that are no slices. It knows the statement.
pub(super) fn taken(statement: &[Token], at: Span) -> Option<String> {
    let here = place(statement, at)?;
    let name = result_of(statement);
    let is_left = is_on_left(statement, here.part());
    match here.part() {
        [Token { tree: Tree::Ident(label), .. }, word, range @ ..] if word.is_ident("in") => match list(range) {
            Some(list) if is_left => put_at_list(statement, &here, label, &list),
            _ => listed_or_stepped(range, statement, &Source::of(&here, label, name), is_left),
        },
        part => with_colons(statement, &here, name)
            .or_else(|| rolled(statement, &here, name))
            .or_else(|| indexed(statement, &here, without_reference(part), name)),
    }
}

/// The help for a list or a step behind `in`, where nothing is known of the operand.
pub(super) fn list_or_step(range: &[Token]) -> Option<String> {
    listed_or_stepped(range, range, &Source::unknown(), false)
}

/// The help for `[0, 2]`, and for `0..6..2` or `0:6:2`.
fn listed_or_stepped(range: &[Token], statement: &[Token], source: &Source, is_left: bool) -> Option<String> {
    if let Some(list) = list(range) {
        let methods = format!(".take({}, Tensor::from_array({list})?)?", source.axis());
        return Some(source.told("the elements at a list of positions are taken", &methods));
    }
    stepped(range, statement, source, is_left)
}

/// `a[idx[k], j]`, where `k` is a label of the equation.
fn indexed(statement: &[Token], here: &Place<'_>, part: &[Token], name: &'static str) -> Option<String> {
    let labels = labels_in(statement);
    let bracket = part.iter().position(|token| token.group(Delimiter::Bracket).is_some()).filter(|&n| n > 0)?;
    let read = free_labels_in(&part[..=bracket]);
    let has_label = read.iter().any(|label| labels.contains(label));
    let is_left = is_on_left(statement, part);
    if read.is_empty() || !has_label && !is_left || is_condition(part) || part.iter().any(|token| token.is_punct('=')) {
        return None;
    }
    // Positions are integers beside other numbers.
    let value = text(&as_numbers(&with_values(part, &labels)));
    if is_left {
        let help = put(statement, here, &value, &free_labels_in(part))?;
        // What no other index has may be a variable of the program.
        let number = format!("; a position from Rust stands in braces, `{{ {} }}`", text(part));
        return Some(if has_label { help } else { help + &number });
    }
    let other = fresh(statement, 1).remove(0);
    let chosen = format!("`sum({other}; select(iota[{other}] == {value}; {}, 0.0))`", here.with(&other));
    let is_alone = here.others().all(|part| !part.iter().any(|token| token.group(Delimiter::Bracket).is_some()));
    let Some(Methods { written, tensors, read }) = methods(here.inside()) else {
        return is_alone.then(|| format!("elements at computed positions are chosen: {chosen}"));
    };
    let source = Source::of(here, &other, name).read_as(&read);
    let taken = source.told(&format!("the elements at the positions in {} are taken", quoted(&tensors)), &written);
    Some(if is_alone { format!("{taken}; or the equation itself chooses them: {chosen}") } else { taken })
}

/// The methods that take what tensors name along each axis.
#[derive(Default)]
struct Methods {
    written: String,
    tensors: Vec<String>,
    /// The indices of the result.
    read: String,
}

/// The methods for all indices of an operand. `None` if an index is computed otherwise, or if the number of its axis is unknown.
fn methods(inside: &[Token]) -> Option<Methods> {
    let (mut found, mut read, mut axis) = (Methods::default(), Vec::new(), Some(0));
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
        let tensor = text(&part[..n]);
        found.written += &format!(".take({}, &{tensor})?", axis?);
        if !found.tensors.contains(&tensor) {
            found.tensors.push(tensor);
        }
        read.push(text(inner));
        axis = axis.map(|axis| axis + split(inner, ',').len());
    }
    found.read = read.join(", ");
    Some(found)
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
                    "idx[k]: `idx[k]` is not an index | the elements at the positions in `idx` are taken before the equation, `let b = a.take(0, &idx)?;`, and the equation reads `b[k, j]`; or the equation itself chooses them: `sum(l; select(iota[l] == cast(idx[k]); a[l, j], 0.0))`",
                ],
            ),
            (
                "[k, j] = p.a[k, q.idx[j]] * c[k]",
                &[
                    "q.idx[j]: `q.idx[j]` is not an index | the elements at the positions in `q.idx` are taken before the equation, `let b = p.a.take(1, &q.idx)?;`, and the equation reads `b[k, j]`; or the equation itself chooses them: `sum(l; select(iota[l] == cast(q.idx[j]); p.a[k, l], 0.0))`",
                ],
            ),
            (
                "[k, m] = b[idx[k], jdx[m]]",
                &[
                    "idx[k]: `idx[k]` is not an index | the elements at the positions in `idx`, `jdx` are taken before the equation, `let taken = b.take(0, &idx)?.take(1, &jdx)?;`, and the equation reads `taken[k, m]`",
                ],
            ),
            (
                "[k] = a[idx[k] + 1]",
                &[
                    "idx[k] + 1: `idx[k] + 1` is not an index | elements at computed positions are chosen: `sum(l; select(iota[l] == cast(idx[k]) + 1; a[l], 0.0))`",
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
                    "&idx[k]: `&idx[k]` is not an index | the elements at the positions in `idx` are taken before the equation, `let b = a.take(0, &idx)?;`, and the equation reads `b[k]`; or the equation itself chooses them: `sum(l; select(iota[l] == cast(idx[k]); a[l], 0.0))`",
                ],
            ),
            (
                "c[idx[k]] += v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `c[l] += sum(k; select(iota[l] == cast(idx[k]); v[k], 0.0))`",
                ],
            ),
            (
                "c[1, idx[p]] = a[p, q] * b[q]",
                &[
                    "idx[p]: `idx[p]` is not an index | elements are put at computed positions by a choice: `c[1, k] = sum(p, q; select(iota[k] == cast(idx[p]); a[p, q] * b[q], 0.0))`, which is 0 at all other positions",
                ],
            ),
            (
                "c[idx[k]] *= v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `c[l] *= prod(k; select(iota[l] == cast(idx[k]); v[k], 1.0))`",
                ],
            ),
            (
                "c[idx[k]] /= v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `c[l] /= prod(k; select(iota[l] == cast(idx[k]); v[k], 1.0))`",
                ],
            ),
            (
                "c[idx[k]] -= v[k]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `c[l] -= sum(k; select(iota[l] == cast(idx[k]); v[k], 0.0))`",
                ],
            ),
            (
                "[k] = a[.., idx[k]]",
                &[
                    "idx[k]: `idx[k]` is not an index | elements at computed positions are chosen: `sum(l; select(iota[l] == cast(idx[k]); a[.., l], 0.0))`",
                ],
            ),
            (
                "[.., k] = a[idx[k], ..]",
                &[
                    "idx[k]: `idx[k]` is not an index | the elements at the positions in `idx` are taken before the equation, `let b = a.take(0, &idx)?;`, and the equation reads `b[k, ..]`; or the equation itself chooses them: `sum(l; select(iota[l] == cast(idx[k]); a[l, ..], 0.0))`",
                ],
            ),
            (
                "let w[idx[k]] = v[k]; w",
                &[
                    "idx[k]: `idx[k]` is not an index | elements are put at computed positions by a choice: `let w[l] = sum(k; select(iota[l] == cast(idx[k]); v[k], 0.0)) where l: n;`, which is 0 at all other positions",
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
                    "[0, 1]: `[0, 1]` is not a range | the elements at a list of positions are taken before the equation, `let b = a.take(0, Tensor::from_array([0, 1])?)?;`, and the equation reads `b[k, j]`",
                ],
            ),
            (
                "[i, j] = b[i, j in vec![0, 2]]",
                &[
                    "vec![0, 2]: `vec![0, 2]` is not a range | the elements at a list of positions are taken before the equation, `let taken = b.take(1, Tensor::from_array([0, 2])?)?;`, and the equation reads `taken[i, j]`",
                ],
            ),
            (
                "[i, j] = a[i, j in 0..3..2]",
                &[
                    "0..3..2: `0..3..2` is not a range | a slice has no step: a view with one is made before the equation, `let b = a.view().slice(1, 0..3)?.step(1, 2)?;`, and the equation reads `b[i, j]`",
                ],
            ),
            (
                "[i] = v[::2]",
                &[
                    "::2: `::2` is not an index | a slice has no step: a view with one is made before the equation, `let b = v.view().step(0, 2)?;`, and the equation reads `b[i]`",
                ],
            ),
            (
                "[i] = v[::-1]",
                &[
                    "::-1: `:: - 1` is not an index | an axis is reversed before the equation, `let b = v.view().reverse(0)?;`, and the equation reads `b[i]`",
                ],
            ),
            (
                "[i, j] = a[i, 1:6:2] * b[j]",
                &[
                    "1:6:2: `1:6:2` is not an index | a slice has no step: a view with one is made before the equation, `let taken = a.view().slice(1, 1..6)?.step(1, 2)?;`, and the equation reads `taken[i, k]`; `1:6:2` is read as start, end and step",
                ],
            ),
            (
                "[i] = v[i in ..n..2]",
                &[
                    "..n..2: `..n..2` is not a range | a slice has no step: a view with one is made before the equation, `let b = v.view().slice(0, ..n)?.step(0, 2)?;`, and the equation reads `b[i]`",
                ],
            ),
            (
                "[.., k] = a[.., k in [0, 2]]",
                &[
                    "[0, 2]: `[0, 2]` is not a range | the elements at a list of positions are taken before the equation, `let b = a.take(axis, Tensor::from_array([0, 2])?)?;`, and the equation reads `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[.., k] = a[.., k in 0..6..2]",
                &[
                    "0..6..2: `0..6..2` is not a range | a slice has no step: a view with one is made before the equation, `let b = a.view().slice(axis, 0..6)?.step(axis, 2)?;`, and the equation reads `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[.., k] = a[.., ::2]",
                &[
                    "::2: `::2` is not an index | a slice has no step: a view with one is made before the equation, `let b = a.view().step(axis, 2)?;`, and the equation reads `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[.., k] = a[.., ::-1]",
                &[
                    "::-1: `:: - 1` is not an index | an axis is reversed before the equation, `let b = a.view().reverse(axis)?;`, and the equation reads `b[.., k]`; `axis` is the number of the axis",
                ],
            ),
            (
                "[k, ..] = a[k in [0, 2], ..]",
                &[
                    "[0, 2]: `[0, 2]` is not a range | the elements at a list of positions are taken before the equation, `let b = a.take(0, Tensor::from_array([0, 2])?)?;`, and the equation reads `b[k, ..]`",
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
                "the elements at a list of positions are taken before the equation, `let b = a.take(axis, Tensor::from_array([0, 2])?)?;`; \
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
