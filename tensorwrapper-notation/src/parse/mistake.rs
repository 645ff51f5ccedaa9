//! Faults of syntax that have messages of their own, because one can tell what the author may have meant.
//!
//! This file must not know the grammar, which is in the other files of this folder.

use super::choices::{choice, clipped};
use super::cursor::Cursor;
use super::foreign;
use super::joined::{conditions, equations, field, indices_behind};
use super::places::last_operand;
use super::synonyms::{is_of_whole_tensors, synonym};
use super::types::{complex, conversion, converted};
use super::unread::{first_term, labels_in, names, subscripted};
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::nearest::slipped;
use crate::sentence::quoted;
use crate::syntax::{Ending, Exchange, Expression, ExpressionKind, Factorisation, Index, Name};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// What a choice for each element is written as.
const CHOICE: &str = "a choice for each element is `select(A[i] > 0.0; A[i], 0.0)`";

/// Where a comparison belongs.
const COMPARISON: &str = "a comparison stands in `select(C; X, Y)`: X where C holds, and Y elsewhere";

/// Refuses what follows an expression in parentheses. No equation is there, so that `==` compares.
pub(super) fn unexpected_inside(cursor: &Cursor<'_>) -> Result<(), Diagnostic> {
    if let Some(fault) = unwrapped(cursor, false) {
        return Err(fault);
    }
    if let Some(help) = choice(cursor.all()).filter(|_| !cursor.is_empty()) {
        return Err(cursor.expected("an operator").help(help));
    }
    let signs = [['=', '='], ['!', '='], ['&', '&'], ['|', '|']];
    match signs.into_iter().find(|[first, second]| cursor.peek_pair(*first, *second)) {
        Some([first, second]) => {
            let message = format!("expected an operator, found `{first}{second}`");
            Err(Diagnostic::syntax(cursor.here(), message).help(COMPARISON))
        }
        None => match conditions(cursor, true) {
            Some(help) => Err(cursor.expected("an operator").help(help)),
            None => unexpected(cursor),
        },
    }
}

/// Refuses what follows an expression. The help depends on the token.
pub(super) fn unexpected(cursor: &Cursor<'_>) -> Result<(), Diagnostic> {
    let Some(token) = cursor.peek() else { return Ok(()) };
    let found = text(std::slice::from_ref(token));
    let plain = Diagnostic::syntax(token.span, format!("expected an operator, found `{}`", found.trim_end()));
    let next = cursor.peek_at(1);
    let with_neighbours = |from: usize| text(&cursor.rest()[..from.min(cursor.rest().len())]);
    let before = cursor.previous().map_or(String::new(), |token| text(std::slice::from_ref(token)));
    if let Some(help) = foreign::behind(cursor) {
        return Err(plain.help(help));
    }
    if let Some(help) = behind_operand(cursor) {
        return Err(plain.help(help));
    }
    Err(match &token.tree {
        Tree::Punct('=', _) if cursor.peek_pair('=', '=') => {
            Diagnostic::syntax(token.span, "`==` compares; an equation has a single `=`")
                .help("write `[i, j] = A[i, k] * B[k, j]`")
        }
        Tree::Punct('=', _) => Diagnostic::syntax(token.span, "an equation has one `=`")
            .help("write several equations in one `tensor!` with `;` between them"),
        Tree::Punct('-', true) if cursor.peek_pair('-', '>') => {
            Diagnostic::syntax(token.span, "the left side is written first, and there is no arrow")
                .help("write `[i, j] = A[i, k] * B[k, j]`")
        }
        Tree::Punct('^', _) => {
            Diagnostic::syntax(token.span, "`^` is not an operator here").help("a power is `powi(X, 2)` or `powf(X, 0.5)`")
        }
        Tree::Punct('.', true) if matches!(next, Some(Token { tree: Tree::Punct('+' | '-' | '*' | '/', _), .. })) => {
            plain.help(format!("operators act on each element without a dot: `{}`", text(&cursor.rest()[1..2]).trim_end()))
        }
        Tree::Punct('.', _) => method(cursor, token.span, plain),
        Tree::Punct('!', _) => plain.help(format!("a Rust macro stands in braces: `{{ {before}{} }}`", with_neighbours(2))),
        Tree::Punct('@', _) => plain.help("a matrix product is `A[i, k] * B[k, j]`: `k` is summed"),
        Tree::Punct('?', _) => plain.help(choice(cursor.all()).unwrap_or_else(|| CHOICE.into())),
        Tree::Punct('<' | '>', _) => plain.help(COMPARISON),
        Tree::Punct('&' | '|', _) if let Some(help) = conditions(cursor, false) => plain.help(help),
        Tree::Punct('%' | '|' | '&', _) => plain.help("the operators are `+`, `-`, `*` and `/`"),
        Tree::Punct(',', _) if next.is_none() => {
            Diagnostic::syntax(token.span, "nothing follows this `,`").help("leave it out: an equation ends without a `,`")
        }
        Tree::Punct(',', _) if are_names(cursor) => {
            let names = from_previous(cursor);
            plain.help(format!("several values of a block stand in parentheses: `({names})`"))
        }
        Tree::Punct(',', _) if next.is_some_and(|next| next.is_ident("where")) => {
            plain.help("leave it out: an equation and its `where` have no `,` between them")
        }
        Tree::Punct(',', _) if let Some(help) = equations(cursor) => plain.help(help),
        Tree::Punct(',', _) => plain.help("several results are written `([i], [i, j]) = …`"),
        Tree::Punct(':', _) if cursor.previous().is_some_and(|token| matches!(token.tree, Tree::Ident(_))) => {
            plain.help(format!("extents stand behind `where`, with `,` between them: `where i: 2, {before}: 3`"))
        }
        Tree::Ident(word) if word == "if" => plain.help(choice(cursor.all()).unwrap_or_else(|| CHOICE.into())),
        Tree::Ident(word) if word == "let" => Diagnostic::syntax(token.span, "`;` is missing before this `let`"),
        Tree::Ident(word) if word == "as" => {
            plain.help(format!("a Rust expression stands in braces: `{{ {before} {} }}`", with_neighbours(2)))
        }
        Tree::Group(Delimiter::Bracket, indices) if cursor.previous().is_some_and(is_parenthesis) => {
            plain.help(indices_behind(cursor.read(), indices))
        }
        Tree::Ident(_) | Tree::Group(..) if cursor.rest().iter().any(|t| t.is_punct('=')) => {
            Diagnostic::syntax(token.span, format!("expected an operator or `;`, found `{found}`"))
                .help("a product is written with `*`; equations have `;` between them")
        }
        Tree::Ident(_) | Tree::Literal(_) | Tree::Group(Delimiter::Parenthesis | Delimiter::Brace, _) => {
            plain.help("a product is written with `*`")
        }
        _ => plain,
    })
}

