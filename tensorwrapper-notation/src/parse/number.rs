//! Numbers as they are written: literals, and the numbers beside an argument, such as exponents and tolerances.

use super::cursor::hole;
use super::occurring::occurring;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, Scalar};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// What a power of a matrix with another exponent is made of.
const OTHER_POWER: &str =
    "a root of a symmetric matrix is `C[p, n] * sqrt(e[n]) * conj(C[q, n])`, after `let (e[n], C[p, n]) = eigh(A[p, q]);`";

/// The most tokens of what is read as one number: others are left to Rust.
const LONGEST_CONSTANT: usize = 16;

/// A literal or a quotient of two, with a sign or without; or any Rust expression.
pub(super) fn scalar(tokens: &[Token], span: Span) -> Result<Scalar, Diagnostic> {
    if tokens.is_empty() {
        return Err(Diagnostic::syntax(span, "an exponent is missing"));
    }
    let at = hole(tokens).span;
    Ok(constant(tokens).transpose()?.map_or_else(|| Scalar::Hole(hole(tokens)), |value| Scalar::Literal(value, at)))
}

/// The value of tokens that are literals only. In a quotient `1/2` of Rust's integers the fraction would be lost, while the same
/// quotient is a half where it is a factor; so it is a half here, too.
fn constant(tokens: &[Token]) -> Option<Result<f64, Diagnostic>> {
    match tokens {
        // Reading is recursive, and a long row of signs could overflow the stack.
        _ if tokens.len() > LONGEST_CONSTANT => None,
        [Token { tree: Tree::Literal(literal), span }] => Some(number(literal, *span)),
        [Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. }] => constant(inner),
        [minus, rest @ ..] if minus.is_punct('-') => Some(constant(rest)?.map(|value| -value)),
        [above @ .., sign, below] if sign.is_punct('/') => {
            let (above, below) = (constant(above)?, constant(std::slice::from_ref(below))?);
            let value = above.and_then(|above| Ok(above / below?));
            Some(value.and_then(|value| match value.is_finite() {
                true => Ok(value),
                false => Err(Diagnostic::syntax(hole(tokens).span, format!("`{}` is not a number", text(tokens)))),
            }))
        }
        _ => None,
    }
}

/// The exponent of `powi` or `matpow`, a whole number.
pub(super) fn whole_exponent(name: &str, tokens: &[Token], span: Span) -> Result<Scalar, Diagnostic> {
    let exponent = scalar(tokens, span)?;
    let fault = |at, message: String, other: &str| {
        let help = match name {
            "powi" => format!("for any other exponent write `powf(X, {other})`"),
            _ => OTHER_POWER.to_string(),
        };
        Err(Diagnostic::syntax(at, message).help(help))
    };
    match &exponent {
        Scalar::Literal(value, at) if value.fract() != 0.0 => {
            fault(*at, format!("`{name}` takes a whole number"), &value.to_string())
        }
        Scalar::Literal(value, at) if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(value) => {
            let other = format!("{value:e}");
            fault(*at, format!("`{name}` takes exponents from {} to {}", i32::MIN, i32::MAX), &other)
        }
        // Rust divides whole numbers without their fraction, also inside a longer exponent.
        Scalar::Hole(hole) if divides(tokens) => {
            fault(hole.span, format!("`{name}` takes a whole number, and a quotient of whole numbers loses its fraction"), "0.5")
        }
        _ => Ok(exponent),
    }
}

/// Whether a quotient of two literals has a fraction. What is multiplied before, as in `n * 6 / 4`, may have none.
fn divides(tokens: &[Token]) -> bool {
    let whole = |token: &Token| match &token.tree {
        Tree::Literal(digits) => digits.parse::<u64>().ok(),
        _ => None,
    };
    (0..tokens.len().saturating_sub(2)).any(|at| {
        let is_factor = at > 0 && tokens[at - 1].is_punct('*');
        let quotient = whole(&tokens[at]).zip(whole(&tokens[at + 2])).filter(|_| tokens[at + 1].is_punct('/') && !is_factor);
        quotient.is_some_and(|(a, b)| b == 0 || a % b != 0)
    })
}

/// The fault of an exponent that is another one for each element, as in `powf(a[i], b[i])`: exponents are one number of Rust's.
pub(super) fn varying_exponent(name: &str, (written, base): (&[Token], &Expression), tokens: &[Token]) -> Option<Diagnostic> {
    let labels = occurring(base);
    let is_label = |token: &Token| matches!(&token.tree, Tree::Ident(word) if labels.contains(&word.as_str()));
    let indexed = tokens.iter().filter_map(|token| token.group(Delimiter::Bracket)).flatten().any(is_label);
    let alone = matches!(tokens, [only] if is_label(only));
    if !indexed && !alone {
        return None;
    }
    let exponent = if alone { format!("iota[{}]", text(tokens)) } else { text(tokens) };
    let fault =
        Diagnostic::syntax(hole(tokens).span, format!("the exponent of `{name}` is one number, the same for each element"));
    let braced = format!("a Rust expression stands in braces, `{{ {} }}`", text(tokens));
    Some(fault.help(format!("a power of two elements is `map(f64::powf; {}, {exponent})`; {braced}", text(written))))
}

/// The value of a numeric literal.
pub(super) fn number(literal: &str, span: Span) -> Result<f64, Diagnostic> {
    let clean = literal.replace('_', "");
    let suffixes = ["f32", "f64", "usize", "isize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];
    let digits = suffixes.iter().find_map(|s| clean.strip_suffix(s)).unwrap_or(&clean);
    let value: f64 = digits.parse().map_err(|_| {
        let fault = Diagnostic::syntax(span, format!("`{literal}` is not a number that an equation can hold"));
        fault.help(no_number(literal))
    })?;
    match value.is_finite() {
        true => Ok(value),
        false => Err(Diagnostic::syntax(span, format!("`{literal}` is larger than any number of double precision"))
            .help("infinity is written in braces, `{ f64::INFINITY }`")),
    }
}

/// What is written in place of a literal that is no number.
fn no_number(literal: &str) -> String {
    if literal.starts_with('"') && literal.contains(['=', '>']) {
        return "an equation is written without quotes; `einsum!(\"ik,kj->ij\", a, b)` has its subscripts in quotes".into();
    }
    let digits = literal.trim_end_matches(|c: char| c.is_alphanumeric() && !c.is_ascii_digit());
    let letters = &literal[digits.len()..];
    let is_product = !letters.is_empty()
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.parse::<f64>().is_ok_and(f64::is_finite);
    match letters {
        "i" | "j" | "im" if is_product => {
            format!(
                "a complex number is written in braces, `{{ Complex::new(0.0, {:?}) }}`; where all tensors are real, convert them, \
                 `cast(Complex<f64>; A[i, j])`",
                digits.parse().unwrap_or(1.0_f64)
            )
        }
        _ if is_product => format!("a product is written with `*`: `{digits} * {letters}`"),
        _ => "any Rust expression may stand in braces, `{ … }`".into(),
    }
}
