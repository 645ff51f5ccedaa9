//! Faults of calls: functions that the language does not have, and parentheses or brackets where the others belong.

use super::choices::clipped;
use super::cursor::Cursor;
use super::synonyms::{is_of_whole_tensors, synonym};
use super::types::{complex, converted};
use super::unread::{first_term, is_condition, labels_in, names, subscripted, with_values};
use super::words::is_keyword;
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

/// Refuses `sum(k) A[i, k]`, whose body stands behind the parentheses.
pub(super) fn refuse_body(name: &str, arguments: &[Token], behind: &[Token]) -> Result<(), Diagnostic> {
    // Brackets are no body: they index the result, `max(a, b)[i]`.
    let is_body = |token: &Token| match &token.tree {
        Tree::Ident(word) => !is_keyword(word),
        tree => matches!(tree, Tree::Group(Delimiter::Parenthesis | Delimiter::Brace, _)),
    };
    let (Some(_), Some(labels), Some(next)) =
        (Ending::from_name(name), names(arguments), behind.first().filter(|next| is_body(next)))
    else {
        return Ok(());
    };
    let body = text(first_term(behind));
    Err(Diagnostic::syntax(next.span, format!("the labels and the body of `{name}` share one pair of parentheses"))
        .help(format!("write `{name}({}; {body})`", labels.join(", "))))
}

/// The fault of `exp[A[i, j]]`, a function whose argument is in brackets.
pub(super) fn function_in_brackets(name: &str, inner: &[Token], span: Span) -> Option<Diagnostic> {
    // Other languages have brackets there, and capital letters: `Sin[x]`.
    let known = name.to_lowercase();
    let is_function = Function::from_name(&known).is_some() || matches!(name, "powi" | "powf");
    is_function.then(|| {
        Diagnostic::syntax(span, format!("`{known}` is a function, and its argument stands in parentheses"))
            .help(format!("write `{known}({})`", text(inner)))
    })
}

