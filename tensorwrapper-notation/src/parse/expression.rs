//! Right sides: sums of products of factors.

use super::calls::{function_in_brackets, given, refuse_body, refuse_call, refuse_factor, typed, unknown};
use super::condition::{Reader, clip, select, whole_by};
use super::cursor::{Cursor, hole, split};
use super::foreign;
use super::gradient::{differentiated, gradient, variable};
use super::index::{indices, labels};
use super::map::{cast, map};
use super::mistake::{rust_expression, unexpected};
use super::number::{number, scalar, varying_exponent, whole_exponent};
use super::operand::{absolute, brackets, called, dotted, second_brackets};
use super::reduction::{labels_first, not_a_list, not_labels, without_semicolon};
use super::unread::{is_comparison, is_name};
use super::words::is_keyword;
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::sentence::counted;
use crate::syntax::{Ending, Exchange, Expression, ExpressionKind, Factorisation, Name, Operator, Scalar};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// A sum of terms.
pub(super) fn expression(cursor: &mut Cursor<'_>) -> Result<Expression, Diagnostic> {
    binary(cursor, &[Operator::Add, Operator::Subtract], |cursor| binary(cursor, &[Operator::Multiply, Operator::Divide], unary))
}

/// A whole list of tokens as one expression.
pub(super) fn whole(tokens: &[Token], end: Span) -> Result<Expression, Diagnostic> {
    whole_by(tokens, end, expression)
}

/// Operands of one precedence, grouped from the left.
fn binary(cursor: &mut Cursor<'_>, operators: &[Operator], operand: Reader) -> Result<Expression, Diagnostic> {
    let mut left = operand(cursor)?;
    while let Some(&operator) = operators.iter().find(|operator| cursor.peek_punct(operator.symbol())) {
        // `+=` belongs to the statement, and `->` is an error that is reported elsewhere.
        if cursor.peek_pair(operator.symbol(), '=') || cursor.peek_pair(operator.symbol(), '>') {
            break;
        }
        cursor.next();
        let right = operand(cursor)?;
        let span = left.span.to(right.span);
        left = Expression::new(ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), span).bounded()?;
    }
    Ok(left)
}

fn unary(cursor: &mut Cursor<'_>) -> Result<Expression, Diagnostic> {
    let mut signs = Vec::new();
    while cursor.peek_punct('-') {
        signs.push(cursor.here());
        cursor.next();
    }
    let mut found = factor(cursor)?;
    for sign in signs.into_iter().rev() {
        let span = sign.to(found.span);
        found = Expression::new(ExpressionKind::Negate(Box::new(found)), span).bounded()?;
    }
    Ok(found)
}

fn factor(cursor: &mut Cursor<'_>) -> Result<Expression, Diagnostic> {
    let start = *cursor;
    let Some(token) = cursor.peek() else {
        let what = if cursor.previous().is_some_and(|t| t.is_punct('+') || t.is_punct('-')) { "term" } else { "factor" };
        return Err(match cursor.previous() {
            Some(token) if token.is_punct('=') => Diagnostic::syntax(token.span, "nothing follows the `=`"),
            _ => Diagnostic::syntax(cursor.before(), format!("a {what} is missing after this")),
        });
    };
    match &token.tree {
        Tree::Literal(literal) => {
            cursor.next();
            spread(Scalar::Literal(number(literal, token.span)?, token.span), cursor, token.span)
        }
        Tree::Group(Delimiter::Brace, _) => {
            cursor.next();
            spread(Scalar::Hole(hole(std::slice::from_ref(token))), cursor, token.span)
        }
        Tree::Group(Delimiter::Parenthesis, inner) if !is_operand(cursor) => {
            cursor.next();
            parentheses(cursor, inner, token.span)
        }
        Tree::Group(Delimiter::Invisible, inner) if !is_operand(cursor) => {
            cursor.next();
            // A `macro_rules!` variable: a literal stays one, anything else is a scalar expression.
            match inner.as_slice() {
                [Token { tree: Tree::Literal(literal), .. }] => {
                    let scalar = Scalar::Literal(number(literal, token.span)?, token.span);
                    Ok(Expression::new(ExpressionKind::Scalar(scalar), token.span))
                }
                _ => Ok(scalar_hole(cursor, start)),
            }
        }
        Tree::Group(Delimiter::Parenthesis | Delimiter::Invisible, _) => {
            cursor.next();
            postfix(cursor, start)
        }
        Tree::Ident(name) => word(cursor, name, token.span),
        Tree::Punct('&', _) => {
            Err(Diagnostic::syntax(token.span, "operands are borrowed by themselves").help("leave out the `&`"))
        }
        Tree::Punct('*', _) if cursor.previous().is_some_and(|t| matches!(t.tree, Tree::Punct('*', true))) => {
            Err(Diagnostic::syntax(cursor.before().to(token.span), "`**` is not an operator here")
                .help("a power is `powi(X, 2)` or `powf(X, 0.5)`"))
        }
        Tree::Punct('*', _) => Err(Diagnostic::syntax(token.span, "a factor is missing before `*`")
            .help("a dereferenced scalar stands in braces, `{ *x }`; a power is `powi(X, 2)`")),
        Tree::Punct('+', _) => Err(Diagnostic::syntax(token.span, "a term is missing before `+`")),
        Tree::Punct('|', _) => Err(absolute(cursor)),
        Tree::Group(Delimiter::Bracket, inner) => Err(brackets(inner, token.span)),
        _ => {
            let fault = cursor.expected("an operand such as `A[i, j]`, a number, a function or `(`");
            Err(match foreign::before(cursor) {
                Some(help) => fault.help(help),
                None => fault,
            })
        }
    }
}

