//! Faults of syntax that have messages of their own, because one can tell what the author may have meant.
//!
//! This file must not know the grammar, which is in the other files of this folder.

use super::behind::{behind_operand, indices_behind, is_parenthesis, method, unwrapped};
use super::choices::{choice, conditions};
use super::cursor::Cursor;
use super::foreign;
use super::left::equations;
use super::paired::behind_comma;
use super::places::{last_operand, sides};
use super::synonyms::synonym;
use super::unread::{is_comparison, labels_in, labels_of_letters, with_values};
use super::words::is_item;
use crate::diagnostic::Diagnostic;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// What a choice for each element is written as.
const CHOICE: &str = "a choice for each element is `select(A[i] > 0.0; A[i], 0.0)`";

/// Where a comparison belongs.
const COMPARISON: &str = "a comparison stands in `select(C; X, Y)`: X where C holds, and Y elsewhere";

/// Refuses what follows an expression in parentheses. No equation is there, so that `==` compares.
pub(super) fn unexpected_inside(cursor: &Cursor<'_>) -> Result<(), Diagnostic> {
    if cursor.is_empty() {
        return Ok(());
    }
    if let Some(fault) = unwrapped(cursor, false) {
        return Err(fault);
    }
    if let Some(help) = choice(cursor.all()) {
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
    if let Some(help) = foreign::behind(cursor).or_else(|| behind_operand(cursor)) {
        return Err(plain.help(help));
    }
    Err(match &token.tree {
        Tree::Punct(',', _) => comma(cursor, plain),
        Tree::Punct(sign, _) => unexpected_sign(cursor, *sign, plain),
        Tree::Ident(word) if let Some(fault) = unexpected_word(cursor, word, &plain) => fault,
        Tree::Group(Delimiter::Bracket, indices) if cursor.previous().is_some_and(is_parenthesis) => {
            plain.help(indices_behind(cursor.read(), indices))
        }
        // `var x[i] = …`
        Tree::Ident(_)
            if let [Token { tree: Tree::Ident(word), span }] = cursor.read()
                && let Some(n) = assignment(cursor.rest()) =>
        {
            // `+=` has two signs.
            let signs = cursor.rest()[..n].iter().rev().take_while(|token| matches!(token.tree, Tree::Punct(..))).count();
            let left = text(&cursor.rest()[..n - signs]);
            Diagnostic::syntax(*span, format!("`{word}` is no word of equations"))
                .help(format!("a new tensor is `let {left} = …;`, and one that exists `{left} = …`"))
        }
        Tree::Ident(_) | Tree::Group(..) if assignment(cursor.rest()).is_some() => {
            Diagnostic::syntax(token.span, format!("expected an operator or `;`, found `{found}`"))
                .help("a product is written with `*`; equations have `;` between them")
        }
        Tree::Ident(_) | Tree::Literal(_) | Tree::Group(Delimiter::Parenthesis | Delimiter::Brace, _) => {
            plain.help("a product is written with `*`")
        }
        Tree::Group(Delimiter::Bracket | Delimiter::Invisible, _) => plain,
    })
}

/// The fault of a sign behind an expression.
fn unexpected_sign(cursor: &Cursor<'_>, sign: char, plain: Diagnostic) -> Diagnostic {
    let at = plain.span;
    match sign {
        '=' if cursor.peek_pair('=', '=') => {
            Diagnostic::syntax(at, "`==` compares; an equation has a single `=`").help("write `[i, j] = A[i, k] * B[k, j]`")
        }
        '=' => Diagnostic::syntax(at, "an equation has one `=`")
            .help("write several equations in one `tensor!` with `;` between them"),
        '-' if cursor.peek_pair('-', '>') => Diagnostic::syntax(at, "the left side is written first, and there is no arrow")
            .help("write `[i, j] = A[i, k] * B[k, j]`"),
        '^' => Diagnostic::syntax(at, "`^` is not an operator here").help(raised(cursor)),
        '.' if ['+', '-', '*', '/'].iter().any(|&operator| cursor.peek_pair('.', operator)) => {
            plain.help(format!("operators act on each element without a dot: `{}`", text(&cursor.rest()[1..2]).trim_end()))
        }
        '.' => method(cursor, at, plain),
        '!' => match (cursor.previous().map(|token| &token.tree), cursor.peek_at(1).map(|next| &next.tree)) {
            (Some(Tree::Ident(word)), Some(Tree::Group(Delimiter::Bracket, inner))) if word == "vec" => plain.help(array(inner)),
            (Some(Tree::Ident(_)), Some(Tree::Group(..))) => {
                plain.help(format!("a Rust macro stands in braces: `{{ {}{} }}`", before(cursor), two(cursor)))
            }
            _ => plain,
        },
        '@' => plain.help("a matrix product is `A[i, k] * B[k, j]`: `k` is summed"),
        '?' => plain.help(choice(cursor.all()).unwrap_or_else(|| CHOICE.into())),
        '<' | '>' => plain.help(COMPARISON),
        '&' | '|' if let Some(help) = conditions(cursor, false) => plain.help(help),
        '%' | '|' | '&' => plain.help("the operators are `+`, `-`, `*` and `/`"),
        ':' if cursor.previous().is_some_and(|token| matches!(token.tree, Tree::Ident(_))) => {
            plain.help(format!("extents stand behind `where`, with `,` between them: `where i: 2, {}: 3`", before(cursor)))
        }
        _ => plain,
    }
}

/// What a power is written as.
const POWER: &str = "a power is `powi(X, 2)` or `powf(X, 0.5)`";

/// The help for what stands behind a `^`: an exponent, or a mark of matrices and of tensors.
fn raised(cursor: &Cursor<'_>) -> String {
    match cursor.peek_at(1).map(|next| &next.tree) {
        Some(Tree::Ident(mark)) if let ("T" | "H" | "dagger", Some(help)) = (mark.as_str(), synonym(mark)) => help,
        Some(Tree::Punct('-', _)) => {
            "a power of each element is `powi(X, -1)` or `powf(X, -0.5)`, and the inverse of a matrix `[j, i] = inv(A[i, j])`"
                .into()
        }
        // Behind brackets stands an exponent.
        Some(Tree::Group(Delimiter::Brace, inner)) if cursor.previous().is_some_and(is_word) => {
            match labels_of_letters(inner, &labels_in(cursor.all())) {
                labels if labels.is_empty() => POWER.into(),
                labels => {
                    format!("upper and lower indices are alike, and stand in brackets: `{}[{labels}]`; {POWER}", before(cursor))
                }
            }
        }
        _ => POWER.into(),
    }
}

/// The fault of a `,` behind an expression.
fn comma(cursor: &Cursor<'_>, plain: Diagnostic) -> Diagnostic {
    match cursor.peek_at(1) {
        None => Diagnostic::syntax(plain.span, "nothing follows this `,`").help("leave it out: an equation ends without a `,`"),
        _ if are_names(cursor) => {
            let names = from_previous(cursor);
            plain.help(format!("several values of a block stand in parentheses: `({names})`"))
        }
        Some(next) if next.is_ident("where") => plain.help("leave it out: an equation and its `where` have no `,` between them"),
        _ => match equations(cursor).or_else(|| behind_comma(cursor)) {
            Some(help) => plain.help(help),
            // The left side of several results ends with an `=`.
            None if cursor.rest().iter().any(|token| token.is_punct('=')) => {
                plain.help("several results are written `([i], [i, j]) = …`")
            }
            None => plain,
        },
    }
}

/// The fault of some words behind an expression.
fn unexpected_word(cursor: &Cursor<'_>, word: &str, plain: &Diagnostic) -> Option<Diagnostic> {
    let help = match word {
        "let" => return Some(Diagnostic::syntax(plain.span, "`;` is missing before this `let`")),
        "if" => choice(cursor.all()).or_else(|| without_else(cursor)).unwrap_or_else(|| CHOICE.into()),
        "in" if cursor.peek_at(1).is_some_and(|next| next.is_punct('&')) => {
            "the context is the first line of a block: `in &context; [i, j] = …`".into()
        }
        "as" => format!("a Rust expression stands in braces: `{{ {} {} }}`", text(last_operand(cursor.read())), two(cursor)),
        _ => return None,
    };
    Some(plain.clone().help(help))
}

/// The help for an array among operands.
pub(super) fn array(inner: &[Token]) -> String {
    // The length of an array of Rust is known when the program is compiled, and `n` in `vec![0.0; n]` may not be.
    if let [value, extent] = inner.split(|token| token.is_punct(';')).collect::<Vec<_>>()[..] {
        let is_number = matches!(value, [Token { tree: Tree::Literal(_), .. }]);
        let number = if is_number { format!("{}[i]", text(value)) } else { "0.0[i]".into() };
        let extent = if is_number && !extent.is_empty() { text(extent) } else { "n".into() };
        return format!("a number is spread over labels: `{number} where i: {extent}`");
    }
    format!("make a tensor of it first, `let t = Tensor::from_array([{}])?;`, and write its indices", text(inner))
}

/// The help for `x if C`, which has no other value.
fn without_else(cursor: &Cursor<'_>) -> Option<String> {
    let condition = cursor.rest().get(1..)?;
    let (_, right) = sides(cursor.read());
    let written = text(&with_values(condition, &labels_in(cursor.all())));
    is_comparison(condition)
        .then(|| format!("a choice for each element has two values: `select({written}; {}, 0.0)` is 0 elsewhere", text(right)))
}

/// The token before.
fn before(cursor: &Cursor<'_>) -> String {
    cursor.previous().map_or(String::new(), |token| text(std::slice::from_ref(token)))
}

/// The next two tokens.
fn two(cursor: &Cursor<'_>) -> String {
    text(&cursor.rest()[..cursor.rest().len().min(2)])
}

/// What stands from the token before on.
fn from_previous(cursor: &Cursor<'_>) -> String {
    text(&[cursor.previous().into_iter().cloned().collect(), cursor.rest().to_vec()].concat())
}

/// Whether names with `,` between them are all that is there.
fn are_names(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    cursor.previous().is_some_and(is_word)
        && rest.len() > 1
        && rest.iter().enumerate().all(|(n, token)| if n % 2 == 0 { token.is_punct(',') } else { is_word(token) })
}

fn is_word(token: &Token) -> bool {
    matches!(token.tree, Tree::Ident(_))
}

/// Where the first `=` is that does not belong to a comparison.
fn assignment(tokens: &[Token]) -> Option<usize> {
    let compares = |n: usize| {
        let before = n.checked_sub(1).is_some_and(|n| matches!(tokens[n].tree, Tree::Punct('=' | '!' | '<' | '>', true)));
        before || tokens.get(n + 1).is_some_and(|next| matches!(tokens[n].tree, Tree::Punct('=', true)) && next.is_punct('='))
    };
    (0..tokens.len()).find(|&n| tokens[n].is_punct('=') && !compares(n))
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
    if is_item(word) {
        return Diagnostic::syntax(span, format!("`{word} …` is an item of Rust, and here stand equations"))
            .help("write it before the macro");
    }
    if word == "mut" {
        return Diagnostic::syntax(span, "the left side has no `mut`")
            .help("leave it out: a tensor that an equation writes is declared as `mut` before the macro");
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

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn exponents_and_arrays() {
        refused(&[
            ("[i] = v[i]^{n}", &["^: `^` is not an operator here | a power is `powi(X, 2)` or `powf(X, 0.5)`"]),
            (
                "[i, j] = A^{ij}",
                &[
                    "^: `^` is not an operator here | upper and lower indices are alike, and stand in brackets: `A[i, j]`; a power is `powi(X, 2)` or `powf(X, 0.5)`",
                ],
            ),
            (
                "[i] = 2.0 * v[i] + vec![0.0; n]",
                &["!: expected an operator, found `!` | a number is spread over labels: `0.0[i] where i: n`"],
            ),
            (
                "[i] = v[i] + [0.5; 3]",
                &["[0.5; 3]: an array is no operand | a number is spread over labels: `0.5[i] where i: 3`"],
            ),
            ("[i] = vec![x; n]", &["!: expected an operator, found `!` | a number is spread over labels: `0.0[i] where i: n`"]),
        ]);
    }

    #[test]
    fn words_before_comparisons() {
        refused(&[
            ("[i] = exp((x y == 3))", &["y: expected an operator, found `y` | a product is written with `*`"]),
            ("[i] = exp((x y <= 3))", &["y: expected an operator, found `y` | a product is written with `*`"]),
        ]);
    }

    #[test]
    fn items_of_rust() {
        refused(&[
            ("trait X", &["trait: `trait …` is an item of Rust, and here stand equations | write it before the macro"]),
            ("[i] = fn v[i]", &["fn: `fn …` is an item of Rust, and here stand equations | write it before the macro"]),
        ]);
    }

    #[test]
    fn choices_without_an_alternative() {
        refused(&[
            (
                "[i] = v[i] if v[i] > 0.0",
                &[
                    "if: expected an operator, found `if` | a choice for each element has two values: `select(v[i] > 0.0; v[i], 0.0)` is 0 elsewhere",
                ],
            ),
            (
                "[i] = v[i] if v[i] > 0.0 else",
                &["if: expected an operator, found `if` | a choice for each element is `select(A[i] > 0.0; A[i], 0.0)`"],
            ),
        ]);
    }
}
