//! `select(C; X, Y)` and `clip(X, a, b)`: choices for each element.
//!
//! This file must not know how expressions are read; it is told.

use super::behind::method;
use super::calls::given;
use super::choices::{clipped, inside_condition, is_named};
use super::cursor::{Cursor, split};
use super::foreign;
use super::mistake::unexpected_inside;
use super::synonyms::JOINED;
use super::unread::is_condition;
use crate::condition::{Comparison, Condition};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, ExpressionKind, Scalar};
use crate::token::{Delimiter, Span, Token, text};

/// Reads a sum of terms.
pub(super) type Reader = fn(&mut Cursor<'_>) -> Result<Expression, Diagnostic>;

/// `select(C; X, Y)`
pub(super) fn select(tokens: &[Token], at: Span, span: Span, read: Reader) -> Result<Expression, Diagnostic> {
    let usage = "`select(C; X, Y)` is X where the comparison C holds, and Y elsewhere";
    let Some(semicolon) = tokens.iter().position(|t| t.is_punct(';')) else {
        let fault = Diagnostic::syntax(at, "the condition of `select` stands first, and `;` follows it");
        let parts: Vec<String> = split(tokens, ',').into_iter().map(text).collect();
        return Err(match parts.as_slice() {
            [condition, x, y] => fault.help(format!("write `select({condition}; {x}, {y})`")),
            _ => fault.help(usage),
        });
    };
    let values = split(&tokens[semicolon + 1..], ',');
    if let [chosen, other] = split(&tokens[semicolon + 1..], ';')[..]
        && values.len() == 1
    {
        let fault = Diagnostic::syntax(at, "the values of `select` have `,` between them");
        return Err(fault.help(format!("write `select({}; {}, {})`", text(&tokens[..semicolon]), text(chosen), text(other))));
    }
    let [chosen, other] = values.as_slice() else {
        let fault = Diagnostic::syntax(at, format!("`select` takes two values behind its condition, {}", given(values.len())));
        return Err(fault.help(usage));
    };
    let condition = condition(&tokens[..semicolon], at, read)?;
    let values = Box::new([whole_by(chosen, span, read)?, whole_by(other, span, read)?]);
    Expression::new(ExpressionKind::Select(condition, values), span).bounded()
}

/// `clip(X, a, b)`: a where X is less, b where it is larger.
pub(super) fn clip(tokens: &[Token], at: Span, span: Span, read: Reader) -> Result<Expression, Diagnostic> {
    let parts = split(tokens, ',');
    let [of, low, high] = parts.as_slice() else {
        let fault = Diagnostic::syntax(at, format!("`clip` takes three arguments, X and its bounds, {}", given(parts.len())));
        return Err(fault.help(clipped(&parts)));
    };
    if is_named(low) || is_named(high) {
        let fault = Diagnostic::syntax(at, "the bounds of `clip` have no names: the lower one stands first");
        return Err(fault.help(clipped(&parts)));
    }
    let written = [of, high, low].map(|part| text(part)).join(", ");
    let parts = Box::new([whole_by(of, span, read)?, whole_by(low, span, read)?, whole_by(high, span, read)?]);
    if let (Some(low), Some(high)) = (literal(&parts[1]), literal(&parts[2]))
        && low > high
    {
        let fault = Diagnostic::syntax(at, "the lower bound of `clip` comes first");
        return Err(fault.help(format!("write `clip({written})`")));
    }
    Expression::new(ExpressionKind::Clip(parts), span).bounded()
}

/// The value of a literal, which may have signs and parentheses.
fn literal(expression: &Expression) -> Option<f64> {
    match &expression.kind {
        ExpressionKind::Scalar(Scalar::Literal(value, _)) => Some(*value),
        ExpressionKind::Negate(inner) => literal(inner).map(|value| -value),
        ExpressionKind::Parentheses(inner) => literal(inner),
        _ => None,
    }
}

fn condition(tokens: &[Token], at: Span, read: Reader) -> Result<Condition<Expression>, Diagnostic> {
    if tokens.is_empty() {
        let fault = Diagnostic::syntax(at, "`select` has no condition before its `;`");
        return Err(fault.help("write `select(X > 0.0; X, 0.0)`"));
    }
    group(tokens, at, read)
}

/// A whole list of tokens as one expression.
pub(super) fn whole_by(tokens: &[Token], end: Span, read: Reader) -> Result<Expression, Diagnostic> {
    let mut cursor = Cursor::new(tokens, end);
    let found = read(&mut cursor)?;
    unexpected_inside(&cursor)?;
    Ok(found)
}

/// A whole list of tokens as one condition.
fn group(tokens: &[Token], end: Span, read: Reader) -> Result<Condition<Expression>, Diagnostic> {
    let mut cursor = Cursor::new(tokens, end);
    let found = either(&mut cursor, read)?;
    match cursor.peek() {
        None => Ok(found),
        Some(token) if token.is_punct('&') || token.is_punct('|') => Err(cursor.expected("`&&` or `||`").help(JOINED)),
        Some(token) => {
            let plain = cursor.expected("`&&`, `||` or `;`");
            Err(match foreign::behind(&cursor) {
                Some(help) => plain.help(help),
                None if token.is_punct('.') => method(&cursor, token.span, plain),
                None => plain,
            })
        }
    }
}

fn either(cursor: &mut Cursor<'_>, read: Reader) -> Result<Condition<Expression>, Diagnostic> {
    let mut found = both(cursor, read)?;
    while cursor.take_pair('|', '|') {
        found = Condition::Either(Box::new([found, both(cursor, read)?])).bounded(cursor.before())?;
    }
    Ok(found)
}

fn both(cursor: &mut Cursor<'_>, read: Reader) -> Result<Condition<Expression>, Diagnostic> {
    let mut found = one(cursor, read)?;
    while cursor.take_pair('&', '&') {
        found = Condition::Both(Box::new([found, one(cursor, read)?])).bounded(cursor.before())?;
    }
    Ok(found)
}

/// A comparison, or a condition in parentheses; perhaps negated.
fn one(cursor: &mut Cursor<'_>, read: Reader) -> Result<Condition<Expression>, Diagnostic> {
    let mut is_negated = false;
    while cursor.take_punct('!') {
        is_negated = !is_negated;
    }
    let found = match cursor.peek_group(Delimiter::Parenthesis) {
        Some(inner) if is_condition(inner) => {
            let at = cursor.here();
            cursor.next();
            group(inner, at, read)?
        }
        inner => compared(cursor, read).map_err(|fault| match inner.and_then(|inner| inside_condition(inner, fault.span)) {
            Some(help) => fault.help(help),
            None => fault,
        })?,
    };
    Ok(if is_negated { found.negated() } else { found })
}

/// `X < Y` and its like, or truth values `m[i]`.
fn compared(cursor: &mut Cursor<'_>, read: Reader) -> Result<Condition<Expression>, Diagnostic> {
    let left = read(cursor)?;
    let Some(comparison) = comparison(cursor) else {
        if cursor.peek_pair('=', '<') || cursor.peek_pair('=', '>') {
            let sign = if cursor.peek_pair('=', '<') { '<' } else { '>' };
            return Err(Diagnostic::syntax(cursor.here(), format!("`={sign}` does not compare")).help(format!("write `{sign}=`")));
        }
        if cursor.peek_punct('=') {
            return Err(Diagnostic::syntax(cursor.here(), "`=` does not compare").help("equal elements are found by `==`"));
        }
        let bare = bare(left.clone());
        if let ExpressionKind::Operand(..) = bare.kind {
            return Ok(Condition::Holds(Box::new(bare)));
        }
        let fault = Diagnostic::syntax(left.span, "a condition is a comparison, and here is none");
        if let ExpressionKind::Scalar(Scalar::Hole(hole)) = &bare.kind {
            let name = &hole.text;
            if name == "not" {
                return Err(fault.help(JOINED));
            }
            return Err(fault.help(format!(
                "truth values have indices, `{name}[…]`, and a single one of the block is `{name}[]`; a number is compared, `{name} != 0.0`"
            )));
        }
        let written = crate::spelling::expression(&left);
        return Err(fault.help(format!("write `{written} != 0.0`, or `{written} >= 0.0`")));
    };
    if comparison == Comparison::Less && cursor.peek_punct('>') {
        return Err(Diagnostic::syntax(cursor.before(), "`<>` does not compare").help("write `!=`"));
    }
    if comparison == Comparison::Equal && cursor.peek_punct('=') {
        return Err(Diagnostic::syntax(cursor.before(), "`===` does not compare").help("equal elements are found by `==`"));
    }
    let right = read(cursor)?;
    let end = *cursor;
    if let Some(second) = self::comparison(cursor) {
        let [middle, last] = [&right, &read(cursor)?].map(crate::spelling::expression);
        let first = crate::spelling::expression(&left);
        let fault = Diagnostic::syntax(end.here(), "comparisons have two sides");
        return Err(fault.help(format!(
            "write `{first} {} {middle} && {middle} {} {last}`",
            comparison.symbol(),
            second.symbol()
        )));
    }
    Ok(Condition::Compare(comparison, Box::new([left, right])))
}

/// An expression without parentheses around it.
fn bare(expression: Expression) -> Expression {
    match expression.kind {
        ExpressionKind::Parentheses(inner) => bare(*inner),
        _ => expression,
    }
}

/// A right side that compares: tokens up to the end or to a `where`.
pub(super) fn truth(cursor: &mut Cursor<'_>, read: Reader) -> Result<Option<Expression>, Diagnostic> {
    let length = cursor.rest().iter().position(|token| token.is_ident("where")).unwrap_or(cursor.rest().len());
    let right = &cursor.rest()[..length];
    // In `v[i] if v[i] > 0.0` only the end compares.
    if !is_condition(right) || right.iter().any(|token| token.is_ident("if")) {
        return Ok(None);
    }
    let start = cursor.here();
    let condition = either(cursor, read)?;
    let span = start.to(cursor.before());
    Expression::new(ExpressionKind::Truth(condition), span).bounded().map(Some)
}

/// Reads the sign of a comparison.
fn comparison(cursor: &mut Cursor<'_>) -> Option<Comparison> {
    Comparison::ALL.into_iter().find(|comparison| {
        let mut signs = comparison.symbol().chars();
        match (signs.next(), signs.next()) {
            (Some(first), Some(second)) => cursor.take_pair(first, second),
            (Some(only), None) => cursor.take_punct(only),
            (None, _) => false,
        }
    })
}
