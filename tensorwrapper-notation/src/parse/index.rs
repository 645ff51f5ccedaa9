//! The indices between the brackets of an operand.

use super::cursor::{Cursor, hole, split};
use super::foreign;
use super::places::{extent, fresh};
use super::synonyms::ROLLED;
use super::taken::list_or_step;
use super::unread::bounds;
use super::words::{is_keyword, keyword_as_label};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Count, Index, Indices, MOST_AXES, Name, Range, bounded_axes, too_many_axes};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The indices between two brackets, in layers between semicolons.
pub(super) fn indices(tokens: &[Token], end: Span) -> Result<Indices, Diagnostic> {
    if !tokens.iter().any(|token| token.is_punct(';')) {
        return layer(tokens, end).map(Indices::from);
    }
    let mut found = Vec::new();
    // Unlike a comma, a semicolon at the end is a mistake.
    for tokens in tokens.split(|token| token.is_punct(';')) {
        let layer = layer(tokens, end)?;
        if layer.is_empty() {
            return Err(Diagnostic::syntax(end, "a layer of indices is missing beside this `;`")
                .help("a layer has at least one index, as in `A[i; a, b]`"));
        }
        found.push(layer);
    }
    let found = Indices::layers(found);
    bounded_axes(&found)?;
    if let Some(Index::Rest(span)) = found.iter().find(|index| matches!(index, Index::Rest(_))) {
        return Err(Diagnostic::syntax(*span, "`..` is not in layers").help("write all indices, as in `A[i; a, b]`"));
    }
    Ok(found)
}

/// The indices of one layer.
fn layer(tokens: &[Token], end: Span) -> Result<Vec<Index>, Diagnostic> {
    let mut found = Vec::new();
    let mut comma = None;
    let parts = split(tokens, ',');
    // Too many indices are refused before they are read.
    if let Some(place) = parts.get(MOST_AXES).and_then(|part| part.first()) {
        return Err(too_many_axes(parts.len(), place.span));
    }
    for part in parts {
        let (Some(first), Some(last)) = (part.first(), part.last()) else {
            return Err(Diagnostic::syntax(comma_after(tokens, comma).unwrap_or(end), "an index is missing before this `,`"));
        };
        found.push(index(part, first.span.to(last.span))?);
        comma = Some(last.span);
    }
    bounded_axes(&found)?;
    Ok(found)
}

/// The comma that has no index before it: the second one after a place.
fn comma_after(tokens: &[Token], place: Option<Span>) -> Option<Span> {
    let after = |token: &&Token| token.is_punct(',') && place.is_none_or(|place| token.span.start >= place.end);
    tokens.iter().filter(after).nth(usize::from(place.is_some())).map(|token| token.span)
}

/// Labels between commas.
pub(super) fn labels(tokens: &[Token], end: Span) -> Result<Vec<Name>, Diagnostic> {
    let label = |part: &[Token]| {
        let mut cursor = Cursor::new(part, end);
        if let Some(inner) = cursor.peek_group(Delimiter::Bracket) {
            return Err(
                Diagnostic::syntax(cursor.here(), "labels stand here without brackets").help(format!("write `{}`", text(inner)))
            );
        }
        if let Some(Token { tree: Tree::Literal(literal), span }) = cursor.peek() {
            return Err(Diagnostic::syntax(*span, format!("`{literal}` is not a label"))
                .help("labels stand here, as in `1[i, j]`, which is 1 for each `i` and `j`"));
        }
        let name = cursor.name("a label")?;
        if is_keyword(&name.text) {
            return Err(keyword_as_label(&name.text, name.span));
        }
        cursor.finish("`,` between labels")?;
        Ok(name)
    };
    split(tokens, ',').into_iter().map(label).collect()
}

