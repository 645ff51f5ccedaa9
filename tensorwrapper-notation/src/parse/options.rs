//! The options of linear algebra, `; max = 64, full`, and what other libraries write in their place.

use super::cursor::{hole, split};
use super::index::integer;
use super::number::scalar;
use super::places::span_of;
use super::reduction::axis_numbers;
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
        part => has_sign(part),
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
    // `max: 2`
    let is_colon = |name: &str, sign: &Token| word(name).is_some() && sign.is_punct(':');
    has_sign(part)
        || matches!(part, [Token { tree: Tree::Ident(name), .. }, sign, next, ..]
        if is_colon(name, sign) && !next.is_punct(':'))
}

/// Whether tokens begin with a word and the `=` before its value. `==` compares.
fn has_sign(tokens: &[Token]) -> bool {
    matches!(tokens, [Token { tree: Tree::Ident(_), .. }, equals, next @ ..]
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
    let by_default = [Factorisation::Eigh, Factorisation::Cholesky].map(Factorisation::name);
    let reads_triangle = form.words.contains(&Word::Upper) || by_default.contains(&form.name);
    match (word(name), name.as_str(), value.as_str()) {
        (Some(word), ..) if has_value(word) && value.is_empty() => written(form, word, &example(word)[word.name().len() + 3..]),
        (Some(word), ..) if has_value(word) => written(form, word, &value),
        (Some(_), ..) if is_no => Meant::Default,
        (Some(word), _, "" | "true" | "True" | "1") => written(form, word, ""),
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
        let is_between = |n: usize| !matches!(segment[n - 1].tree, Tree::Punct(..)) && !segment[n - 1].is_ident("let");
        let begins = |&n: &usize| n > 0 && is_begin(&segment[n..]) && is_between(n);
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
    has_sign(tokens) && matches!(&tokens[0].tree, Tree::Ident(name) if word(name).is_some())
}

/// The fault of `norm(a[i, j], axis = 1)`. Negative numbers count from the last axis.
pub(super) fn of_an_axis(tensor: &[Token], option: &[Token]) -> Option<Diagnostic> {
    let axes = axis_numbers(option).filter(|_| option.iter().any(|token| token.is_punct('=')))?;
    let ([axis], labels) = (&axes[..], labels_in(tensor)) else { return None };
    let at = if *axis < 0 { labels.len().checked_sub(axis.unsigned_abs())? } else { axis.unsigned_abs() };
    let fault = Diagnostic::syntax(span_of(option), "`norm` runs over labels, and not over axes by their numbers");
    Some(fault.help(format!("write `norm({}; {})`", labels.get(at)?, text(tensor))))
}

/// The fault of `norm(v[i], 1)`.
pub(super) fn of_an_order(tensor: &[Token], order: &[Token], left: &[&str]) -> Option<Diagnostic> {
    let order = match order {
        [word, sign, value @ ..] if sign.is_punct('=') && (word.is_ident("ord") || word.is_ident("p")) => value,
        order => order,
    };
    if order.iter().any(|token| token.group(Delimiter::Bracket).is_some() || token.is_punct('=')) {
        return None;
    }
    // What the left side has is kept.
    let labels: Vec<&str> = labels_in(tensor).into_iter().filter(|label| !left.contains(label)).collect();
    let written = text(tensor);
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
        _ => fault.help(format!("`norm({written})` is the Frobenius norm")),
    })
}

/// The fault of `svd(A[i, j], max = 64)`, whose options begin at the argument of this number.
pub(super) fn before_semicolon(form: &Form, arguments: &[&[Token]], first: usize) -> Diagnostic {
    // Nothing stands between the signs of `max = 3,, k = 2`.
    let behind = arguments[first..].iter().copied().filter(|part| !part.is_empty());
    let is_matrix = |part: &[Token]| !is_option(form, part) && part.iter().any(|token| token.group(Delimiter::Bracket).is_some());
    let (matrices, options): (Vec<&[Token]>, Vec<&[Token]>) = behind.partition(|part| is_matrix(part));
    let found: Vec<Meant> = options.iter().map(|part| meant(form, part)).collect();
    if let Some(n) = found.iter().position(|one| matches!(one, Meant::Unknown)) {
        return unknown(form, options[n]);
    }
    let mut written: Vec<&str> = Vec::new();
    for one in &found {
        // Two names of one option are written once.
        let word = |option: &str| option.split(' ').next().map(str::to_string);
        match one {
            Meant::Written(option) if !written.iter().any(|known| word(known) == word(option)) => written.push(option),
            _ => {}
        }
    }
    let (name, at) = (text(&options[0][..1]), options[0][0].span);
    if !matrices.is_empty() {
        let matrices = [&arguments[..first], &matrices].concat().into_iter().map(text).collect::<Vec<_>>().join(", ");
        let options = if written.is_empty() { String::new() } else { format!("; {}", written.join(", ")) };
        return Diagnostic::syntax(at, format!("`{name}` is an option, and matrices stand before options"))
            .help(format!("write `{}({matrices}{options})`", form.name));
    }
    match written.is_empty() {
        true => by_itself(form, options[0], "the `,` before it"),
        false => Diagnostic::syntax(at, format!("`{name}` is an option, and options stand behind a `;`"))
            .help(format!("write `; {}` in place of the `,`", written.join(", "))),
    }
}

