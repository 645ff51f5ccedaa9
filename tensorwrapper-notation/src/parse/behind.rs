//! Helps for what stands behind an operand: methods, types, indices and signs of other languages.

use super::cursor::Cursor;
use super::places::last_operand;
use super::synonyms::synonym;
use super::types::conversion;
use super::unread::{first_term, is_bare, labels_in, labels_of_letters, names, subscripted, with_spread};
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::syntax::Ending;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// `A[i, j].sqrt()`
pub(super) fn method(cursor: &Cursor<'_>, span: Span, plain: Diagnostic) -> Diagnostic {
    let Some(Token { tree: Tree::Ident(name), span: at }) = cursor.peek_at(1) else {
        return match field(cursor) {
            Some(help) => plain.help(help),
            None => plain,
        };
    };
    let fault = Diagnostic::syntax(span.to(*at), format!("`.{name}` cannot follow an index"));
    let arguments = cursor.peek_at(2).and_then(|token| token.group(Delimiter::Parenthesis)).map(text).unwrap_or_default();
    let name = name.as_str();
    if let "powi" | "powf" = name {
        let exponent = if arguments.is_empty() { "2" } else { &arguments };
        return fault.help(format!("write `{name}(…, {exponent})` around it"));
    }
    if Function::from_name(name).is_some() || name == "cast" {
        return fault.help(format!("write `{name}(…)` around it"));
    }
    if Ending::from_name(name).is_some() {
        return fault.help(format!("write `{name}(k; …)` around it, with the indices that it runs over"));
    }
    // An equation ends before its `where`.
    let is_whole = cursor.peek_at(3).is_none_or(|next| next.is_ident("where"));
    if let Some(fault) = unwrapped(cursor, is_whole) {
        return fault;
    }
    let operand = text(last_operand(cursor.read()));
    if matches!(name, "clamp" | "clip") && !arguments.is_empty() {
        return fault.help(format!("write `clip({operand}, {arguments})`"));
    }
    if name == "map" && !arguments.is_empty() {
        return fault.help(format!("write `map({arguments}; {operand})`"));
    }
    if let "clone" | "to_owned" | "view" | "as_ref" = name {
        return fault.help("leave it out: an equation only reads its operands");
    }
    if let Some(help) = synonym(name) {
        return fault.help(help);
    }
    // `v[i] . w[i]`, `layers[n].w[i, j]`
    if let Some(indices) = cursor.peek_at(2).and_then(|token| token.group(Delimiter::Bracket)) {
        let indices = text(indices);
        return fault.help(format!(
            "the field of an element of a collection is indexed as `({operand}.{name})[{indices}]`; a product is written with `*`: \
             `{operand} * {name}[{indices}]`"
        ));
    }
    fault.help(format!("`(A.{name}({arguments}))[i, j]` indexes the result of a Rust method"))
}

/// The fault of `.unwrap()` behind an equation as a whole, or behind an operand in it.
pub(super) fn unwrapped(cursor: &Cursor<'_>, is_whole: bool) -> Option<Diagnostic> {
    let [dot, Token { tree: Tree::Ident(name), span }, ..] = cursor.rest() else { return None };
    if !dot.is_punct('.') || !matches!(name.as_str(), "unwrap" | "expect") {
        return None;
    }
    let (what, help) = match is_whole {
        true => ("an equation", PANICS),
        false if cursor.previous().is_some_and(is_parenthesis) => ("an operand", UNWRAPPED),
        false => ("an index", UNWRAPPED),
    };
    Some(Diagnostic::syntax(dot.span.to(*span), format!("`.{name}` cannot follow {what}")).help(help))
}

/// Why elements are not unwrapped.
const UNWRAPPED: &str =
    "leave it out: elements are numbers; a call that returns a `Result` is unwrapped before the indices, `(A.unwrap())[i, j]`";

/// What becomes of errors.
const PANICS: &str = "leave it out: `tensor!` panics by itself, and `try_tensor!` gives a `Result`";

