//! The results that a block has named, and faults of those that stand where Rust would have a value: `x.norm()`, `a[{ k }, j]`. The
//! block is computed as a whole, so that none of its results has a value before.

use super::computed::at_position;
use super::places::{fresh, place};
use super::synonyms::synonym;
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::syntax::{
    Count, Ending, Expression, ExpressionKind, Factorisation, Hole, Index, LeftSide, Name, Right, Scalar, Statement, Target,
};
use crate::token::Token;

/// The result of a name, as it was bound last.
pub(super) fn result<'s>(before: &'s [Statement], name: &str) -> Option<(&'s Name, &'s LeftSide)> {
    before.iter().rev().find_map(|statement| match &statement.target {
        Target::Let(results) => results.iter().map(|(name, side)| (name, side)).find(|(known, _)| known.text == name),
        _ => None,
    })
}

/// The labels of a name's result, if it has some, and all its axes are single labels, each once.
pub(super) fn labels<'s>(before: &'s [Statement], name: &str) -> Option<Vec<&'s str>> {
    let (_, side) = result(before, name)?;
    let label = |index: &'s Index| if let Index::Label(name) = index { Some(name.text.as_str()) } else { None };
    let labels: Vec<&str> = side.indices.as_ref()?.iter().map(label).collect::<Option<_>>()?;
    let is_plain = (1..labels.len()).all(|n| !labels[..n].contains(&labels[n]));
    (!labels.is_empty() && is_plain).then_some(labels)
}

/// The fault of such a use in a statement behind others.
pub(super) fn as_values(before: &[Statement], statement: &Statement, tokens: &[Token]) -> Option<Diagnostic> {
    let arguments = match &statement.right {
        Right::Expression(right) => std::slice::from_ref(right),
        Right::Factorisation(call) => &call.arguments,
    };
    arguments.iter().find_map(|argument| inside(before, argument, tokens))
}

fn inside(before: &[Statement], expression: &Expression, tokens: &[Token]) -> Option<Diagnostic> {
    let own = match &expression.kind {
        ExpressionKind::Scalar(Scalar::Hole(hole)) => method(before, hole),
        ExpressionKind::Operand(hole, indices) => {
            method(before, hole).or_else(|| indices.iter().find_map(|index| position(before, index, tokens)))
        }
        _ => None,
    };
    own.or_else(|| expression.kind.children().into_iter().find_map(|part| inside(before, part, tokens)))
}

/// The end of a help: a variable of the program may have the name of a result.
fn or_renamed(name: &str) -> String {
    format!("; if the variable `{name}` of the program is meant, give the result another name")
}

/// The fault of `x.norm()`.
fn method(before: &[Statement], hole: &Hole) -> Option<Diagnostic> {
    let (name, rest) = hole.text.split_once('.')?;
    result(before, name)?;
    let message = format!("`{name}` is a result of this block, and has no fields and methods before the block is computed");
    let help =
        in_equations(before, name, rest).unwrap_or_else(|| "they stand outside of the macro, on the value of the block".into());
    Some(Diagnostic::syntax(hole.span, message).help(help + &or_renamed(name)))
}

/// The help for a method of a result, `norm()`, that equations have as a function. What is written behind it is left out.
pub(super) fn in_equations(before: &[Statement], name: &str, call: &str) -> Option<String> {
    let end = call.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(call.len());
    let (method, behind) = call.split_at(end);
    // What stands in braces is Rust's, too.
    if let Some(help) = synonym(method).filter(|help| !help.contains('{')) {
        return Some(help);
    }
    let labels = labels(before, name).unwrap_or_default().join(", ");
    let operand = if labels.is_empty() { name.to_string() } else { format!("{name}[{labels}]") };
    Some(match arguments(behind) {
        Some(exponent) if matches!(method, "powi" | "powf") => format!("write `{method}({operand}, {exponent})`"),
        // `x.max(0.0)` is a maximum of two elements, and no reduction.
        Some(_) => return None,
        None if Function::from_name(method).is_some() => format!("write `{method}({operand})`"),
        None if labels.is_empty() => return None,
        None if Factorisation::from_name(method).is_some() => format!("write `{method}({operand})`"),
        None if Ending::from_name(method).is_some() => format!("write `{method}({labels}; {operand})`"),
        None => return None,
    })
}

/// The arguments of the call whose parentheses begin a text, if there are any.
fn arguments(behind: &str) -> Option<&str> {
    let inside = behind.strip_prefix('(')?;
    let mut depth = 1;
    let end = inside.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    })?;
    Some(inside[..end].trim()).filter(|arguments| !arguments.is_empty())
}