fn index(tokens: &[Token], end: Span) -> Result<Index, Diagnostic> {
    let mut cursor = Cursor::new(tokens, end);
    let Some(first) = cursor.next() else {
        return Err(Diagnostic::syntax(end, "an index is missing"));
    };
    let span = first.span;
    let found = match &first.tree {
        Tree::Ident(label) if is_keyword(label) => return Err(keyword_as_label(label, span)),
        Tree::Ident(label) if cursor.take_ident("in") => {
            let label = Name { text: label.clone(), span };
            let range = range(&label.text, cursor.rest(), cursor.before())?;
            return Ok(Index::Slice(label, range));
        }
        Tree::Ident(label) if label == "_" => {
            return Err(
                Diagnostic::syntax(span, "`_` is not a label").help("a label that is summed has a name, as in `sum(k; A[i, k])`")
            );
        }
        Tree::Ident(label) => Index::Label(Name { text: label.clone(), span }),
        Tree::Literal(literal) if tokens.len() == 1 && literal.starts_with(['"', '\'']) => {
            return Err(no_index(tokens, span));
        }
        Tree::Literal(literal) => Index::Chip(Count::Literal(integer(literal, span, POSITIONS)?, span)),
        Tree::Group(Delimiter::Brace | Delimiter::Invisible, _) => Index::Chip(Count::Hole(hole(&tokens[..1]))),
        Tree::Group(Delimiter::Parenthesis, inner) if inner.is_empty() => {
            return Err(Diagnostic::syntax(span, "a fused axis has labels, and here are none")
                .help("write `(i, j)`; what has no axes is written `[]`"));
        }
        Tree::Group(Delimiter::Parenthesis, _) if !cursor.is_empty() => return Err(no_index(tokens, end)),
        Tree::Group(Delimiter::Parenthesis, inner) => Index::Fused(fused(inner, span)?, span),
        Tree::Punct('.', true) if cursor.take_punct('.') => Index::Rest(span.to(cursor.before())),
        Tree::Punct('-' | '^', _) if let [_, Token { tree: Tree::Ident(label), .. }] = tokens => {
            return Err(signed(tokens, label));
        }
        Tree::Punct('-', _) => {
            return Err(Diagnostic::syntax(span, "an index counts from 0 and is never negative")
                .help("the last index of an axis of extent `n` is `{ n - 1 }`"));
        }
        _ => return Err(no_index(tokens, end)),
    };
    if cursor.is_empty() {
        return Ok(found);
    }
    Err(no_index(tokens, end))
}

/// The fault of `-i`, which may be a lower index, and of `-n`, a position that counts from the end.
fn signed(tokens: &[Token], label: &str) -> Diagnostic {
    let extent = extent(tokens);
    let at = tokens[0].span.to(tokens[tokens.len() - 1].span);
    let help = format!("a label stands without a sign, `{label}`: upper and lower indices are alike");
    let fault = Diagnostic::syntax(at, format!("`{}` is not an index", text(tokens)));
    fault.help(match tokens[0].is_punct('-') {
        true => {
            format!("{help}; the position `{label}` from the end of an axis of extent `{extent}` is `{{ {extent} - {label} }}`")
        }
        false => help,
    })
}

/// The labels of joined axes.
fn fused(inner: &[Token], span: Span) -> Result<Vec<Name>, Diagnostic> {
    labels(inner, span).map_err(|fault| match fault.help {
        Some(_) if fault.message.ends_with("is not a label") => {
            Diagnostic::syntax(fault.span, fault.message).help("joined axes are written with labels alone, as in `(i, j)`")
        }
        _ => fault,
    })
}

/// `2..5`, `..5`, `2..`, `2..=4` with literals, or any range expression.
fn range(label: &str, tokens: &[Token], end: Span) -> Result<Range, Diagnostic> {
    if tokens.is_empty() {
        return Err(Diagnostic::syntax(end, "a range such as `2..5` is missing after `in`"));
    }
    let opaque = hole(tokens);
    let span = opaque.span;
    if let Some(help) = list_or_step(tokens).or_else(|| range_with_colons(tokens)).or_else(|| from_the_end(label, tokens)) {
        return Err(Diagnostic::syntax(span, format!("`{}` is not a range", opaque.text)).help(help));
    }
    let mut cursor = Cursor::new(tokens, end);
    let mut literal = || {
        let token = *cursor.peek().as_ref()?;
        let value =
            if let Tree::Literal(digits) = &token.tree { integer(digits, token.span, "an index: positions").ok() } else { None };
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
            let last = integer(digits, *span, POSITIONS)?;
            last.checked_add(usize::from(inclusive)).ok_or_else(|| not_a_number(digits, *span, POSITIONS))?
        }
        _ => return Ok(Range::Hole(opaque)),
    };
    if stop < start {
        return Err(Diagnostic::syntax(span, format!("the range `{}` ends before it begins", opaque.text)));
    }
    Ok(Range::Literal(start, Some(stop), span))
}