/// The fault of `cast::<f64>(x)` and `cast<f64>(x)`.
pub(super) fn typed(name: &str, cursor: &Cursor<'_>, at: Span) -> Option<Diagnostic> {
    let behind = &cursor.rest()[if cursor.peek_pair(':', ':') { 2 } else { 0 }..];
    let is_called = behind.iter().skip(1).find_map(|token| token.group(Delimiter::Parenthesis)).is_some();
    (name == "cast" && behind.first().is_some_and(|sign| sign.is_punct('<')) && is_called).then(|| {
        let fault = Diagnostic::syntax(at, "`cast` names its type in its parentheses");
        fault.help("write `cast(f32; A[i, j])`, and likewise for other types")
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
    let is_label = |part: &&[Token]| matches!(part, [Token { tree: Tree::Ident(_) | Tree::Literal(_), .. }]);
    let are_labels = !arguments.is_empty() && arguments.iter().all(is_label);
    let in_brackets = format!("indices stand in brackets: `{name}[{}]`", written.join(", "));
    // One letter with several labels is the name of a tensor sooner than that of a function: `T(i, j)`.
    if are_labels && arguments.len() > 1 && name.chars().count() == 1 {
        return plain.help(match (name, &written[..]) {
            ("P", [i, j]) => format!("{in_brackets}; X minus X with `{i}` and `{j}` exchanged is `asym({i}, {j}; X)`"),
            _ => in_brackets,
        });
    }
    let known = synonym(name).or_else(|| converted(name, arguments));
    let help = known.or_else(|| similar(name, arguments)).unwrap_or_else(|| match are_labels {
        true => in_brackets,
        false => of_rust(name, arguments),
    });
    plain.help(help)
}

/// The help for `ifelse(C, X, Y)`, whatever it is called, among the labels of its equation.
pub(super) fn chosen(name: &str, arguments: &[&[Token]], labels: &[&str]) -> Option<String> {
    let [condition, chosen, other] = arguments else { return None };
    let is_other = synonym(name).is_none() && !functions().any(|known| known == name);
    let written = text(&with_values(condition, labels));
    (is_other && is_condition(condition))
        .then(|| format!("a choice for each element is `select({written}; {}, {})`", text(chosen), text(other)))
}

/// The names of all functions of the language.
fn functions() -> impl Iterator<Item = &'static str> {
    let operations = Factorisation::ALL.into_iter().map(Factorisation::name);
    let exchanges = Exchange::ALL.into_iter().map(Exchange::name);
    let others = ["powi", "powf", "map", "cast", "select", "clip"];
    Function::ALL.iter().map(|f| f.name()).chain(Ending::names()).chain(operations).chain(exchanges).chain(others)
}

/// The help for the name of a function with labels behind it, `sum_k(X)`, and for one with a slip in it.
fn similar(name: &str, arguments: &[&[Token]]) -> Option<String> {
    if let Some((ending, labels)) = subscripted(name, &labels_in(&arguments.concat())) {
        let body = arguments.iter().map(|part| text(part)).collect::<Vec<_>>().join(", ");
        return Some(format!("the labels of a reduction stand in front of its body: `{ending}({labels}; {body})`"));
    }
    let known = slipped(name, functions())?;
    Some(format!("a function of a similar name is `{known}`"))
}

/// The help for what may be a function of Rust.
fn of_rust(name: &str, arguments: &[&[Token]]) -> String {
    let written = arguments.iter().map(|part| text(part)).collect::<Vec<_>>().join(", ");
    if !arguments.iter().any(|part| part.iter().any(|t| t.group(Delimiter::Bracket).is_some())) {
        return format!("a number from a Rust function stands in braces: `{{ {name}({written}) }}`");
    }
    // What names labels before a `;` is no function of elements.
    let is_of_elements = !is_of_whole_tensors(name) && !arguments.iter().any(|part| part.iter().any(|t| t.is_punct(';')));
    let other = match is_of_elements {
        true => format!("a Rust function is called as `map({name}; {written})`"),
        false => "what needs whole tensors is called before the equation".into(),
    };
    let known = quoted(Function::ALL.iter().map(|f| f.name()));
    format!("functions of elements are {known}, `powi`, `powf`, `clip` and `select`; {other}")
}

/// `, but none is given` and its like.
pub(super) fn given(count: usize) -> String {
    match count {
        0 => "but none is given".to_string(),
        1 => "but 1 is given".to_string(),
        n => format!("but {n} are given"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn choices_by_other_names() {
        refused(&[
            (
                "[i, j] = ifelse(i == j, a[i, j], 0.0)",
                &[
                    "ifelse: `ifelse` is not a function of tensor equations | a choice for each element is `select(iota[i] == iota[j]; a[i, j], 0.0)`",
                ],
            ),
            (
                "[i, j] = ifelse(i == j, 1.0, 0.0)",
                &[
                    "ifelse: `ifelse` is not a function of tensor equations | a choice for each element is `select(iota[i] == iota[j]; 1.0, 0.0)`; `where i: n` behind the equation gives `i` its extent",
                ],
            ),
            (
                "[] = sum(i, j; ifelse(i < j, a[i, j], 0.0))",
                &[
                    "ifelse: `ifelse` is not a function of tensor equations | a choice for each element is `select(iota[i] < iota[j]; a[i, j], 0.0)`",
                ],
            ),
        ]);
    }

    #[test]
    fn bodies_behind_parentheses() {
        refused(&[
            ("[i] = max(a, b)[i]", &["max: the labels of `max` and its body have `;` between them | write `max(a; b)`"]),
            (
                "[i] = sum(k) a[i, k]",
                &["a: the labels and the body of `sum` share one pair of parentheses | write `sum(k; a[i, k])`"],
            ),
            (
                "[i] = sum(k) (a[i, k] + b[i, k])",
                &[
                    "(a[i, k] + b[i, k]): the labels and the body of `sum` share one pair of parentheses | write `sum(k; (a[i, k] + b[i, k]))`",
                ],
            ),
        ]);
    }
}
