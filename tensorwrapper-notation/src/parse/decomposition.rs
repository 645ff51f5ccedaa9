//! `svd(T[a, i, b, j]; max = 64)`: operations of linear algebra, each of which is a whole right side.

use super::algebra::without_indices;
use super::cursor::{Cursor, hole, split};
use super::expression::{stands_alone, whole};
use super::index::{integer, labels};
use super::number::{scalar, whole_exponent};
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::syntax::{Count, Decomposition, Factorisation, Name, Operator, Options, Word};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The operation at the cursor, if there is one.
pub(super) fn decomposition(cursor: &mut Cursor<'_>) -> Result<Option<Decomposition>, Diagnostic> {
    let (Some(Token { tree: Tree::Ident(name), span }), Some(Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. })) =
        (cursor.peek(), cursor.peek_at(1))
    else {
        return Ok(None);
    };
    let Some(kind) = Factorisation::from_name(name) else { return Ok(None) };
    cursor.next();
    let end = cursor.here();
    cursor.next();
    if Operator::ALL.iter().any(|operator| cursor.peek_punct(operator.symbol())) {
        return Err(stands_alone(name, *span));
    }
    if let Some(fault) = without_indices(kind, cursor.all(), inner) {
        return Err(fault);
    }
    read(kind, inner, *span, span.to(end)).map(Some)
}

/// The contents of the parentheses: labels of rows and columns `;` arguments `;` options.
fn read(kind: Factorisation, inner: &[Token], span: Span, call: Span) -> Result<Decomposition, Diagnostic> {
    let form = kind.form(false, false);
    let mut segments: Vec<&[Token]> = split(inner, ';');
    let mut options = Options::default();
    if segments.len() > 1 && segments.last().is_some_and(|last| are_words(last)) {
        for part in split(segments.pop().unwrap_or_default(), ',') {
            option(part, &mut options)?;
        }
    }
    let (groups, arguments) = match segments[..] {
        [] => (None, &[][..]),
        [arguments] => (None, arguments),
        [pair, arguments] => (Some(groups(kind, pair, span)?), arguments),
        _ => {
            let fault = Diagnostic::syntax(span, format!("`{}` has one `;` too many", form.name));
            return Err(fault.help(format!("write `{}`", form.usage)));
        }
    };
    let mut arguments = split(arguments, ',');
    if let Some(first) = arguments.iter().position(|part| is_option(part)) {
        return Err(option_before_semicolon(&arguments[first..]));
    }
    if form.has_exponent && arguments.len() == 2 {
        options.exponent = Some(whole_exponent(form.name, arguments.pop().unwrap_or_default(), call)?);
    }
    let arguments = arguments.into_iter().map(|part| whole(part, call)).collect::<Result<_, _>>()?;
    Ok(Decomposition { kind, groups, arguments, options, span })
}

/// Whether these tokens are options and not matrices: one of the words is known, or has a value.
fn are_words(tokens: &[Token]) -> bool {
    split(tokens, ',').into_iter().any(|part| match part {
        [Token { tree: Tree::Ident(name), .. }] => Word::from_name(name).is_some(),
        [Token { tree: Tree::Ident(_), .. }, equals, ..] => equals.is_punct('='),
        _ => false,
    })
}

/// The word of an option by its name here or in other libraries.
fn word(name: &str) -> Option<Word> {
    Word::from_name(name).or(match name {
        "cutoff" | "atol" | "rtol" | "eps" | "epsilon" | "tolerance" | "rcond" => Some(Word::Tol),
        "maxdim" | "max_dim" | "maxrank" | "max_rank" | "chi" | "rank" => Some(Word::Max),
        "full_matrices" => Some(Word::Full),
        _ => None,
    })
}

/// Whether an argument is an option, `max = 64`.
fn is_option(part: &[Token]) -> bool {
    matches!(part, [Token { tree: Tree::Ident(name), .. }, equals, ..] if equals.is_punct('=') && word(name).is_some())
}

