//! The options of linear algebra, `; max = 64, full`, and what other libraries write in their place.

use super::cursor::{hole, split};
use super::index::integer;
use super::number::scalar;
use super::places::span_of;
use super::unread::labels_in;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::syntax::{Count, Factorisation, Form, Options, Word};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// Whether these tokens are options and not matrices: one of the words is known, or has a value, or the matrices stand before them.
pub(super) fn are_options(tokens: &[Token], first: &[Token]) -> bool {
    let has_matrix = |tokens: &[Token]| tokens.iter().any(|token| token.group(Delimiter::Bracket).is_some());
    let are_words = split(tokens, ',').into_iter().any(|part| match part {
        [Token { tree: Tree::Ident(name), .. }] => Word::from_name(name).is_some(),
        [Token { tree: Tree::Ident(_), .. }, equals, ..] => equals.is_punct('='),
        _ => false,
    });
    are_words || !tokens.is_empty() && has_matrix(first) && !has_matrix(tokens)
}

/// The word of an option by its name here or in other libraries.
fn word(name: &str) -> Option<Word> {
    Word::from_name(name).or(match name {
        "cutoff" | "atol" | "rtol" | "eps" | "epsilon" | "tolerance" | "rcond" => Some(Word::Tol),
        "maxdim" | "max_dim" | "maxrank" | "max_rank" | "chi" | "rank" => Some(Word::Max),
        "full_matrices" => Some(Word::Full),
        "unit_diagonal" | "unitriangular" => Some(Word::Unit),
        _ => None,
    })
}

/// Whether a word has a value, so that it is one of [`Word::Max`] and its like.
fn has_value(word: Word) -> bool {
    matches!(word, Word::Max | Word::Tol | Word::Broaden)
}

/// Whether an argument is an option, `max = 64`. A word alone is one if the operation has it: a matrix has indices.
pub(super) fn is_option(form: &Form, part: &[Token]) -> bool {
    if let [Token { tree: Tree::Ident(name), .. }] = part {
        return Word::from_name(name).is_some_and(|word| form.words.contains(&word));
    }
    matches!(part, [Token { tree: Tree::Ident(_), .. }, equals, next @ ..]
        if equals.is_punct('=') && !next.first().is_some_and(|next| next.is_punct('=')))
}

/// What an option of another library is here.
enum Meant {
    /// `max = 64`, `full`
    Written(String),
    /// What the operation does by itself.
    Default,
    /// Nothing that the operation has.
    Unknown,
}

/// The value behind the sign of an option, without quotes.
fn value_of(part: &[Token]) -> String {
    let sign = |token: &Token| token.is_punct('=') || token.is_punct(':');
    let behind = &part[part.len().min(1)..];
    let value = if behind.first().is_some_and(sign) { &behind[1..] } else { behind };
    text(value).trim_matches(['"', '\'']).to_string()
}

/// What an option means for an operation.
fn meant(form: &Form, part: &[Token]) -> Meant {
    let Some(Token { tree: Tree::Ident(name), .. }) = part.first() else { return Meant::Unknown };
    let value = value_of(part);
    let is_no = matches!(value.as_str(), "false" | "False" | "0" | "None");
    let reads_triangle = form.words.contains(&Word::Upper) || form.name == Factorisation::Eigh.name();
    match (word(name), name.as_str(), value.as_str()) {
        (Some(word), ..) if has_value(word) && value.is_empty() => written(form, word, &example(word)[word.name().len() + 3..]),
        (Some(word), ..) if has_value(word) => written(form, word, &value),
        (Some(_), ..) if is_no => Meant::Default,
        (Some(word), ..) => written(form, word, ""),
        (_, "mode", "full" | "complete") => written(form, Word::Full, ""),
        (_, "mode", "reduced" | "economic" | "economy" | "thin") => Meant::Default,
        (_, "lower", "true" | "True" | "1") if reads_triangle => Meant::Default,
        (_, "lower", _) if is_no => written(form, Word::Upper, ""),
        (_, "uplo" | "UPLO", "U") => written(form, Word::Upper, ""),
        (_, "uplo" | "UPLO", "L") if reads_triangle => Meant::Default,
        (_, "k", _) if form.name == Factorisation::Svd.name() => written(form, Word::Max, &value),
        _ => Meant::Unknown,
    }
}

