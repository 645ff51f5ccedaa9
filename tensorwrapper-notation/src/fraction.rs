//! Where an equation needs numbers with fractions, which integers do not have.

use crate::function::Function;
use crate::syntax::{Assignment, Ending, Expression, ExpressionKind, Operator, Right, Scalar, Statement, Target};
use crate::token::Span;

/// A place that integers do not have a value for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fraction {
    /// Where it was written.
    pub span: Span,
    /// Where the innermost cast around it was written, if there is one.
    pub cast: Option<Span>,
}

/// The whole numbers that double precision holds without gaps end here.
const MOST_WHOLE: f64 = (1u64 << 53) as f64;

/// The first such place in each part of an equation that has an element type of its own.
pub fn fractions(statement: &Statement) -> Vec<Fraction> {
    let mut found = Vec::new();
    if let Target::Place(_, _, Assignment::Update(Operator::Divide)) = statement.target {
        found.push(Fraction { span: statement.span, cast: None });
    }
    match &statement.right {
        Right::Expression(expression) => walk(expression, None, &mut found),
        Right::Factorisation(call) => found.push(Fraction { span: call.span, cast: None }),
    }
    found
}

fn walk(expression: &Expression, cast: Option<Span>, found: &mut Vec<Fraction>) {
    if divides(&expression.kind) && found.iter().all(|known| known.cast != cast) {
        let span = if let ExpressionKind::Binary(_, _, divisor) = &expression.kind { divisor.span } else { expression.span };
        found.push(Fraction { span, cast });
    }
    let cast = if let ExpressionKind::Cast(..) = expression.kind { Some(expression.span) } else { cast };
    expression.kind.children().into_iter().for_each(|inner| walk(inner, cast, found));
}

/// Whether an expression by itself has values between the whole numbers, or slopes.
fn divides(kind: &ExpressionKind) -> bool {
    let is_whole = |scalar: &Scalar| match scalar {
        Scalar::Literal(value, _) => value.fract() == 0.0 && value.abs() <= MOST_WHOLE,
        Scalar::Hole(_) => true,
    };
    match kind {
        ExpressionKind::Binary(operator, ..) => *operator == Operator::Divide,
        ExpressionKind::Scalar(scalar) | ExpressionKind::Spread(scalar, _) => !is_whole(scalar),
        ExpressionKind::Apply(function, _) => !matches!(function, Function::Abs | Function::Conj | Function::Re | Function::Im),
        ExpressionKind::Reduce(ending, ..) => matches!(ending, Ending::Mean | Ending::Variance | Ending::Deviation),
        ExpressionKind::PowerInteger(_, Scalar::Literal(exponent, _)) => *exponent < 0.0,
        ExpressionKind::PowerReal(..) => true,
        // The type of a number that is differentiated has a check of its own, and so have functions of the program.
        ExpressionKind::Gradient(value, _) => matches!(&value.kind, ExpressionKind::Operand(_, indices) if !indices.is_empty()),
        ExpressionKind::PowerInteger(_, Scalar::Hole(_))
        | ExpressionKind::Operand(..)
        | ExpressionKind::Iota(_)
        | ExpressionKind::Negate(_)
        | ExpressionKind::Parentheses(_)
        | ExpressionKind::Select(..)
        | ExpressionKind::Truth(_)
        | ExpressionKind::Clip(_)
        | ExpressionKind::Cast(..)
        | ExpressionKind::Map(..)
        | ExpressionKind::Exchange(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Invocation;
    use crate::{lex, parse};

    /// The texts from the first such places on.
    fn places(text: &str) -> Vec<String> {
        let Ok(Invocation::Equation(statement)) = parse(&lex(text).unwrap()) else { panic!("`{text}` is no equation") };
        let rest = |found: &Fraction| text.chars().skip(found.span.start).take(6).collect();
        fractions(&statement).iter().map(rest).collect()
    }

    #[test]
    fn sums_products_and_choices_of_integers_are_integers() {
        for text in [
            "[i, j] = 2 * a[i, k] * b[k, j] - powi(c[i, j], 3)",
            "[i] = max(k; select(a[i, k] > 0; abs(a[i, k]), iota[k]))",
            "C[i] += clip(a[i], 0.0, 9.0) + {n}",
            "[i, j] = sym(i, j; a[i, j])",
            "[i] = argmax(k; a[i, k])",
            "[i] = grad(e; a[i])",
        ] {
            assert!(places(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_first_place_of_each_part_counts() {
        for (text, expected) in [
            ("[i] = 0.5 * a[i] / b[i]", vec!["b[i]"]),
            ("[i] = exp(a[i])", vec!["exp(a["]),
            ("[i] = mean(k; a[i, k])", vec!["mean(k"]),
            ("[i] = std(k; a[i, k])", vec!["std(k;"]),
            ("[i] = powi(a[i], -1)", vec!["powi(a"]),
            ("[i] = powf(a[i], 2.0)", vec!["powf(a"]),
            ("[i] = map(f; a[i] / b[i])", vec!["b[i])"]),
            ("[i] = grad(a[i]; b[i])", vec!["grad(a"]),
            ("[i] = 1e30 * a[i]", vec!["1e30 *"]),
            ("C[i] /= a[i]", vec!["C[i] /"]),
            ("([i, k], [k], [k, j]) = svd(i, j; a[i, j])", vec!["svd(i,"]),
            ("[i] = ln(x[i]) * cast(a[i] / b[i])", vec!["ln(x[i", "b[i])"]),
        ] {
            assert_eq!(places(text), expected, "{text}");
        }
    }
}
