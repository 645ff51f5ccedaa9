//! `select(C; X, Y)` and `clip(X, a, b)`: choices for each element.

use super::cursor::{Cursor, split};
use super::expression::{expression, whole};
use super::mistake::given;
use crate::condition::{Comparison, Condition};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, ExpressionKind};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// `select(C; X, Y)`
pub(super) fn select(tokens: &[Token], at: Span, span: Span) -> Result<Expression, Diagnostic> {
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
    let [chosen, other] = values.as_slice() else {
        let fault = Diagnostic::syntax(at, format!("`select` takes two values behind its condition, {}", given(values.len())));
        return Err(fault.help(usage));
    };
    let condition = condition(&tokens[..semicolon], at)?;
    let values = Box::new([whole(chosen, span)?, whole(other, span)?]);
    Expression::new(ExpressionKind::Select(condition, values), span).bounded()
}

/// `clip(X, a, b)`: a where X is less, b where it is larger.
pub(super) fn clip(tokens: &[Token], at: Span, span: Span) -> Result<Expression, Diagnostic> {
    let parts = split(tokens, ',');
    let [of, low, high] = parts.as_slice() else {
        let fault = Diagnostic::syntax(at, format!("`clip` takes three arguments, X and its bounds, {}", given(parts.len())));
        return Err(fault.help("write `clip(X, 0.0, 1.0)`"));
    };
    let parts = Box::new([whole(of, span)?, whole(low, span)?, whole(high, span)?]);
    Expression::new(ExpressionKind::Clip(parts), span).bounded()
}

fn condition(tokens: &[Token], at: Span) -> Result<Condition<Expression>, Diagnostic> {
    if tokens.is_empty() {
        let fault = Diagnostic::syntax(at, "`select` has no condition before its `;`");
        return Err(fault.help("write `select(X > 0.0; X, 0.0)`"));
    }
    group(tokens, at)
}

/// A whole list of tokens as one condition.
fn group(tokens: &[Token], end: Span) -> Result<Condition<Expression>, Diagnostic> {
    let mut cursor = Cursor::new(tokens, end);
    let found = either(&mut cursor)?;
    match cursor.peek() {
        None => Ok(found),
        Some(token) if token.is_punct('&') || token.is_punct('|') => {
            Err(cursor.expected("`&&` or `||`").help("conditions are joined by `&&`, `||` and `!`"))
        }
        Some(_) => Err(cursor.expected("`&&`, `||` or `;`")),
    }
}

fn either(cursor: &mut Cursor<'_>) -> Result<Condition<Expression>, Diagnostic> {
    let mut found = both(cursor)?;
    while cursor.take_pair('|', '|') {
        found = Condition::Either(Box::new([found, both(cursor)?])).bounded(cursor.before())?;
    }
    Ok(found)
}

fn both(cursor: &mut Cursor<'_>) -> Result<Condition<Expression>, Diagnostic> {
    let mut found = one(cursor)?;
    while cursor.take_pair('&', '&') {
        found = Condition::Both(Box::new([found, one(cursor)?])).bounded(cursor.before())?;
    }
    Ok(found)
}

/// A comparison, or a condition in parentheses; perhaps negated.
fn one(cursor: &mut Cursor<'_>) -> Result<Condition<Expression>, Diagnostic> {
    let mut is_negated = false;
    while cursor.take_punct('!') {
        is_negated = !is_negated;
    }
    let found = match cursor.peek_group(Delimiter::Parenthesis) {
        Some(inner) if is_condition(inner) => {
            let at = cursor.here();
            cursor.next();
            group(inner, at)?
        }
        _ => compared(cursor)?,
    };
    Ok(if is_negated { found.negated() } else { found })
}

/// `X < Y` and its like.
fn compared(cursor: &mut Cursor<'_>) -> Result<Condition<Expression>, Diagnostic> {
    let left = expression(cursor)?;
    let Some(comparison) = comparison(cursor) else {
        let fault = Diagnostic::syntax(left.span, "the condition of `select` is a comparison, and here is none");
        let written = crate::spelling::expression(&left);
        return Err(match cursor.peek_punct('=') {
            true => Diagnostic::syntax(cursor.here(), "`=` does not compare").help("equal elements are found by `==`"),
            false => fault.help(format!("write `{written} != 0.0`, or `{written} >= 0.0`")),
        });
    };
    let right = expression(cursor)?;
    let end = *cursor;
    if let Some(second) = self::comparison(cursor) {
        let [middle, last] = [&right, &expression(cursor)?].map(crate::spelling::expression);
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

/// Whether the tokens in parentheses compare, so that they are no expression.
fn is_condition(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(n, token)| match &token.tree {
        Tree::Punct('<' | '>' | '!' | '&' | '|', _) => true,
        Tree::Punct('=', true) => tokens.get(n + 1).is_some_and(|next| next.is_punct('=')),
        // Parentheses behind a name are those of a function.
        Tree::Group(Delimiter::Parenthesis, inner) => {
            !n.checked_sub(1).is_some_and(|before| matches!(tokens[before].tree, Tree::Ident(_))) && is_condition(inner)
        }
        _ => false,
    })
}