/// What stands in parentheses, which are read.
fn parentheses(cursor: &Cursor<'_>, inner: &[Token], span: Span) -> Result<Expression, Diagnostic> {
    let found = whole(inner, span)?;
    if let Some(arguments) = cursor.peek_group(Delimiter::Parenthesis) {
        unexpected(cursor).map_err(|fault| called(fault, inner, arguments))?;
    }
    Ok(Expression::new(ExpressionKind::Parentheses(Box::new(found)), span))
}

/// What begins with a word: a function, `iota[i]`, or a Rust path.
fn word(cursor: &mut Cursor<'_>, name: &str, at: Span) -> Result<Expression, Diagnostic> {
    let start = *cursor;
    if is_keyword(name) && !matches!(name, "self" | "Self" | "super" | "crate") {
        return Err(rust_expression(name, at, cursor.all()));
    }
    cursor.next();
    if let Some(arguments) = cursor.peek_group(Delimiter::Parenthesis) {
        let span = at.to(cursor.here());
        refuse_body(name, arguments, &cursor.rest()[1..])?;
        let indexed = cursor.peek_at(1).is_some_and(|t| t.group(Delimiter::Bracket).is_some());
        let found = call(name, arguments, indexed, at, span)?;
        cursor.next();
        refuse_call(cursor, name)?;
        return Ok(found);
    }
    if let Some(inner) = cursor.peek_group(Delimiter::Bracket).filter(|_| name == IOTA) {
        let found = iota(inner, cursor.here(), at)?;
        cursor.next();
        return Ok(found);
    }
    if let Some(fault) = typed(name, cursor, at) {
        return Err(fault);
    }
    while cursor.take_pair(':', ':') {
        cursor.name("the rest of a path")?;
    }
    postfix(cursor, start)
}

/// Whether a parenthesised group is a Rust expression that is indexed: `(psi[n])[l, s, r]`, `(x).y[i]`.
fn is_operand(cursor: &Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    ahead.next();
    ahead.peek_group(Delimiter::Bracket).is_some() || ahead.peek_punct('.')
}

/// Reads the rest of an operand: fields, method calls and finally brackets.
fn postfix<'a>(cursor: &mut Cursor<'a>, start: Cursor<'a>) -> Result<Expression, Diagnostic> {
    while cursor.peek_punct('.') && !cursor.peek_pair('.', '.') || cursor.peek_punct('?') {
        if cursor.take_punct('?') {
            continue;
        }
        cursor.next();
        match cursor.next().map(|t| &t.tree) {
            Some(Tree::Ident(_) | Tree::Literal(_)) => {}
            Some(Tree::Group(Delimiter::Parenthesis, inner)) => return Err(dotted(&start, cursor, inner)),
            _ => return Err(Diagnostic::syntax(cursor.before(), "a field or method is missing after `.`")),
        }
        if let Some(arguments) = cursor.peek_group(Delimiter::Parenthesis) {
            if let Some(fault) = foreign::in_a_module(&start, cursor, arguments) {
                return Err(fault);
            }
            cursor.next();
        }
    }
    let operand = cursor.hole_since(start);
    refuse_call(cursor, &operand.text)?;
    let Some(inner) = cursor.peek_group(Delimiter::Bracket) else {
        return Ok(scalar_hole(cursor, start));
    };
    let bracket = cursor.here();
    cursor.next();
    if let Some(more) = cursor.peek_group(Delimiter::Bracket) {
        return Err(second_brackets(&operand.text, inner, more, cursor.here()));
    }
    let found =
        indices(inner, bracket).map_err(|fault| function_in_brackets(&operand.text, inner, operand.span).unwrap_or(fault))?;
    refuse_factor(cursor, &operand.text, inner)?;
    let span = operand.span.to(bracket);
    Ok(Expression::new(ExpressionKind::Operand(operand, found), span))
}