/// A word as it is written, if the operation has it.
fn written(form: &Form, word: Word, value: &str) -> Meant {
    match form.words.contains(&word) {
        false => Meant::Unknown,
        true if has_value(word) => Meant::Written(format!("{} = {value}", word.name())),
        true => Meant::Written(word.name().to_string()),
    }
}

/// The fault of `svd(A[i, j]; tol = 1e-10; max = 3)`, whose options are in several segments, and of two options without a `,`.
pub(super) fn divided(segments: &[&[Token]]) -> Option<Diagnostic> {
    let first = segments.iter().position(|segment| segment.iter().any(|token| token.group(Delimiter::Bracket).is_some()))?;
    let options = segments.get(first + 1..)?;
    if options.is_empty() || !options.iter().all(|segment| are_options(segment, segments[first])) {
        return None;
    }
    let mut parts: Vec<&[Token]> = Vec::new();
    for segment in options.iter().flat_map(|segment| split(segment, ',')) {
        // A word with its sign begins an option, unless it is the first one.
        let begins = |&n: &usize| n > 0 && is_begin(&segment[n..]) && !matches!(segment[n - 1].tree, Tree::Punct(..));
        let mut start = 0;
        for n in (0..segment.len()).filter(begins) {
            parts.push(&segment[start..n]);
            start = n;
        }
        parts.push(&segment[start..]);
    }
    let count: usize = options.iter().map(|segment| split(segment, ',').len()).sum();
    if options.len() == 1 && parts.len() == count {
        return None;
    }
    let second = parts.get(1)?;
    let written: Vec<String> = parts.iter().map(|part| text(part)).collect();
    let fault = Diagnostic::syntax(span_of(second), "options have `,` between them, behind one `;`");
    Some(fault.help(format!("write `; {}`", written.join(", "))))
}

/// Whether tokens begin with a word and its value.
fn is_begin(tokens: &[Token]) -> bool {
    matches!(tokens, [Token { tree: Tree::Ident(name), .. }, sign, ..] if word(name).is_some() && sign.is_punct('='))
}

/// The fault of `norm(v[i], 1)`.
pub(super) fn of_an_order(tensor: &[Token], order: &[Token]) -> Option<Diagnostic> {
    let order = match order {
        [word, sign, value @ ..] if sign.is_punct('=') && (word.is_ident("ord") || word.is_ident("p")) => value,
        order => order,
    };
    if order.iter().any(|token| token.group(Delimiter::Bracket).is_some() || token.is_punct('=')) {
        return None;
    }
    let (labels, written) = (labels_in(tensor), text(tensor));
    let fault = Diagnostic::syntax(span_of(order), "`norm` is the root of the sum of all squares, and has no order");
    Some(match (text(order).trim_matches(['"', '\'']), &labels[..]) {
        (_, []) => fault.help("leave it out, or write another norm as a reduction, `sum(i; abs(v[i]))`"),
        ("1" | "1.0", [label]) => fault.help(format!("the norm of order 1 is `sum({label}; abs({written}))`")),
        ("inf" | "Inf" | "np.inf" | "f64::INFINITY", [label]) => {
            fault.help(format!("the norm of infinite order is `max({label}; abs({written}))`"))
        }
        ("2" | "2.0", [_]) | ("fro" | "F", _) => fault.help(format!("write `norm({written})`")),
        ("2" | "2.0", _) => {
            fault.help("the largest singular value of a matrix is the first one of `([i, r], [r], [r, j]) = svd(A[i, j])`")
        }
        (_, [label]) => {
            fault.help(format!("`norm({written})` has order 2, and `sum({label}; abs({written}))` is the norm of order 1"))
        }
        _ => fault.help(format!("`norm({written})` is the norm of Frobenius")),
    })
}