/// An option as it is written here.
fn option_written(part: &[Token]) -> String {
    match part {
        [Token { tree: Tree::Ident(name), .. }, value @ ..] if word(name).is_some() => match word(name) {
            Some(word) if matches!(word, Word::Max | Word::Tol | Word::Broaden) => {
                format!("{} = {}", word.name(), text(&value[value.len().min(1)..]))
            }
            Some(word) => word.name().to_string(),
            None => text(part),
        },
        _ => text(part),
    }
}

/// The fault of `svd(A[i, j], max = 64)`.
fn option_before_semicolon(options: &[&[Token]]) -> Diagnostic {
    let name = &options[0][..1];
    let written: Vec<String> = options.iter().map(|part| option_written(part)).collect();
    Diagnostic::syntax(name[0].span, format!("`{}` is an option, and options stand behind a `;`", text(name)))
        .help(format!("write `; {}` in place of the `,`", written.join(", ")))
}

/// One option: its word and its value.
fn option(part: &[Token], options: &mut Options) -> Result<(), Diagnostic> {
    let Some((Token { tree: Tree::Ident(name), span }, rest)) = part.split_first() else {
        let at = part.first().map_or(Span::default(), |token| token.span);
        return Err(Diagnostic::syntax(at, "behind the last `;` stand words such as `max = 64`, `tol = 1e-10` and `full`"));
    };
    let Some(word) = Word::from_name(name) else {
        let fault = Diagnostic::syntax(*span, format!("`{name}` is not a word of linear algebra"));
        if word(name).is_some() {
            return Err(fault.help(format!("write `{}`", option_written(part))));
        }
        let near = nearest(name, Word::ALL.into_iter().map(Word::name));
        return Err(match near {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("the words are `max = 64`, `tol = 1e-10`, `broaden = 1e-8`, `full`, `upper` and `unit`"),
        });
    };
    if options.has(word) {
        return Err(Diagnostic::syntax(*span, format!("`{name}` stands here twice")));
    }
    options.words.push((word, *span));
    let value = match rest.split_first() {
        None => &[][..],
        Some((equals, value)) if equals.is_punct('=') => value,
        Some((other, _)) => return Err(Diagnostic::syntax(other.span, format!("expected `=` or `,` after `{name}`"))),
    };
    let example = match word {
        Word::Max => "max = 64",
        Word::Broaden => "broaden = 1e-8",
        _ => "tol = 1e-10",
    };
    match word {
        Word::Max | Word::Tol | Word::Broaden if value.is_empty() => {
            Err(Diagnostic::syntax(*span, format!("`{name}` needs a value")).help(format!("write `{example}`")))
        }
        Word::Max => {
            options.max = Some(match value {
                [Token { tree: Tree::Literal(literal), span }] => {
                    Count::Literal(integer(literal, *span, "a number of singular values: those")?, *span)
                }
                other => Count::Hole(hole(other)),
            });
            Ok(())
        }
        Word::Tol => {
            options.tol = Some(scalar(value, *span)?);
            Ok(())
        }
        Word::Broaden => {
            options.broaden = Some(scalar(value, *span)?);
            Ok(())
        }
        Word::Full | Word::Upper | Word::Unit if !value.is_empty() => {
            Err(Diagnostic::syntax(value[0].span, format!("`{name}` stands alone, without `= {}`", text(value))))
        }
        Word::Full | Word::Upper | Word::Unit => Ok(()),
    }
}

/// `i, j` or `(a, i), (b, j)`: rows and columns; or all axes of an operation that does not distinguish them.
fn groups(kind: Factorisation, pair: &[Token], span: Span) -> Result<[Vec<Name>; 2], Diagnostic> {
    if !kind.form(false, false).has_columns() {
        return Ok([labels(pair, span)?, Vec::new()]);
    }
    let group = |part: &[Token]| match part {
        [Token { tree: Tree::Group(Delimiter::Parenthesis, inner), span }] => labels(inner, *span),
        _ => labels(part, span),
    };
    let found = split(pair, ',').into_iter().map(group).collect::<Result<Vec<_>, _>>()?;
    <[Vec<Name>; 2]>::try_from(found).map_err(|_| {
        let form = kind.form(false, false);
        Diagnostic::label(span, format!("`{}` names two indices before the `;`: row and column", form.name))
            .help(format!("write `{}`, or groups of indices, `{}((a, i), (b, j); …)`", form.usage, form.name))
    })
}