/// The help for a token that belongs to the operand before it.
pub(super) fn behind_operand(cursor: &Cursor<'_>) -> Option<String> {
    let token = cursor.peek()?;
    let rest = cursor.rest();
    let operand = last_operand(cursor.read());
    match &token.tree {
        Tree::Punct('?', _) if rest.len() == 1 || rest[1].is_ident("where") => Some(PANICS.into()),
        // `[i] = v[i] += 1.0`
        Tree::Punct('+' | '-' | '*' | '/', true) if rest.get(1).is_some_and(|next| next.is_punct('=')) => {
            let update = text(&with_spread(&[operand, rest].concat(), &labels_in(operand)));
            Some(format!("an update of a tensor that exists is an equation of its own, `{update}`"))
        }
        Tree::Ident(word) if word == "as" && (!labels_in(operand).is_empty() || operand.last().is_some_and(is_bracket)) => {
            Some(conversion(operand, &rest[1..]))
        }
        // `a{i, k}`, `a_{i k}`
        Tree::Group(Delimiter::Brace, inner) => {
            let Some(Token { tree: Tree::Ident(name), .. }) = cursor.previous() else { return None };
            // `A_{ik}`
            let subscripts = labels_of_letters(inner, &labels_in(cursor.all()));
            if let (Some(name), false) = (name.strip_suffix('_').filter(|name| !name.is_empty()), subscripts.is_empty()) {
                return Some(format!("indices stand in brackets: `{name}[{subscripts}]`"));
            }
            let (names, known) = (names(inner)?, labels_in(cursor.read()));
            // A single name may be a number, before which a `*` is missing.
            let are_labels = names.len() > 1 || known.contains(&names[0]);
            are_labels.then(|| format!("indices stand in brackets: `{name}[{}]`", names.join(", ")))
        }
        // `Σ_j a[i, j]`
        Tree::Ident(_) => {
            let Some(Token { tree: Tree::Ident(word), .. }) = cursor.previous() else { return None };
            let body = first_term(rest);
            let (name, labels) = subscripted(word, &labels_in(body))?;
            Some(format!("the labels of a reduction stand in front of its body: `{name}({labels}; {})`", text(body)))
        }
        _ => None,
    }
}

/// The help for indices behind a call, which belong to a tensor in its parentheses: `conj(z)[j, i]`.
pub(super) fn indices_behind(read: &[Token], indices: &[Token]) -> String {
    let what = "indices stand on the tensors inside of the parentheses";
    let indices = text(indices);
    if let [.., Token { tree: Tree::Ident(function), .. }, group] = read
        && let Some(inner) = group.group(Delimiter::Parenthesis)
        && is_bare(inner)
    {
        return format!("{what}: `{function}({}[{indices}])`", text(inner));
    }
    format!("{what}, as in `sqrt(A[{indices}])`")
}

/// The help for `net[0].0[i, j]`, a field of an element of a collection.
pub(super) fn field(cursor: &Cursor<'_>) -> Option<String> {
    let [_, Token { tree: Tree::Literal(field), .. }, indices, ..] = cursor.rest() else { return None };
    let (operand, indices) = (text(last_operand(cursor.read())), text(indices.group(Delimiter::Bracket)?));
    Some(format!("an element of a collection stands in parentheses: `({operand}.{field})[{indices}]`"))
}

fn is_bracket(token: &Token) -> bool {
    token.group(Delimiter::Bracket).is_some()
}

pub(super) fn is_parenthesis(token: &Token) -> bool {
    token.group(Delimiter::Parenthesis).is_some()
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn brackets_behind_methods() {
        refused(&[
            (
                "[i, j] = A[i, j].T[j, i]",
                &[".T: `.T` cannot follow an index | a transpose is another order of indices: `[i, j] = A[j, i]`"],
            ),
            (
                "[i] = v[i] . w[i]",
                &[
                    ". w: `.w` cannot follow an index | the field of an element of a collection is indexed as `(v[i].w)[i]`; a product is written with `*`: `v[i] * w[i]`",
                ],
            ),
        ]);
    }

    #[test]
    fn subscripts_in_braces() {
        refused(&[
            ("[i] = 2.0 * x_{old}", &["{old}: expected an operator, found `{ old }` | a product is written with `*`"]),
            ("[i] = x_{old}[i]", &["{old}: expected an operator, found `{ old }` | a product is written with `*`"]),
            ("[i] = A_{max}[i]", &["{max}: expected an operator, found `{ max }` | a product is written with `*`"]),
            ("[i, j] = A_{ij}", &["{ij}: expected an operator, found `{ ij }` | indices stand in brackets: `A[i, j]`"]),
            ("[i, k] = A_{ij} * B_{jk}", &["{ij}: expected an operator, found `{ ij }` | indices stand in brackets: `A[i, j]`"]),
            ("[i] = x_{i}", &["{i}: expected an operator, found `{ i }` | indices stand in brackets: `x[i]`"]),
            ("[i, j] = 2.0 * A_{i j}", &["{i j}: expected an operator, found `{ i j }` | indices stand in brackets: `A[i, j]`"]),
        ]);
    }
}