/// What `i in 1..-1` is here.
fn from_the_end(label: &str, tokens: &[Token]) -> Option<String> {
    let (start, equals, end) = bounds(tokens)?;
    let label = Token { tree: Tree::Ident(label.to_string()), span: Span::default() };
    let extent = extent(&[tokens, std::slice::from_ref(&label)].concat());
    // `-s as usize` is a position, and so may be what a call or an operator makes of `-s`.
    let is_negative =
        |part: &[Token]| matches!(part, [sign, Token { tree: Tree::Ident(_) | Tree::Literal(_), .. }] if sign.is_punct('-'));
    let place = |part: &[Token]| match part {
        [_, number] if is_negative(part) => format!("{{ {extent} - {} }}", text(std::slice::from_ref(number))),
        part => text(part),
    };
    (is_negative(start) || is_negative(end)).then(|| {
        let slice = format!("{} in {}..{equals}{}", text(&[label]), place(start), place(end));
        format!("positions count from 0: write `{slice}`, where `{extent}` is the extent")
    })
}

/// What `0:10` is here.
fn range_with_colons(tokens: &[Token]) -> Option<String> {
    // Two colons that touch are a path of Rust's.
    let is_path = tokens.windows(2).any(|pair| matches!(pair[0].tree, Tree::Punct(':', true)) && pair[1].is_punct(':'));
    let parts: Vec<String> = tokens.split(|token| token.is_punct(':')).map(text).collect();
    match &parts[..] {
        _ if is_path => None,
        [start, end] if end.is_empty() => Some(format!("write `{start}..`")),
        [start, end] => Some(format!("write `{start}..{end}`, which ends before the second number")),
        _ => None,
    }
}

/// A non-negative integer literal. The message contains `what`: what the literal should be, and the plural of that.
pub(super) fn integer(literal: &str, span: Span, what: &str) -> Result<usize, Diagnostic> {
    let digits = literal.replace('_', "");
    let digits = digits.strip_suffix("usize").unwrap_or(&digits);
    digits.parse().map_err(|_| not_a_number(literal, span, what))
}

/// The `what` of positions.
const POSITIONS: &str = "an index: positions";

fn not_a_number(literal: &str, span: Span, what: &str) -> Diagnostic {
    Diagnostic::syntax(span, format!("`{literal}` is not {what} are whole numbers from 0"))
}

/// The label of `i'` and of `prime(i)`. Rust reads what stands between two primes as a character.
fn primed(tokens: &[Token]) -> Option<&str> {
    match tokens {
        [Token { tree: Tree::Ident(label), .. }, Token { tree: Tree::Literal(rest), .. }] if rest.starts_with('\'') => {
            Some(label)
        }
        [Token { tree: Tree::Ident(label), .. }, prime] if prime.is_punct('\'') => Some(label),
        [word, Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. }] if word.is_ident("prime") => match &inner[..] {
            [Token { tree: Tree::Ident(label), .. }] => Some(label),
            _ => None,
        },
        _ => None,
    }
}