fn scalar_hole<'a>(cursor: &Cursor<'a>, start: Cursor<'a>) -> Expression {
    let scalar = cursor.hole_since(start);
    let span = scalar.span;
    Expression::new(ExpressionKind::Scalar(Scalar::Hole(scalar)), span)
}

/// The name of the value of an index.
const IOTA: &str = "iota";

/// `iota[i]`
fn iota(inner: &[Token], bracket: Span, at: Span) -> Result<Expression, Diagnostic> {
    let found = labels(inner, bracket).ok().filter(|names| names.len() == 1).and_then(|mut names| names.pop());
    match found {
        Some(name) => Ok(Expression::new(ExpressionKind::Iota(name), at.to(bracket))),
        None => Err(Diagnostic::syntax(bracket, "`iota` is the value of one index, from 0 on")
            .help("write `iota[i]`; a tensor that is called `iota` needs another name")),
    }
}

/// A number, which brackets may spread over labels.
fn spread(scalar: Scalar, cursor: &mut Cursor<'_>, span: Span) -> Result<Expression, Diagnostic> {
    let Some(inner) = cursor.peek_group(Delimiter::Bracket) else {
        return Ok(Expression::new(ExpressionKind::Scalar(scalar), span));
    };
    let span = span.to(cursor.here());
    let over = labels(inner, cursor.here())?;
    cursor.next();
    Ok(Expression::new(ExpressionKind::Spread(scalar, over), span))
}

/// The fault of an operation of linear algebra inside an expression.
pub(super) fn stands_alone(name: &str, at: Span) -> Diagnostic {
    let results = Factorisation::from_name(name).map_or("L[i, k]", |kind| kind.form(false, false).results_named);
    Diagnostic::syntax(at, format!("`{name}` stands alone on the right side"))
        .help(format!("give it an equation of its own, `let {results} = {name}(…);`, and use the result in the next"))
}

/// A function of the language.
fn call(name: &str, arguments: &[Token], indexed: bool, at: Span, span: Span) -> Result<Expression, Diagnostic> {
    if let Some(ending) = Ending::from_name(name) {
        let Some(semicolon) = arguments.iter().position(|t| t.is_punct(';')).filter(|&n| n > 0) else {
            return Err(without_semicolon(name, arguments, "k", at));
        };
        let (before, body) = (&arguments[..semicolon], &arguments[semicolon + 1..]);
        if !split(before, ',').iter().all(is_name) && !body.is_empty() && split(body, ',').iter().all(is_name) {
            return Err(labels_first(name, &text(body), &text(before), at));
        }
        if let Some(fault) = not_a_list(name, arguments, at) {
            return Err(fault);
        }
        if let Some(fault) = not_labels(name, (before, body), (&[], &[]), at) {
            return Err(fault);
        }
        let over = labels(before, span)?;
        if body.is_empty() {
            let fault = Diagnostic::syntax(arguments[semicolon].span, format!("nothing follows the `;` of `{name}`"));
            return Err(fault.help(format!("write `{name}({} X)`", text(&arguments[..=semicolon]).trim_end())));
        }
        if is_comparison(body) {
            return Err(Diagnostic::syntax(at, "a comparison is not a number"));
        }
        let body = Box::new(whole(body, span)?);
        return Ok(Expression::new(ExpressionKind::Reduce(ending, over, body), span));
    }
    if let Some(kind) = Exchange::from_name(name) {
        return exchange(kind, arguments, at, span);
    }
    match name {
        "map" => return mapped(arguments, at, span),
        "select" => return select(arguments, at, span, expression),
        "clip" => return clip(arguments, at, span, expression),
        "cast" => return converted(arguments, at, span),
        "grad" => return derivatives(arguments, at, span),
        _ => {}
    }
    if Factorisation::from_name(name).is_some() {
        return Err(stands_alone(name, at));
    }
    let parts = split(arguments, ',');
    if let Some(function) = Function::from_name(name) {
        let [argument] = parts.as_slice() else {
            return Err(Diagnostic::syntax(at, format!("`{name}` takes one argument, {}", given(parts.len()))));
        };
        let argument = Box::new(whole(argument, span)?);
        return Ok(Expression::new(ExpressionKind::Apply(function, argument), span));
    }
    if let "powi" | "powf" = name {
        let [base, exponent] = parts.as_slice() else {
            return Err(Diagnostic::syntax(
                at,
                format!("`{name}` takes two arguments, a base and an exponent, {}", given(parts.len())),
            )
            .help(format!("write `{name}(X, {})`", if name == "powi" { "2" } else { "0.5" })));
        };
        return power(name, base, exponent, span);
    }
    Err(unknown(name, &parts, indexed, at))
}