/// `A[i, j].sqrt()`
fn method(cursor: &Cursor<'_>, span: Span, plain: Diagnostic) -> Diagnostic {
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
    if Function::from_name(name).is_some() {
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
    if name == "map" && !arguments.is_empty() {
        return fault.help(format!("write `map({arguments}; {operand})`"));
    }
    if let "clone" | "to_owned" | "view" | "as_ref" = name {
        return fault.help("leave it out: an equation only reads its operands");
    }
    match synonym(name) {
        Some(help) => fault.help(help),
        None => fault.help(format!("`(A.{name}({arguments}))[i, j]` indexes the result of a Rust method")),
    }
}

/// The fault of `.unwrap()` behind an equation as a whole, or behind an operand in it.
fn unwrapped(cursor: &Cursor<'_>, is_whole: bool) -> Option<Diagnostic> {
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
fn behind_operand(cursor: &Cursor<'_>) -> Option<String> {
    let token = cursor.peek()?;
    let rest = cursor.rest();
    let operand = last_operand(cursor.read());
    match &token.tree {
        Tree::Punct('?', _) if rest.len() == 1 || rest[1].is_ident("where") => Some(PANICS.into()),
        // `[i] = v[i] += 1.0`
        Tree::Punct('+' | '-' | '*' | '/', true) if rest.get(1).is_some_and(|next| next.is_punct('=')) => {
            let update = text(&[operand, rest].concat());
            Some(format!("an update of a tensor that exists is an equation of its own, `{update}`"))
        }
        Tree::Ident(word) if word == "as" && (!labels_in(operand).is_empty() || operand.last().is_some_and(is_bracket)) => {
            Some(conversion(operand, &rest[1..]))
        }
        // `a{i, k}`, `a_{i k}`
        Tree::Group(Delimiter::Brace, inner) => {
            let Some(Token { tree: Tree::Ident(name), .. }) = cursor.previous() else { return None };
            let name = name.strip_suffix('_').filter(|name| !name.is_empty()).unwrap_or(name);
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

fn is_bracket(token: &Token) -> bool {
    token.group(Delimiter::Bracket).is_some()
}

/// What stands from the token before on.
fn from_previous(cursor: &Cursor<'_>) -> String {
    text(&[cursor.previous().into_iter().cloned().collect(), cursor.rest().to_vec()].concat())
}

fn is_parenthesis(token: &Token) -> bool {
    token.group(Delimiter::Parenthesis).is_some()
}

/// Whether names with `,` between them are all that is there.
fn are_names(cursor: &Cursor<'_>) -> bool {
    let is_name = |token: &Token| matches!(token.tree, Tree::Ident(_));
    let rest = cursor.rest();
    cursor.previous().is_some_and(is_name)
        && rest.len() > 1
        && rest.iter().enumerate().all(|(n, token)| if n % 2 == 0 { token.is_punct(',') } else { is_name(token) })
}

/// The fault of a Rust expression such as `if x { 1.0 } else { 2.0 }` without braces around it.
pub(super) fn rust_expression(word: &str, span: Span, statement: &[Token]) -> Diagnostic {
    let choice = choice(statement).unwrap_or_else(|| CHOICE.into());
    if word == "where" {
        return Diagnostic::syntax(span, "`where` is not a function of tensor equations").help(choice);
    }
    if let Some(help) = synonym(word) {
        return Diagnostic::syntax(span, format!("`{word}` is not a function of tensor equations")).help(help);
    }
    match word {
        "for" | "while" => {
            return Diagnostic::syntax(span, format!("`{word} …` is a loop of Rust, and no part of an equation"))
                .help(format!("the loop stands around the macro: `{word} … {{ tensor!(…); }}`"));
        }
        "true" | "false" => {
            return Diagnostic::syntax(span, format!("`{word}` is a truth value, and no number"))
                .help("a condition on truth values is `m[i]`, or `!m[i]` for those that do not hold");
        }
        _ => {}
    }
    let what = if matches!(word, "if" | "match" | "loop" | "unsafe") {
        format!("`{word} …` is a Rust expression")
    } else {
        format!("`{word}` is a word of Rust")
    };
    let fault = Diagnostic::syntax(span, format!("{what}, and those stand in braces"));
    match word {
        "if" | "match" => fault.help(format!("`{{ {word} … }}` is one number; {choice}")),
        _ => fault.help(format!("write `{{ {word} … }}`")),
    }
}

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

pub(super) fn is_name(part: &&[Token]) -> bool {
    matches!(part, [Token { tree: Tree::Ident(_), .. }])
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

/// The labels of an expression that are visible outside of it, each as often as it occurs in a term.
pub(super) fn occurring(expression: &Expression) -> Vec<&str> {
    let mut found = Vec::new();
    collect(expression, &mut found);
    found
}

fn collect<'e>(expression: &'e Expression, found: &mut Vec<&'e str>) {
    let add = |found: &mut Vec<&'e str>, names: &'e [Name]| found.extend(names.iter().map(|name| name.text.as_str()));
    match &expression.kind {
        ExpressionKind::Operand(_, indices) => {
            for index in indices {
                match index {
                    Index::Label(name) | Index::Slice(name, _) => add(found, std::slice::from_ref(name)),
                    Index::Fused(names, _) => add(found, names),
                    Index::Chip(_) | Index::Rest(_) | Index::NoAxes(_) => {}
                }
            }
        }
        ExpressionKind::Spread(_, names) => add(found, names),
        ExpressionKind::Iota(name) => add(found, std::slice::from_ref(name)),
        ExpressionKind::Scalar(_) => {}
        // The labels that a reduction binds are not visible outside of it.
        ExpressionKind::Reduce(_, bound, inner) => {
            let mut inside = Vec::new();
            collect(inner, &mut inside);
            found.extend(inside.into_iter().filter(|label| bound.iter().all(|name| name.text != *label)));
        }
        // The terms of a sum have the same labels.
        ExpressionKind::Binary(crate::syntax::Operator::Add | crate::syntax::Operator::Subtract, a, _) => collect(a, found),
        ExpressionKind::Binary(_, a, b) => {
            collect(a, found);
            collect(b, found);
        }
        // The values of a choice have the same labels.
        ExpressionKind::Select(_, values) => collect(&values[0], found),
        ExpressionKind::Clip(parts) => collect(&parts[0], found),
        kind @ (ExpressionKind::Map(..) | ExpressionKind::Truth(_) | ExpressionKind::Gradient(..)) => {
            kind.children().into_iter().for_each(|part| collect(part, found));
        }
        ExpressionKind::Negate(inner)
        | ExpressionKind::Parentheses(inner)
        | ExpressionKind::Cast(_, inner)
        | ExpressionKind::Apply(_, inner)
        | ExpressionKind::Exchange(_, _, inner)
        | ExpressionKind::PowerInteger(inner, _)
        | ExpressionKind::PowerReal(inner, _) => collect(inner, found),
    }
}