/// The fault of `a[{ k }, j]`, where `k` is a number that the block makes.
fn position(before: &[Statement], index: &Index, tokens: &[Token]) -> Option<Diagnostic> {
    let Index::Chip(Count::Hole(hole)) = index else { return None };
    let name = hole.text.trim_matches(['{', '}', ' ']);
    let (_, side) = result(before, name)?;
    let here = place(tokens, hole.span)?;
    let other = fresh(tokens, 1).remove(0);
    let value = if side.indices.is_some() { format!("{name}[]") } else { name.to_string() };
    let message = format!("`{name}` is a result of this block, and positions are known before the block is computed");
    Some(Diagnostic::syntax(hole.span, message).help(at_position(&here, &other, &value) + &or_renamed(name)))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn results_where_rust_has_values() {
        refused(&[
            (
                "let x[i] = a[i, j] * v[j]; let n = x.norm(); n",
                &[
                    "x.norm(): `x` is a result of this block, and has no fields and methods before the block is computed | write `norm(x[i])`; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let n = x.sum(); n",
                &[
                    "x.sum(): `x` is a result of this block, and has no fields and methods before the block is computed | write `sum(i; x[i])`; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let n = x.len(); n",
                &[
                    "x.len(): `x` is a result of this block, and has no fields and methods before the block is computed | they stand outside of the macro, on the value of the block; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i, j] = a[i, j]; let y[i, j] = 2.0 * x.T[i, j]; y",
                &[
                    "x.T: `x` is a result of this block, and has no fields and methods before the block is computed | a transpose is another order of indices: `[i, j] = A[j, i]`; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let e = v[i] * w[i]; let f = 2.0 * (e.sqrt() + 1.0); f",
                &[
                    "e.sqrt(): `e` is a result of this block, and has no fields and methods before the block is computed | write `sqrt(e)`; if the variable `e` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let y[i] = x.powi(2) * v[i]; y",
                &[
                    "x.powi(2): `x` is a result of this block, and has no fields and methods before the block is computed | write `powi(x[i], 2)`; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let y[i] = x.powf(f(0.5) + p) * v[i]; y",
                &[
                    "x.powf(f(0.5) + p): `x` is a result of this block, and has no fields and methods before the block is computed | write `powf(x[i], f(0.5) + p)`; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let y[i] = x.max(0.0) * v[i]; y",
                &[
                    "x.max(0.0): `x` is a result of this block, and has no fields and methods before the block is computed | they stand outside of the macro, on the value of the block; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let y[i] = x.max() * v[i]; y",
                &[
                    "x.max(): `x` is a result of this block, and has no fields and methods before the block is computed | write `max(i; x[i])`; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let y[i] = x.n * v[i]; y",
                &[
                    "x.n: `x` is a result of this block, and has no fields and methods before the block is computed | they stand outside of the macro, on the value of the block; if the variable `x` of the program is meant, give the result another name",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; x.norm()",
                &["x.norm(): `x` has no methods before the block is computed | write `norm(x[i])`"],
            ),
            (
                "let x[i] = a[i, j] * v[j]; x.powi(2)",
                &["x.powi(2): `x` has no methods before the block is computed | write `powi(x[i], 2)`"],
            ),
            (
                "let x[i] = a[i, j] * v[j]; x.max(0.0)",
                &[
                    "x.max(0.0): `x` has no methods before the block is computed | write `x`, and call `max` outside of the macro, on the value of the block",
                ],
            ),
            (
                "let x[i] = a[i, j] * v[j]; x.clone()",
                &[
                    "x.clone(): `x` has no methods before the block is computed | write `x`, and call `clone` outside of the macro, on the value of the block",
                ],
            ),
            ("let x[i] = a[i, j] * v[j]; vec![x]", &["vec: the value of a block is written without `vec!` | write `x`"]),
            (
                "let x[i] = a[i, j] * v[j]; let y[i] = x[i]; {x, y}",
                &["{x, y}: the values of a block stand in parentheses | write `(x, y)`"],
            ),
            (
                "let x[i] = a[i, j] * v[j]; let y[i] = x[i]; S { x, y }",
                &["S: the value of a block is written without `S` | write `(x, y)`"],
            ),
            (
                "let k = argmax(i; v[i]); let y[j] = 2.0 * a[j, { k }] + w[j]; y",
                &[
                    "{ k }: `k` is a result of this block, and positions are known before the block is computed | elements at computed positions are chosen: `sum(l; select(iota[l] == k; a[j, l], 0.0))`; if the variable `k` of the program is meant, give the result another name",
                ],
            ),
            (
                "let k[] = argmax(i; v[i]); let y[j] = a[{ k }, j]; y",
                &[
                    "{ k }: `k` is a result of this block, and positions are known before the block is computed | elements at computed positions are chosen: `sum(l; select(iota[l] == k[]; a[l, j], 0.0))`; if the variable `k` of the program is meant, give the result another name",
                ],
            ),
        ]);
    }
}