/// `map(f; X, Y)`, `map(f, slopes; X)`
fn mapped(tokens: &[Token], at: Span, span: Span) -> Result<Expression, Diagnostic> {
    let (functions, arguments) = map(tokens, at)?;
    let arguments = arguments.into_iter().map(|part| whole(part, span)).collect::<Result<_, _>>()?;
    Expression::new(ExpressionKind::Map(functions, arguments), span).bounded()
}

/// `grad(X; A[k, l])`
fn derivatives(tokens: &[Token], at: Span, span: Span) -> Result<Expression, Diagnostic> {
    let (value, variables) = gradient(tokens, at)?;
    let value = Box::new(differentiated(whole(value, span)?)?);
    let variables = variables.into_iter().map(|part| variable(whole(part, span)?)).collect::<Result<_, _>>()?;
    Expression::new(ExpressionKind::Gradient(value, variables), span).bounded()
}

/// `cast(T; X)`
fn converted(tokens: &[Token], at: Span, span: Span) -> Result<Expression, Diagnostic> {
    let (named, inner) = cast(tokens, at)?;
    let inner = Box::new(whole(inner, span)?);
    Ok(Expression::new(ExpressionKind::Cast(named, inner), span))
}

/// `sym(i, j; X)`, `asym((i, a), (j, b); X)`
fn exchange(kind: Exchange, arguments: &[Token], at: Span, span: Span) -> Result<Expression, Diagnostic> {
    let name = kind.name();
    let usage = || format!("write `{name}(i, j; X)`, or `{name}((i, a), (j, b); X)` for pairs");
    let Some(semicolon) = arguments.iter().position(|t| t.is_punct(';')) else {
        return Err(Diagnostic::syntax(at, format!("`{name}` names the labels that change places first")).help(usage()));
    };
    let group = |part: &[Token]| match part {
        [Token { tree: Tree::Group(Delimiter::Parenthesis, inner), span }] => labels(inner, *span),
        _ => labels(part, span),
    };
    let groups = split(&arguments[..semicolon], ',').into_iter().map(group).collect::<Result<Vec<_>, _>>()?;
    let Ok([first, second]) = <[Vec<_>; 2]>::try_from(groups) else {
        return Err(Diagnostic::syntax(at, format!("`{name}` exchanges two labels, or two groups of them")).help(usage()));
    };
    if first.len() != second.len() {
        let message = format!("`{name}` cannot exchange {} with {}", counted(first.len(), "label"), second.len());
        return Err(Diagnostic::syntax(at, message).help(usage()));
    }
    let names: Vec<&Name> = first.iter().chain(&second).collect();
    if let Some(twice) =
        names.iter().enumerate().find_map(|(n, name)| names[..n].iter().any(|known| known.text == name.text).then_some(name))
    {
        return Err(Diagnostic::syntax(twice.span, format!("`{name}` names label `{}` twice", twice.text)).help(usage()));
    }
    let body = Box::new(whole(&arguments[semicolon + 1..], span)?);
    Ok(Expression::new(ExpressionKind::Exchange(kind, [first, second], body), span))
}

fn power(name: &str, base: &[Token], exponent: &[Token], span: Span) -> Result<Expression, Diagnostic> {
    let read = Box::new(whole(base, span)?);
    if let Some(fault) = varying_exponent(name, (base, &read), exponent) {
        return Err(fault);
    }
    let kind = match name {
        "powi" => ExpressionKind::PowerInteger(read, whole_exponent(name, exponent, span)?),
        _ => ExpressionKind::PowerReal(read, scalar(exponent, span)?),
    };
    Ok(Expression::new(kind, span))
}
