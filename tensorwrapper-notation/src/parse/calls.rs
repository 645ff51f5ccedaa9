//! Faults of calls: functions that the language does not have, and parentheses or brackets where the others belong.

use super::choices::clipped;
use super::cursor::Cursor;
use super::synonyms::{is_of_whole_tensors, synonym};
use super::types::{complex, converted};
use super::unread::{labels_in, subscripted};
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::nearest::slipped;
use crate::sentence::quoted;
use crate::syntax::{Ending, Exchange, Factorisation};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// Refuses parentheses behind something that is not a function of the language.
pub(super) fn refuse_call(cursor: &Cursor<'_>, what: &str) -> Result<(), Diagnostic> {
    match cursor.peek_group(Delimiter::Parenthesis) {
        None => Ok(()),
        Some(inner) => {
            let arguments = text(inner);
            let indexed = "the result of a Rust call is indexed as `(f(x))[i, j]`";
            let fault = Diagnostic::syntax(cursor.here(), "parentheses follow an operand");
            let number = format!("a number that a Rust call makes stands in braces: `{{ {what}({arguments}) }}`");
            Err(fault.help(match what.contains("::") {
                true if !labels_in(inner).is_empty() && what.ends_with("::new") && complex(inner).is_some() => {
                    complex(inner).unwrap_or_default()
                }
                true if !labels_in(inner).is_empty() => {
                    format!("a Rust function of each element is `map({what}; {arguments})`; {number}")
                }
                true => format!("{number}; {indexed}"),
                false => format!("indices stand in brackets, `{what}[{arguments}]`; {indexed}"),
            }))
        }
    }
}

/// Refuses parentheses behind an indexed operand: a `*` is missing, or the labels of `sum[k](…)` are misplaced.
pub(super) fn refuse_factor(cursor: &Cursor<'_>, operand: &str, indices: &[Token]) -> Result<(), Diagnostic> {
    let Some(inner) = cursor.peek_group(Delimiter::Parenthesis) else { return Ok(()) };
    if Ending::from_name(operand).is_some() {
        let fault =
            Diagnostic::syntax(cursor.here(), format!("the labels and the body of `{operand}` share one pair of parentheses"));
        return Err(fault.help(format!("write `{operand}({}; {})`", text(indices), text(inner))));
    }
    Err(Diagnostic::syntax(cursor.here(), "an operator is missing before this").help("a product is written with `*`"))
}

/// The fault of `exp[A[i, j]]`, a function whose argument is in brackets.
pub(super) fn function_in_brackets(name: &str, inner: &[Token], span: Span) -> Option<Diagnostic> {
    let is_function = Function::from_name(name).is_some() || matches!(name, "powi" | "powf");
    is_function.then(|| {
        Diagnostic::syntax(span, format!("`{name}` is a function, and its argument stands in parentheses"))
            .help(format!("write `{name}({})`", text(inner)))
    })
}

/// The fault of an unknown function. `indexed` tells that brackets follow the call.
pub(super) fn unknown(name: &str, arguments: &[&[Token]], indexed: bool, at: Span) -> Diagnostic {
    let plain = Diagnostic::syntax(at, format!("`{name}` is not a function of tensor equations"));
    let written: Vec<String> = arguments.iter().map(|part| text(part)).collect();
    if indexed {
        return plain.help(format!("the result of a Rust function is indexed as `({name}({}))[i, j]`", written.join(", ")));
    }
    if let ("clamp", [_, _, ..]) = (name, arguments) {
        return plain.help(clipped(arguments));
    }
    if let Some(help) = synonym(name) {
        return plain.help(help);
    }
    if let Some(help) = converted(name, arguments) {
        return plain.help(help);
    }
    // `sum_k(X)`
    if let Some((ending, labels)) = subscripted(name, &labels_in(&arguments.concat())) {
        return plain
            .help(format!("the labels of a reduction stand in front of its body: `{ending}({labels}; {})`", written.join(", ")));
    }
    let functions = Function::ALL.iter().map(|f| f.name());
    let reductions = Ending::names();
    let decompositions = Factorisation::ALL.into_iter().map(Factorisation::name);
    let exchanges = Exchange::ALL.into_iter().map(Exchange::name);
    let others = ["powi", "powf", "map", "cast", "select", "clip"];
    let all = functions.clone().chain(reductions).chain(decompositions).chain(exchanges).chain(others);
    if let Some(known) = slipped(name, all) {
        return plain.help(format!("a function of a similar name is `{known}`"));
    }
    let is_label = |part: &&[Token]| matches!(part, [Token { tree: Tree::Ident(_) | Tree::Literal(_), .. }]);
    if !arguments.is_empty() && arguments.iter().all(is_label) {
        return plain.help(format!("indices stand in brackets: `{name}[{}]`", written.join(", ")));
    }
    if arguments.iter().any(|part| part.iter().any(|t| t.group(Delimiter::Bracket).is_some())) {
        let known = quoted(functions);
        if is_of_whole_tensors(name) {
            return plain.help(format!(
                "functions of elements are {known}, `powi`, `powf`, `clip` and `select`; what needs whole tensors is called before the equation"
            ));
        }
        let any = format!("a Rust function is called as `map({name}; {})`", written.join(", "));
        return plain.help(format!("functions of elements are {known}, `powi`, `powf`, `clip` and `select`; {any}"));
    }
    plain.help(format!("a number from a Rust function stands in braces: `{{ {name}({}) }}`", written.join(", ")))
}

/// `, but none is given` and its like.
pub(super) fn given(count: usize) -> String {
    match count {
        0 => "but none is given".to_string(),
        1 => "but 1 is given".to_string(),
        n => format!("but {n} are given"),
    }
}
