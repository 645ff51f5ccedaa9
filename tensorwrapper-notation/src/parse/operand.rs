//! Faults of operands: bars and brackets where one belongs, and dots, calls and more brackets behind one.

use super::cursor::{Cursor, split};
use super::index::indices;
use super::mistake::array;
use super::synonyms::synonym;
use super::unread::{is_bare, is_name, labels_in};
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::syntax::Ending;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The fault of `|A[i, j]|`.
pub(super) fn absolute(cursor: &Cursor<'_>) -> Diagnostic {
    let opens_twice = cursor.peek_pair('|', '|');
    let rest = &cursor.rest()[1 + usize::from(opens_twice)..];
    let (inside, behind) = rest.split_at(rest.iter().position(|token| token.is_punct('|')).unwrap_or(rest.len()));
    let closes_twice = behind.len() > 1 && behind[..2].iter().all(|token| token.is_punct('|'));
    let fault = cursor.expected("an operand");
    // `|x| x * x`: an operand follows, and the parameters have no brackets.
    let is_operand = behind.get(1).is_some_and(|next| matches!(next.tree, Tree::Ident(_) | Tree::Literal(_) | Tree::Group(..)));
    let has_brackets = inside.iter().any(|token| token.group(Delimiter::Bracket).is_some());
    if is_operand && !opens_twice && !inside.is_empty() && !has_brackets && !behind[1].is_ident("where") {
        return fault.help("a Rust function stands outside of the macro, `let f = |x| …;`, and is called as `map(f; A[i, j])`");
    }
    match opens_twice {
        true if closes_twice => fault.help(format!("a norm is `norm({})`, alone on the right side", text(inside))),
        // `||a[i]| - b[i]|`
        true => fault.help("an absolute value is `abs(A[i])`, and one in another `abs(abs(A[i]) - B[i])`"),
        false => fault.help(format!("an absolute value is `abs({})`", text(inside))),
    }
}

/// The fault of brackets where an operand belongs.
pub(super) fn brackets(inner: &[Token], at: Span) -> Diagnostic {
    let is_number = |token: &Token| matches!(&token.tree, Tree::Literal(_) | Tree::Group(Delimiter::Bracket, _));
    match inner.first().is_some_and(is_number) {
        true => Diagnostic::syntax(at, "an array is no operand").help(array(inner)),
        false if inner.iter().any(|token| token.group(Delimiter::Bracket).is_some()) => {
            let fault = Diagnostic::syntax(at, "indices stand after an operand");
            fault.help(format!("terms are grouped by parentheses: `({})`", text(inner)))
        }
        false => Diagnostic::syntax(at, "indices stand after an operand").help("write `A[i, j]`, or `1[i, j]` for ones"),
    }
}

/// The fault of `sin.(a[i])`. The cursor is behind the parentheses.
pub(super) fn dotted<'a>(start: &Cursor<'a>, cursor: &Cursor<'a>, arguments: &[Token]) -> Diagnostic {
    // Neither the dot nor the parentheses are part of the function.
    let path = &start.rest()[..start.rest().len() - cursor.rest().len() - 2];
    let name = match path.last().map(|last| &last.tree) {
        Some(Tree::Ident(name)) => name.as_str(),
        _ => "",
    };
    let has_semicolon = arguments.iter().any(|token| token.is_punct(';'));
    let is_function = Function::from_name(name).is_some() || matches!(name, "powi" | "powf" | "clip" | "select");
    let help = match (synonym(name), name, &split(arguments, ',')[..]) {
        (Some(help), ..) => Some(help),
        (None, "select", [condition, chosen, other]) if !has_semicolon => {
            Some(format!("a choice for each element is `select({}; {}, {})`", text(condition), text(chosen), text(other)))
        }
        _ if is_function => Some(format!("functions act on each element without a dot: `{name}({})`", text(arguments))),
        // These are of two elements: a reduction has no dot elsewhere, either.
        (None, "max", [_, _]) => synonym("maximum"),
        (None, "min", [_, _]) => synonym("minimum"),
        _ if Ending::from_name(name).is_some() => {
            Some(format!("a reduction has no dot, and names its labels first: `{name}(k; X)`"))
        }
        _ => Some(format!("a Rust function of each element is `map({}; {})`", text(path), text(arguments))),
    };
    let fault = Diagnostic::syntax(cursor.before(), "a field or method is missing after `.`");
    Diagnostic { help, ..fault }
}