/// The fault of `svd(A[i, j], max = 64)`.
pub(super) fn before_semicolon(form: &Form, options: &[&[Token]]) -> Diagnostic {
    let found: Vec<Meant> = options.iter().map(|part| meant(form, part)).collect();
    if let Some(n) = found.iter().position(|one| matches!(one, Meant::Unknown)) {
        return unknown(form, options[n]);
    }
    let written: Vec<&str> =
        found.iter().filter_map(|one| if let Meant::Written(option) = one { Some(option.as_str()) } else { None }).collect();
    let name = &options[0][..1];
    match written.is_empty() {
        true => by_itself(form, options[0]),
        false => Diagnostic::syntax(name[0].span, format!("`{}` is an option, and options stand behind a `;`", text(name)))
            .help(format!("write `; {}` in place of the `,`", written.join(", "))),
    }
}

/// The fault of an option that says what the operation does without it.
fn by_itself(form: &Form, option: &[Token]) -> Diagnostic {
    Diagnostic::syntax(span_of(option), format!("`{}` does what `{}` says without it", form.name, text(option)))
        .help("leave it out, with the sign before it")
}

/// The fault of an option that the operation does not have.
fn unknown(form: &Form, option: &[Token]) -> Diagnostic {
    let name = text(&option[..1]);
    let fault = Diagnostic::syntax(
        option[0].span,
        match Word::from_name(&name) {
            Some(_) => format!("`{}` has no word `{name}`", form.name),
            None => format!("`{name}` is not a word of linear algebra"),
        },
    );
    if let Some(near) = nearest(&name, form.words.iter().map(|word| word.name())) {
        return fault.help(format!("did you mean `{near}`?"));
    }
    let examples: Vec<String> = form.words.iter().map(|&word| format!("`{}`", example(word))).collect();
    fault.help(match &examples[..] {
        [] => format!("`{}` has no options", form.name),
        [only] => format!("the option of `{}` is {only}, behind a `;`", form.name),
        [first @ .., last] => format!("the options of `{}` are {} and {last}, behind a `;`", form.name, first.join(", ")),
    })
}

/// A word as an example.
fn example(word: Word) -> &'static str {
    match word {
        Word::Max => "max = 64",
        Word::Broaden => "broaden = 1e-8",
        Word::Tol => "tol = 1e-10",
        word => word.name(),
    }
}

/// One option: its word and its value.
pub(super) fn option(form: &Form, part: &[Token], options: &mut Options) -> Result<(), Diagnostic> {
    let Some((Token { tree: Tree::Ident(name), span }, rest)) = part.split_first() else {
        let at = part.first().map_or(Span::default(), |token| token.span);
        return Err(Diagnostic::syntax(at, "behind the last `;` stand words such as `max = 64`, `tol = 1e-10` and `full`"));
    };
    let Some(word) = Word::from_name(name) else {
        let fault = Diagnostic::syntax(*span, format!("`{name}` is not a word of linear algebra"));
        return Err(match meant(form, part) {
            Meant::Written(option) => fault.help(format!("write `{option}`")),
            Meant::Default => by_itself(form, part),
            Meant::Unknown => unknown(form, part),
        });
    };
    if options.has(word) {
        return Err(Diagnostic::syntax(*span, format!("`{name}` stands here twice")));
    }
    options.words.push((word, *span));
    let value = match rest.split_first() {
        None => &[][..],
        Some((equals, value)) if equals.is_punct('=') => value,
        Some((other, _)) => {
            let fault = Diagnostic::syntax(other.span, format!("expected `=` or `,` after `{name}`"));
            return Err(match meant(form, part) {
                Meant::Written(option) => fault.help(format!("write `{option}`")),
                Meant::Default => by_itself(form, part),
                Meant::Unknown => unknown(form, part),
            });
        }
    };
    match word {
        Word::Max | Word::Tol | Word::Broaden if value.is_empty() => {
            Err(Diagnostic::syntax(*span, format!("`{name}` needs a value")).help(format!("write `{}`", example(word))))
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
            let fault = Diagnostic::syntax(value[0].span, format!("`{name}` stands alone, without `= {}`", text(value)));
            Err(match meant(form, part) {
                Meant::Written(option) => fault.help(format!("write `{option}`")),
                Meant::Default => fault.help(format!("leave `{name}` out, with the sign before it")),
                Meant::Unknown => fault,
            })
        }
        Word::Full | Word::Upper | Word::Unit => Ok(()),
    }
}
