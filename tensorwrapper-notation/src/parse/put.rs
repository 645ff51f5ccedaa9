//! Helps for elements that are put at positions of a tensor or of a list, `c[idx[k]] += v[k]` and `c[k in [0, 2]] = v[k]`.

use super::cursor::split;
use super::places::{Place, extent, fresh, has_word, is_new, sides};
use super::unread::{item, label_of};
use crate::relabel::free_labels_in;
use crate::token::{Delimiter, Token, Tree, text};

/// The help for an index of the left side that is computed: it has a value, and reads labels.
pub(super) fn put(statement: &[Token], here: &Place<'_>, value: &str, read: &[&str]) -> Option<String> {
    let put = chosen(statement, here, value, read)?;
    Some(format!("elements are put at computed positions by a choice: {put}"))
}

/// The help for a list of positions on the left side.
pub(super) fn put_at_list(statement: &[Token], here: &Place<'_>, label: &str, list: &str) -> Option<String> {
    let name = if has_word(statement, "at") { "positions" } else { "at" };
    let put = chosen(statement, here, &format!("cast({name}[{label}])"), &[label])?;
    Some(format!("elements are put at a list of positions by a choice, after `let {name} = Tensor::from_array({list})?;`: {put}"))
}

/// The equation that puts elements by a choice. It sums over all labels but those that the left side has beside the index.
fn chosen(statement: &[Token], here: &Place<'_>, value: &str, read: &[&str]) -> Option<String> {
    let (left, right) = sides(statement);
    let (right, clause) = right.split_at(right.iter().position(|token| token.is_ident("where")).unwrap_or(right.len()));
    let on_left: Vec<&str> = here.others().filter_map(label_of).collect();
    let mut summed: Vec<&str> = Vec::new();
    for label in free_labels_in(right).into_iter().chain(read.iter().copied()) {
        if !on_left.contains(&label) && !summed.contains(&label) {
            summed.push(label);
        }
    }
    // One of several results is no tensor that elements are put into.
    if left.first().is_some_and(|first| first.group(Delimiter::Parenthesis).is_some()) {
        return None;
    }
    let sign = update(left);
    let zero = if sign.is_empty() { ", which is 0 at all other positions" } else { "" };
    // Where nothing is put, the update changes nothing.
    let (reduction, elsewhere) = match sign.as_str() {
        "" | "+" | "-" => ("sum", "0.0"),
        "*" | "/" => ("prod", "1.0"),
        _ => return None,
    };
    let other = fresh(statement, 1).remove(0);
    let (written, end) = written_left(statement, here, &other);
    // A new tensor has an axis whose extent nothing else gives.
    let given = split(clause.get(1..).unwrap_or_default(), ',').into_iter().map(item);
    let extents: Vec<String> = given.chain(is_new(statement).then(|| format!("{other}: {}", extent(statement)))).collect();
    let behind = if extents.is_empty() { end.to_string() } else { format!(" where {}{end}", extents.join(", ")) };
    let choice = format!("select(iota[{other}] == {value}; {}, {elsewhere})", text(right));
    let choice = if summed.is_empty() { choice } else { format!("{reduction}({}; {choice})", summed.join(", ")) };
    Some(format!("`{written} {choice}{behind}`{zero}"))
}

/// The operator of an update, without its `=`.
fn update(left: &[Token]) -> String {
    let update = left.last().filter(|token| matches!(token.tree, Tree::Punct(..)));
    update.map_or(String::new(), |token| text(std::slice::from_ref(token)).trim().to_string())
}

/// The left side of a statement up to its `=`, with another index in a place, and what ends the statement.
pub(super) fn written_left(statement: &[Token], here: &Place<'_>, index: &str) -> (String, &'static str) {
    let (left, _) = sides(statement);
    let (before, end) = if left.first().is_some_and(|first| first.is_ident("let")) { ("let ", ";") } else { ("", "") };
    (format!("{before}{} {}=", here.with(index), update(left)), end)
}
