//! Helps for parts of an axis with a step, `a[i in 0..6..2]` and `a[1:6:2]`: a view with a step is made before the equation.

use super::places::{Place, extent, fresh, is_new, is_on_left, sides};
use super::source::Source;
use super::unread::labels_in;
use crate::token::{Token, Tree, text};

/// What an index of a new tensor is.
const NEW: &str = "an axis of a new tensor is whole: its index is a label alone";

/// Methods that make a view with a step, and what a help says of them.
struct Steps {
    /// The range of the slice, unless the axis is whole.
    slice: Option<String>,
    step: String,
    is_reversed: bool,
    /// What the reader must know beside it.
    note: String,
}

/// The help for `::2`, `1:6:2`, `::-1`.
pub(super) fn with_colons(statement: &[Token], here: &Place<'_>, name: &'static str) -> Option<String> {
    let is_left = is_on_left(statement, here.part());
    let (left, right) = sides(statement);
    let (these, others) = if is_left { (left, right) } else { (right, left) };
    let known = labels_in(these);
    let lacking: Vec<&str> = labels_in(others).into_iter().filter(|label| !known.contains(label)).collect();
    let label = if let [one] = lacking[..] { one.to_string() } else { fresh(statement, 1).remove(0) };
    stepped(here.part(), statement, &Source::of(here, &label, name), is_left)
}

/// The help for a range with a step, which is read or written.
pub(super) fn stepped(range: &[Token], statement: &[Token], source: &Source, is_left: bool) -> Option<String> {
    let Steps { slice, step, is_reversed, note } = steps(range, &extent(statement))?;
    let axis = source.axis();
    let mut methods = slice.map_or(String::new(), |slice| format!(".slice({axis}, {slice})?"));
    if is_reversed {
        methods += &format!(".reverse({axis})?");
    }
    let has_step = step != "1" || !is_reversed;
    if has_step {
        methods += &format!(".step({axis}, {step})?");
    }
    if is_left && is_new(statement) {
        return Some(NEW.into());
    }
    let help = match (is_left, has_step, is_reversed) {
        (true, true, false) => source.written("a slice has no step: write into a view with one", &methods),
        (true, _, _) => source.written("an axis is never reversed in an equation: write into a reversed view", &methods),
        (false, true, false) => source.told("a slice has no step: a view with one is made", &format!(".view(){methods}")),
        (false, false, _) => source.told("an axis is reversed", &format!(".view(){methods}")),
        (false, true, true) => source.told("a slice has no step: a reversed view with one is made", &format!(".view(){methods}")),
    };
    Some(help + &note)
}

/// The parts of `0..6..2`, and of `0:6:2`.
fn steps(range: &[Token], extent: &str) -> Option<Steps> {
    let colons: Vec<&[Token]> = range.split(|token| token.is_punct(':')).collect();
    if let [start, middle, last] = colons[..] {
        return backwards([start, middle, last]).or_else(|| counted_from_one([start, middle, last])).or_else(|| {
            // A path of Rust's has no number behind its colons.
            let step = literal(last)?;
            let note = match !start.is_empty() && !middle.is_empty() {
                true => format!("; `{}` is read as start, end and step", [start, middle, last].map(text).join(":")),
                false => String::new(),
            };
            let note = counted([start, middle], extent) + &note;
            Some(Steps { slice: slice(start, middle, extent), step: step.into(), is_reversed: false, note })
        });
    }
    let is_pair = |n: &usize| range[*n].is_punct('.') && range[n + 1].is_punct('.');
    let dots: Vec<usize> = (0..range.len().saturating_sub(1)).filter(is_pair).collect();
    let [first, second] = dots[..] else { return None };
    if first + 2 > second || second + 2 >= range.len() {
        return None;
    }
    let (start, end, step) = (&range[..first], &range[first + 2..second], text(&range[second + 2..]));
    Some(Steps { slice: slice(start, end, extent), step, is_reversed: false, note: counted([start, end], extent) })
}

/// A whole axis from its end on: `::-2`, and `end:-2:1` of languages that count from 1.
fn backwards([start, middle, last]: [&[Token]; 3]) -> Option<Steps> {
    let signed = match (start, middle, last) {
        ([], [], signed) => signed,
        ([end], signed, [first]) if end.is_ident("end") && literal(std::slice::from_ref(first)) == Some("1") => signed,
        _ => return None,
    };
    let [sign, step] = signed else { return None };
    let step = literal(std::slice::from_ref(step)).filter(|_| sign.is_punct('-'))?.into();
    Some(Steps { slice: None, step, is_reversed: true, note: String::new() })
}

/// `1:2:end`, whose step is in the middle. Languages that have `end` count from 1.
fn counted_from_one([start, middle, last]: [&[Token]; 3]) -> Option<Steps> {
    let ([end], step) = (last, literal(middle)?) else { return None };
    let first = literal(start)?.parse::<usize>().ok()?.checked_sub(1).filter(|_| end.is_ident("end"))?;
    let slice = (first > 0).then(|| format!("{first}.."));
    Some(Steps { slice, step: step.into(), is_reversed: false, note: String::new() })
}

/// The literal that tokens are.
fn literal(tokens: &[Token]) -> Option<&str> {
    match tokens {
        [Token { tree: Tree::Literal(literal), .. }] => Some(literal),
        _ => None,
    }
}

/// The range of a slice in Rust. Negative positions of Python count from the end.
fn slice(start: &[Token], end: &[Token], extent: &str) -> Option<String> {
    let [start, end] = [start, end].map(|part| match part {
        [sign, number @ ..] if sign.is_punct('-') => format!("{extent} - {}", text(number)),
        part => text(part),
    });
    let is_whole = matches!(start.as_str(), "" | "0") && end.is_empty();
    (!is_whole).then(|| format!("{start}..{end}"))
}

/// What the name of the extent means, if one of these positions counts from the end.
fn counted(bounds: [&[Token]; 2], extent: &str) -> String {
    let is_negative = |part: &&[Token]| part.first().is_some_and(|sign| sign.is_punct('-'));
    if bounds.iter().any(is_negative) { format!("; `{extent}` is the extent") } else { String::new() }
}