/// The fault of an option that says what the operation does without it.
fn by_itself(form: &Form, option: &[Token], sign: &str) -> Diagnostic {
    Diagnostic::syntax(span_of(option), format!("`{}` does that by itself", form.name)).help(format!("leave it out, and {sign}"))
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
    if Word::from_name(&name).is_some_and(|word| form.words.contains(&word)) {
        return Diagnostic::syntax(option[0].span, format!("`{name}` stands alone, without `= {}`", value_of(option)))
            .help(format!("write `; {name}` if that is meant, and leave it out otherwise"));
    }
    let meant = if name == "lower" { Some(Word::Upper) } else { word(&name) };
    if let Some(help) = meant.and_then(|word| form.elsewhere(word)) {
        return fault.help(help);
    }
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

/// The fault of an option that is written otherwise, if the operation has it.
fn otherwise(form: &Form, part: &[Token], sign: &str, fault: Diagnostic) -> Diagnostic {
    match meant(form, part) {
        Meant::Written(option) => fault.help(format!("write `{option}`")),
        Meant::Default => by_itself(form, part, sign),
        Meant::Unknown => unknown(form, part),
    }
}

/// The options behind the last `;` of a call.
pub(super) fn options(form: &Form, tokens: &[Token], call: Span) -> Result<Options, Diagnostic> {
    let (mut found, parts) = (Options::default(), split(tokens, ','));
    for (n, part) in parts.iter().enumerate() {
        let sign = match (n, parts.len()) {
            (0, 1) => "the `;` before it",
            (0, _) => "the `,` behind it",
            _ => "the `,` before it",
        };
        option(form, part, (call, sign), &mut found)?;
    }
    Ok(found)
}

/// One option of a call: its word and its value. The sign is the one that goes with it.
fn option(form: &Form, part: &[Token], (call, sign): (Span, &str), options: &mut Options) -> Result<(), Diagnostic> {
    let Some((Token { tree: Tree::Ident(name), span }, rest)) = part.split_first() else {
        let at = part.first().map_or(call, |token| token.span);
        return Err(Diagnostic::syntax(at, "behind the last `;` stand words such as `max = 64`, `tol = 1e-10` and `full`"));
    };
    let Some(word) = Word::from_name(name) else {
        let fault = Diagnostic::syntax(*span, format!("`{name}` is not a word of linear algebra"));
        return Err(otherwise(form, part, sign, fault));
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
            return Err(otherwise(form, part, sign, fault));
        }
    };
    if has_value(word) {
        return set(options, word, value, *span);
    }
    let Some(first) = value.first() else { return Ok(()) };
    let fault = Diagnostic::syntax(first.span, format!("`{name}` stands alone, without `= {}`", text(value)));
    Err(match meant(form, part) {
        Meant::Written(option) => fault.help(format!("write `{option}`")),
        Meant::Default => fault.help(format!("leave `{name}` out, and {sign}")),
        Meant::Unknown => fault.help(format!("write `{name}` if that is meant, and leave it out otherwise")),
    })
}

/// Gives an option its value.
fn set(options: &mut Options, word: Word, value: &[Token], at: Span) -> Result<(), Diagnostic> {
    match (word, value) {
        (_, []) => {
            let fault = Diagnostic::syntax(at, format!("`{}` needs a value", word.name()));
            return Err(fault.help(format!("write `{}`", example(word))));
        }
        (Word::Max, [Token { tree: Tree::Literal(literal), span }]) => {
            let most = integer(literal, *span, "a number of singular values: those")?;
            options.max = Some(Count::Literal(most, *span));
        }
        (Word::Max, other) => options.max = Some(Count::Hole(hole(other))),
        (Word::Tol, value) => options.tol = Some(scalar(value, at)?),
        (Word::Broaden, value) => options.broaden = Some(scalar(value, at)?),
        (Word::Full | Word::Upper | Word::Unit, _) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn axes_and_orders() {
        refused(&[
            (
                "[i] = norm(a[i, j], axis = -1)",
                &["axis = -1: `norm` runs over labels, and not over axes by their numbers | write `norm(j; a[i, j])`"],
            ),
            (
                "[j] = norm(a[i, j], axis = -2)",
                &["axis = -2: `norm` runs over labels, and not over axes by their numbers | write `norm(i; a[i, j])`"],
            ),
            (
                "[i] = norm(a[i, j], axis = 1)",
                &["axis = 1: `norm` runs over labels, and not over axes by their numbers | write `norm(j; a[i, j])`"],
            ),
            (
                "[] = norm(v[i], 1)",
                &[
                    "1: `norm` is the root of the sum of all squares, and has no order | the norm of order 1 is `sum(i; abs(v[i]))`",
                ],
            ),
        ]);
    }
}