/// The fault of parentheses behind others, which may be Rust's call of a closure in a field: `(self.f)(x)`.
pub(super) fn called(fault: Diagnostic, function: &[Token], arguments: &[Token]) -> Diagnostic {
    let is_field = is_bare(function) && function.iter().any(|token| token.is_punct('.'));
    match &fault.help {
        Some(help) if is_field && labels_in(arguments).is_empty() => {
            let call = format!("`{{ ({})({}) }}`", text(function), text(arguments));
            let help = format!("{help}; a number from a Rust call stands in braces: {call}");
            fault.help(help)
        }
        _ => fault,
    }
}

/// The fault of `A[i][j]`, and of `A["x"][i, j]`, an element of a collection.
pub(super) fn second_brackets(operand: &str, first: &[Token], second: &[Token], at: Span) -> Diagnostic {
    let fault = Diagnostic::syntax(at, "an operand has one pair of brackets");
    let element = format!("`({operand}[{}])[{}]`", text(first), text(second));
    let is_range = second.windows(2).any(|pair| pair.iter().all(|token| token.is_punct('.')));
    fault.help(match indices(first, at) {
        Ok(_) if is_name(&first) && is_range => {
            format!("a part of an axis is a slice: `{operand}[{} in {}]`", text(first), text(second))
        }
        Ok(_) => format!("write `{operand}[{}, {}]`, or {element} for an element of a collection", text(first), text(second)),
        Err(_) => format!("an element of a collection is {element}"),
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn functions_with_dots() {
        let missing = "a field or method is missing after `.`";
        for (text, at, help) in [
            ("[i] = log.(v[i])", "(v[i])", "the natural logarithm is `ln(X)`"),
            (
                "[i] = max.(v[i], w[i])",
                "(v[i], w[i])",
                "the larger of two elements is `select(X >= Y || X != X; X, Y)`, or NaN if one of them is",
            ),
            (
                "[i] = min.(v, w)",
                "(v, w)",
                "the smaller of two elements is `select(X <= Y || X != X; X, Y)`, or NaN if one of them is",
            ),
            ("[i] = sum.(v[i])", "(v[i])", "a reduction has no dot, and names its labels first: `sum(k; X)`"),
            ("[i] = powf.(v[i], 2)", "(v[i], 2)", "functions act on each element without a dot: `powf(v[i], 2)`"),
            (
                "[i] = clip.(v[i], 0.0, 1.0)",
                "(v[i], 0.0, 1.0)",
                "functions act on each element without a dot: `clip(v[i], 0.0, 1.0)`",
            ),
            ("[i] = select.(m[i], v[i], w[i])", "(m[i], v[i], w[i])", "a choice for each element is `select(m[i]; v[i], w[i])`"),
            ("[i] = Base.sqrt.(v[i])", "(v[i])", "functions act on each element without a dot: `sqrt(v[i])`"),
            ("[i] = f.(v[i], w[i])", "(v[i], w[i])", "a Rust function of each element is `map(f; v[i], w[i])`"),
            ("[i] = s.f.(v[i])", "(v[i])", "a Rust function of each element is `map(s.f; v[i])`"),
        ] {
            refused(&[(text, &[&format!("{at}: {missing} | {help}")])]);
        }
    }

    #[test]
    fn calls_of_fields() {
        refused(&[
            (
                "[i] = (self.f)(x) * v[i]",
                &[
                    "(x): expected an operator, found `(x)` | a product is written with `*`; a number from a Rust call stands in braces: `{ (self.f)(x) }`",
                ],
            ),
            ("[i] = (c)(v[i])", &["(v[i]): expected an operator, found `(v[i])` | a product is written with `*`"]),
            ("[i] = (c.x)(v[i])", &["(v[i]): expected an operator, found `(v[i])` | a product is written with `*`"]),
        ]);
    }
}
