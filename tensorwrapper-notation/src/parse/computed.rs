//! Helps for indices that are computed otherwise than by sums and products: `a[argmax(i; v[i]), j]`, `v[i % 2]`, `v[v > 0]`.

use super::foreign::by_condition;
use super::places::{Place, fresh, has_word, is_on_left, sides};
use super::unread::{is_condition, labels_in};
use crate::syntax::Ending;
use crate::token::{Delimiter, Token, Tree, text};

/// The help for such an index of the right side.
pub(super) fn computed(statement: &[Token], here: &Place<'_>) -> Option<String> {
    if is_on_left(statement, here.part()) {
        return None;
    }
    reduced(statement, here).or_else(|| masked(statement, here)).or_else(|| divided(statement, here))
}

/// The help for `a[argmax(i; v[i]), j]`.
fn reduced(statement: &[Token], here: &Place<'_>) -> Option<String> {
    let [Token { tree: Tree::Ident(name), .. }, arguments] = here.part() else { return None };
    let inner = arguments.group(Delimiter::Parenthesis)?;
    Ending::from_name(name)?;
    let [other, label] = <[String; 2]>::try_from(fresh(statement, 2)).ok()?;
    let value = match inner {
        [tensor @ Token { tree: Tree::Ident(_), .. }] => {
            format!("{name}({label}; {}[{label}])", text(std::slice::from_ref(tensor)))
        }
        inner if inner.iter().any(|token| token.is_punct(';')) => text(here.part()),
        _ => return None,
    };
    Some(at_position(here, &other, &value))
}

/// The help for an element at a position that is computed. The label runs over the axis in its place.
pub(super) fn at_position(place: &Place<'_>, label: &str, value: &str) -> String {
    let element = place.with(label);
    format!("elements at computed positions are chosen: `sum({label}; select(iota[{label}] == {value}; {element}, 0.0))`")
}

/// The help for `v[v > 0]`, where a tensor of one axis chooses its own elements.
fn masked(statement: &[Token], here: &Place<'_>) -> Option<String> {
    let (part, operand) = (here.part(), here.operand());
    let is_indexed = part.windows(2).any(|two| two[0].is_ident(&operand) && matches!(two[1].tree, Tree::Group(..)));
    let is_its_own = part.iter().any(|token| token.is_ident(&operand)) && !is_indexed;
    if !is_condition(part) || here.inside().len() != part.len() || !is_its_own {
        return None;
    }
    let label = match labels_in(sides(statement).0)[..] {
        [label] => label.to_string(),
        _ => fresh(statement, 1).remove(0),
    };
    let element = format!("{operand}[{label}]");
    let one = |token: &Token| match token.is_ident(&operand) {
        true => Token { tree: Tree::Ident(element.clone()), span: token.span },
        false => token.clone(),
    };
    let condition = text(&part.iter().map(one).collect::<Vec<_>>());
    let (result, mask) = (["b", "c"].into_iter().find(|name| *name != operand)?, if operand == "m" { "k" } else { "m" });
    Some(by_condition((&condition, &element), [result, &operand, mask]))
}

/// The help for `v[i / 2]` and `v[i % 2]`, which no choice among values of indices expresses.
fn divided(statement: &[Token], here: &Place<'_>) -> Option<String> {
    let (part, labels) = (here.part(), labels_in(statement));
    let is_plain = part.iter().all(|token| match &token.tree {
        Tree::Punct(sign, _) => matches!(sign, '+' | '-' | '*' | '/' | '%'),
        Tree::Group(delimiter, _) => *delimiter == Delimiter::Parenthesis,
        Tree::Ident(_) | Tree::Literal(_) => true,
    });
    let divides = part.iter().any(|token| token.is_punct('/') || token.is_punct('%'));
    let axis = here.axis()?;
    (is_plain && divides && labels.iter().any(|label| has_word(part, label))).then(|| {
        format!(
            "elements at such positions are taken before the equation, `let b = {}.take({axis}, &positions)?;`, where `positions` is a tensor \
             of whole numbers",
            here.operand()
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn indices_that_are_computed() {
        refused(&[
            (
                "[j] = 2.0 * a[j, argmin(v)] + w[j]",
                &[
                    "argmin(v): `argmin(v)` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == argmin(l; v[l]); a[j, k], 0.0))`",
                ],
            ),
            (
                "[j] = a[argmax(i; v[i]), j]",
                &[
                    "argmax(i; v[i]): `argmax(i; v[i])` is not an index | elements at computed positions are chosen: `sum(k; select(iota[k] == argmax(i; v[i]); a[k, j], 0.0))`",
                ],
            ),
            (
                "[i, j] = a[i, j / 2]",
                &[
                    "j / 2: `j / 2` is not an index | elements at such positions are taken before the equation, `let b = a.take(1, &positions)?;`, where `positions` is a tensor of whole numbers",
                ],
            ),
            (
                "[i] = v[i % 2]",
                &[
                    "i % 2: `i % 2` is not an index | elements at such positions are taken before the equation, `let b = v.take(0, &positions)?;`, where `positions` is a tensor of whole numbers",
                ],
            ),
            (
                "[i] = v[v > 0]",
                &[
                    "v > 0: `v > 0` is not an index | a condition chooses among elements, `select(v[i] > 0; v[i], 0.0)`; those that fulfil it are `let b = v.compress(&m)?;`, a method of whole tensors, where `m` has the truth values",
                ],
            ),
        ]);
    }
}
