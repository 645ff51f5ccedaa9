//! What stands between the brackets of an operand.

use super::cursor::{Cursor, hole, split};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Count, Index, Name, Range};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The indices between two brackets.
pub(super) fn indices(tokens: &[Token], end: Span) -> Result<Vec<Index>, Diagnostic> {
    if let Some(semicolon) = tokens.iter().find(|t| t.is_punct(';')) {
        return Err(Diagnostic::syntax(semicolon.span, "indices are separated by `,`"));
    }
    split(tokens, ',').into_iter().map(|part| index(part, end)).collect()
}

/// Labels between commas.
pub(super) fn labels(tokens: &[Token], end: Span) -> Result<Vec<Name>, Diagnostic> {
    let label = |part: &[Token]| {
        let mut cursor = Cursor::new(part, end);
        let name = cursor.name("a label")?;
        cursor.finish("`,` between labels")?;
        Ok(name)
    };
    split(tokens, ',').into_iter().map(label).collect()
}

fn index(tokens: &[Token], end: Span) -> Result<Index, Diagnostic> {
    let mut cursor = Cursor::new(tokens, end);
    let Some(first) = cursor.next() else {
        return Err(Diagnostic::syntax(end, "an index is missing between two commas"));
    };
    let span = first.span;
    let found = match &first.tree {
        Tree::Ident(label) if cursor.take_ident("in") => {
            let label = Name { text: label.clone(), span };
            return Ok(Index::Slice(label, range(cursor.rest(), cursor.before())?));
        }
        Tree::Ident(label) if label == "_" => {
            return Err(
                Diagnostic::syntax(span, "`_` is not a label").help("a label that is summed has a name, as in `sum(k; A[i, k])`")
            );
        }
        Tree::Ident(label) => Index::Label(Name { text: label.clone(), span }),
        Tree::Literal(literal) => Index::Chip(Count::Literal(integer(literal, span)?, span)),
        Tree::Group(Delimiter::Brace | Delimiter::Invisible, _) => Index::Chip(Count::Hole(hole(&tokens[..1]))),
        Tree::Group(Delimiter::Parenthesis, inner) => Index::Fused(labels(inner, span)?, span),
        Tree::Punct('.', true) if cursor.take_punct('.') => Index::Rest(span.to(cursor.before())),
        Tree::Punct('-', _) => {
            return Err(Diagnostic::syntax(span, "an index counts from 0 and is never negative")
                .help("the last index of an axis of extent `n` is `{ n - 1 }`"));
        }
        _ => return Err(Diagnostic::syntax(span, INDEX_FORMS)),
    };
    if cursor.is_empty() {
        return Ok(found);
    }
    let written = text(tokens);
    Err(Diagnostic::syntax(cursor.here(), INDEX_FORMS)
        .help(format!("a Rust expression stands in braces: `{{ {written} }}`; a slice is written `i in 2..5`")))
}

const INDEX_FORMS: &str =
    "an index is a label `i`, a slice `i in 2..5`, a position `3` or `{ n - 1 }`, fused labels `(i, j)`, or `..`";

/// `2..5`, `..5`, `2..`, `2..=4` with literals, or any range expression.
fn range(tokens: &[Token], end: Span) -> Result<Range, Diagnostic> {
    if tokens.is_empty() {
        return Err(Diagnostic::syntax(end, "a range such as `2..5` is missing after `in`"));
    }
    let opaque = hole(tokens);
    let span = opaque.span;
    let mut cursor = Cursor::new(tokens, end);
    let mut literal = || {
        let token = *cursor.peek().as_ref()?;
        let value = if let Tree::Literal(digits) = &token.tree { integer(digits, token.span).ok() } else { None };
        cursor.next();
        value
    };
    let start = if tokens[0].is_punct('.') { Some(0) } else { literal() };
    let (Some(start), true) = (start, cursor.take_pair('.', '.')) else {
        return Ok(Range::Hole(opaque));
    };
    if cursor.is_empty() {
        return Ok(Range::Literal(start, None, span));
    }
    let inclusive = cursor.take_punct('=');
    let stop = match cursor.next() {
        Some(Token { tree: Tree::Literal(digits), span }) if cursor.is_empty() => {
            let last = integer(digits, *span)?;
            last.checked_add(usize::from(inclusive)).ok_or_else(|| not_an_index(digits, *span))?
        }
        _ => return Ok(Range::Hole(opaque)),
    };
    if stop < start {
        return Err(Diagnostic::syntax(span, format!("the range `{}` ends before it starts", opaque.text)));
    }
    Ok(Range::Literal(start, Some(stop), span))
}

/// A non-negative integer literal.
pub(super) fn integer(literal: &str, span: Span) -> Result<usize, Diagnostic> {
    let digits = literal.replace('_', "");
    let digits = digits.strip_suffix("usize").unwrap_or(&digits);
    digits.parse().map_err(|_| not_an_index(literal, span))
}

fn not_an_index(literal: &str, span: Span) -> Diagnostic {
    Diagnostic::syntax(span, format!("`{literal}` is not an index: positions are whole numbers from 0"))
}
