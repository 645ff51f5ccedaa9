//! `grad(X; A[k, l])`: the derivatives of one operand by others.
//!
//! What stands inside are operands and nothing else: an expression is named first, in an equation of its own. This file must not know
//! how they are read: `expression` reads them.

use super::cursor::split;
use super::places::{Call, fresh, sides};
use super::unread::labels_in;
use crate::diagnostic::Diagnostic;
use crate::sentence::quoted;
use crate::syntax::{Expression, ExpressionKind, Indices, Scalar};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The tokens of what is differentiated, and those of each variable.
pub(super) fn gradient(tokens: &[Token], at: Span) -> Result<(&[Token], Vec<&[Token]>), Diagnostic> {
    let [value, variables] = split(tokens, ';')[..] else {
        let fault = Diagnostic::syntax(at, "`grad` names what is differentiated, a `;`, and the variables");
        return Err(fault.help(match &split(tokens, ',')[..] {
            [value, variable] => format!("write `grad({}; {})`", text(value), text(variable)),
            _ => "write `grad(L; A[k, l])`".to_string(),
        }));
    };
    if value.is_empty() {
        return Err(Diagnostic::syntax(at, "nothing stands before the `;` of `grad`").help("write `grad(L; A[k, l])`"));
    }
    Ok((value, split(variables, ',')))
}

/// The help for `grad(l, a)`, with indices for what has none, in a statement where these labels have values.
pub(super) fn separated(call: &Call<'_>, statement: &[Token], known: &[&str]) -> Option<String> {
    let parts = split(call.arguments, ',');
    let [value, variables @ ..] = &parts[..] else { return None };
    let is_separated = call.arguments.iter().any(|token| token.is_punct(';'));
    if call.name != "grad" || variables.is_empty() || is_separated || variables.iter().any(|part| part.is_empty()) {
        return None;
    }
    let (left, right) = sides(statement);
    let is_alone = matches!(right, [_, group, rest @ ..] if group.group(Delimiter::Parenthesis) == Some(call.arguments)
        && rest.first().is_none_or(|next| next.is_ident("where")));
    if variables.len() > 1 && !is_alone {
        return Some(SEVERAL.into());
    }
    let on_right = labels_in(right);
    let missing: Vec<&str> = known.iter().copied().filter(|label| !on_right.contains(label)).collect();
    let bare = |part: &[Token]| matches!(part, [.., last] if matches!(last.tree, Tree::Ident(_)));
    // What the left side has, and nothing else on the right, are the indices of the only operand that lacks them.
    let without: Vec<&[Token]> = variables.iter().copied().filter(|part| bare(part)).collect();
    let (mut written, mut lacking) = (Vec::new(), Vec::new());
    let several = fresh(statement, 2 * variables.len());
    let results = results(left);
    for (n, part) in variables.iter().enumerate() {
        let known = match results.get(n) {
            Some(labels) if results.len() == variables.len() => labels.join(", "),
            _ if without.len() == 1 && !missing.is_empty() => missing.join(", "),
            _ => several[2 * n..2 * n + 2].join(", "),
        };
        match bare(part) {
            true => {
                written.push(format!("{}[{known}]", text(part)));
                lacking.push(text(part));
            }
            false => written.push(text(part)),
        }
    }
    // The other operand has the rest of the left side.
    let value = match lacking.is_empty() && bare(value) && !missing.is_empty() {
        true => format!("{}[{}]", text(value), missing.join(", ")),
        false => text(value),
    };
    let each = if lacking.is_empty() { String::new() } else { format!(", with an index for each axis of {}", quoted(&lacking)) };
    let code = format!("grad({value}; {})", written.join(", "));
    // `let g = grad(l, a);` has no indices yet.
    match left {
        [word, name] if word.is_ident("let") && is_alone && lacking.len() == 1 && variables.len() == 1 => {
            let name = text(std::slice::from_ref(name));
            Some(format!("write `let {name}[{}] = {code};`{each}", several.join(", ")))
        }
        _ => Some(format!("write `{code}`{each}")),
    }
}

/// Where derivatives by several tensors stand.
const SEVERAL: &str =
    "derivatives by several tensors are results of an equation of their own, `let (g[i], h[j]) = grad(L; x[i], y[j]);`";

/// The labels of each of several results on the left side.
fn results(left: &[Token]) -> Vec<Vec<&str>> {
    let group = left.last().and_then(|last| last.group(Delimiter::Parenthesis)).unwrap_or_default();
    split(group, ',').into_iter().map(labels_in).collect()
}

/// What is differentiated, if it is an operand.
pub(super) fn differentiated(found: Expression) -> Result<Expression, Diagnostic> {
    operand(found).map_err(|value| {
        let fault = Diagnostic::syntax(value, "`grad` differentiates one operand, and this is an expression");
        fault.help("name it first, `let L = …;`, and write `grad(L; A[k, l])`")
    })
}

/// A variable, if it is an operand.
pub(super) fn variable(found: Expression) -> Result<Expression, Diagnostic> {
    operand(found).map_err(|variable| {
        let fault = Diagnostic::syntax(variable, "a variable of `grad` is an operand, and this is none");
        fault.help("write a tensor with its indices, `grad(L; A[k, l])`, or a result of an equation before")
    })
}

/// An operand. A name without indices is a number.
///
/// # Errors
/// The place of anything else.
fn operand(found: Expression) -> Result<Expression, Span> {
    let span = found.span;
    match found.kind {
        ExpressionKind::Operand(..) => Ok(found),
        ExpressionKind::Scalar(Scalar::Hole(name)) if !name.text.starts_with('{') => {
            Ok(Expression::new(ExpressionKind::Operand(name, Indices::default()), span))
        }
        _ => Err(span),
    }
}