/// The fault of something that is not an index.
fn no_index(tokens: &[Token], at: Span) -> Diagnostic {
    let written = text(tokens);
    if let [Token { tree: Tree::Ident(first), .. }, Token { tree: Tree::Ident(second), .. }] = tokens {
        return Diagnostic::syntax(at, format!("`,` is missing between the indices `{first}` and `{second}`"));
    }
    if let Some(label) = primed(tokens) {
        let fault = Diagnostic::syntax(
            at,
            match written.contains('\'') {
                true => format!("`{label}'` is not a label, because it is no word of Rust"),
                false => format!("`{written}` is not an index"),
            },
        );
        return fault.help(format!("a label with a prime is written `{label}1`"));
    }
    let fault = Diagnostic::syntax(at, format!("`{written}` is not an index"));
    if let Some(help) = foreign::index(tokens) {
        return fault.help(help);
    }
    if tokens.iter().any(|token| token.is_punct('%')) {
        return fault.help(ROLLED);
    }
    // What follows the `$` of a macro's variable is its name.
    let is_end =
        |n: &usize| tokens[*n].is_punct('$') && tokens.get(n + 1).is_none_or(|next| matches!(next.tree, Tree::Punct(..)));
    if (0..tokens.len()).any(|n| is_end(&n)) {
        let extent = extent(tokens);
        let position = written.replace('$', &extent);
        return fault.help(format!("positions count from 0: `{{ {position} }}`, where `{extent}` is the extent of the axis"));
    }
    if let Some(slice) = shifted_slice(tokens) {
        return fault.help(format!("before `in` stands a label alone: `{slice}`"));
    }
    if tokens.iter().any(|token| token.is_ident("in")) {
        return fault.help("before `in` stands a label alone, as in `i in 1..3`");
    }
    if tokens.windows(2).any(|pair| pair[0].is_punct('.') && pair[1].is_punct('.')) {
        let label = fresh(tokens, 1).remove(0);
        // A label of the slice is no variable in it.
        let label = if tokens.iter().any(|token| token.is_ident("i")) { label.as_str() } else { "i" };
        return fault.help(format!("a slice has a label: `{label} in {written}`"));
    }
    if let [Token { tree: Tree::Literal(literal), .. }] = tokens
        && literal.starts_with(['"', '\''])
    {
        return fault.help("an index is written without quotes");
    }
    if tokens.iter().any(|token| token.group(Delimiter::Bracket).is_some() || token.group(Delimiter::Parenthesis).is_some()) {
        return fault.help(format!("a position is one number, in braces if it is a Rust expression: `{{ {written} }}`"));
    }
    if let [
        Token { tree: Tree::Ident(label), .. },
        Token { tree: Tree::Punct('+', _), .. },
        Token { tree: Tree::Literal(by), .. },
    ] = tokens
    {
        return fault.help(format!(
            "write the shifted operand with the slice `{label} in {by}..`, and all others with `{label} in ..{{ n - {by} }}`; `n` is the \
             extent; a position is `{{ {written} }}` in braces"
        ));
    }
    fault.help(format!(
        "an index is a label `i`, a slice `i in 2..5`, or a position, `3` or any Rust expression in braces: `{{ {written} }}`"
    ))
}

/// The slice that `i + 1 in ..2` means.
fn shifted_slice(tokens: &[Token]) -> Option<String> {
    let [Token { tree: Tree::Ident(label), .. }, sign, by, word, range @ ..] = tokens else { return None };
    if !word.is_ident("in") || !(sign.is_punct('+') || sign.is_punct('-')) {
        return None;
    }
    let (start, equals, end) = bounds(range)?;
    let by = text(std::slice::from_ref(by));
    let is_plus = sign.is_punct('+');
    let start = match start {
        [] if is_plus => by.clone(),
        [] => return None,
        start => shifted(start, is_plus, &by)?,
    };
    let end = if end.is_empty() { String::new() } else { shifted(end, is_plus, &by)? };
    Some(format!("{label} in {start}..{equals}{end}"))
}

/// The bound of a slice with a number added to it or subtracted from it. `None` if it is no position.
fn shifted(bound: &[Token], is_plus: bool, by: &str) -> Option<String> {
    let written = match bound {
        [Token { tree: Tree::Group(Delimiter::Brace, inner), .. }] => text(inner),
        bound => text(bound),
    };
    match (written.parse::<usize>(), by.parse::<usize>()) {
        (Ok(bound), Ok(by)) if is_plus => bound.checked_add(by).map(|bound| bound.to_string()),
        (Ok(bound), Ok(by)) => bound.checked_sub(by).map(|bound| bound.to_string()),
        _ => Some(format!("{{ {written} {} {by} }}", if is_plus { '+' } else { '-' })),
    }
}
