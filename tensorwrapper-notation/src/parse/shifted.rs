//! The help for a label that is shifted, `u[i - 1]`: slices of the same length take the place of a label and of what is shifted.

use super::places::{Place, extent, is_new, is_on_left};
use super::unread::labels_in;
use crate::relabel::each_part;
use crate::token::{Token, Tree, text};

/// The help for `i - 1` and its like, which knows the statement.
pub(super) fn shifted(here: &Place<'_>, statement: &[Token]) -> Option<String> {
    let [Token { tree: Tree::Ident(label), .. }, sign, by] = here.part() else { return None };
    let labels = labels_in(statement);
    let is_label = |name: &str| labels.contains(&name);
    let by = text(std::slice::from_ref(by));
    if !is_label(label) || is_label(&by) || !(sign.is_punct('+') || sign.is_punct('-')) {
        return None;
    }
    let extent = extent(statement);
    let written = written(statement, label);
    let shifted = written.iter().filter(|part| part.len() > 1).count();
    if written.len() > 2 || shifted > 1 {
        let shifts: Option<Vec<isize>> = written.iter().map(|part| shift(&part[1..])).collect();
        return Some(match shifts {
            Some(mut shifts) => {
                shifts.sort_unstable();
                shifts.dedup();
                slices(label, &shifts, &extent)
            }
            None => format!("{SLICES}, as `{label} in 1..` and `{label} in ..{{ {extent} - 1 }}`; `{extent}` is the extent"),
        });
    }
    let [here, there] = [format!("`{label} in {by}..`"), format!("`{label} in ..{{ {extent} - {by} }}`")];
    let [here, there] = if sign.is_punct('+') { [here, there] } else { [there, here] };
    Some(format!("write the shifted operand with the slice {here}, and all others with {there}; `{extent}` is the extent"))
}

/// What several shifts are.
const SLICES: &str = "slices of the same length are in the place of shifts";

/// The indices that begin with a label, each once.
fn written<'t>(statement: &'t [Token], label: &str) -> Vec<&'t [Token]> {
    let mut found: Vec<&[Token]> = Vec::new();
    // The axes of a new tensor are as long as the slices.
    each_part(statement, &mut |part, bound| {
        let is_read = !is_new(statement) || !is_on_left(statement, part);
        let is_shift = part.first().is_some_and(|first| first.is_ident(label)) && !bound.contains(&label);
        if is_read && is_shift && !found.iter().any(|known| text(known) == text(part)) {
            found.push(part);
        }
        None
    });
    found
}

/// What is added to a label.
fn shift(behind: &[Token]) -> Option<isize> {
    match behind {
        [] => Some(0),
        [sign, Token { tree: Tree::Literal(by), .. }] => match (sign.is_punct('+'), by.parse::<i32>().ok()? as isize) {
            (true, by) => Some(by),
            (false, by) => sign.is_punct('-').then_some(-by),
        },
        _ => None,
    }
}

/// The help for several shifts: each of them has a slice, and all slices are as long.
fn slices(label: &str, shifts: &[isize], extent: &str) -> String {
    let (least, most) = (shifts[0], shifts[shifts.len() - 1]);
    let one = |&by: &isize| {
        let start = if by == least { String::new() } else { (by - least).to_string() };
        let end = if by == most { String::new() } else { format!("{{ {extent} - {} }}", most - by) };
        let what = match by {
            0 => label.to_string(),
            _ => format!("{label} {} {}", if by < 0 { '-' } else { '+' }, by.unsigned_abs()),
        };
        format!("`{what}` is `{label} in {start}..{end}`")
    };
    let all: Vec<String> = shifts.iter().map(one).collect();
    format!("{SLICES}: {}; `{extent}` is the extent", all.join(", "))
}
