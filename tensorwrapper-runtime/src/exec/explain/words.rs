//! The small parts of written equations: words, terms and labels of trees.

use num_complex::Complex;
use tensorwrapper_notation::syntax::{Operator, Reduction, Word};

use crate::expr::{Factorised, Tree};
use tensorwrapper_core::backend::Unary;

/// The options of a call.
pub(super) fn options(call: &Factorised<'_>) -> String {
    let own = &call.call;
    let mut all = Vec::new();
    if let Some(max) = own.max {
        all.push(format!("{} = {max}", Word::Max.name()));
    }
    if let Some(tol) = own.tol {
        all.push(format!("{} = {tol:?}", Word::Tol.name()));
    }
    if let Some(broaden) = own.broaden {
        all.push(format!("{} = {broaden:?}", Word::Broaden.name()));
    }
    for (is_set, word) in [(own.full, Word::Full), (own.upper, Word::Upper), (own.unit, Word::Unit)] {
        if is_set {
            all.push(word.name().to_string());
        }
    }
    if all.is_empty() { String::new() } else { format!("; {}", all.join(", ")) }
}

/// Words that Rust has for itself.
const KEYWORDS: [&str; 37] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn", "for", "if",
    "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "type", "unsafe", "use", "where", "while",
];

/// Labels as they can be written, each once.
pub(super) fn written_labels<'n>(names: impl Iterator<Item = Option<&'n str>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (n, name) in names.enumerate() {
        let is_word = |name: &&str| {
            let is_spelled = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            name.starts_with(|c: char| c.is_alphabetic()) && is_spelled && !KEYWORDS.contains(name)
        };
        let mut own = name.filter(is_word).map_or_else(|| format!("l{n}"), str::to_string);
        while all.contains(&own) {
            own.push('_');
        }
        all.push(own);
    }
    all
}

/// A function that has no name in the language, of what a text says. What is not a number stays so.
pub(super) fn without_word(function: Unary, of: &str, is_complex: bool) -> String {
    match function {
        Unary::Sign if is_complex => format!("select({of} == 0.0; {of}, ({of}) / abs({of}))"),
        Unary::Sign => format!("select({of} > 0.0; 1.0, select({of} < 0.0; -1.0, {of}))"),
        Unary::IsZero => format!("select({of} == 0.0; 1.0, select({of} == {of}; 0.0, {of}))"),
        Unary::IsPositive if is_complex => format!("select(re({of}) > 0.0; 1.0, select({of} == {of}; 0.0, {of}))"),
        _ => format!("select({of} > 0.0; 1.0, select({of} == {of}; 0.0, {of}))"),
    }
}

/// A number that is not negative.
pub(super) fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "{ f64::NAN }".to_string(),
        f64::INFINITY => "{ f64::INFINITY }".to_string(),
        _ => format!("{value:?}"),
    }
}

/// A number, in parentheses if it is negative.
pub(super) fn constant(value: Complex<f64>) -> String {
    match value {
        _ if value.im != 0.0 => format!("{{ Complex::new({:?}, {:?}) }}", value.re, value.im),
        _ if value.re < 0.0 => format!("(-{})", number(-value.re)),
        _ => number(value.re),
    }
}

pub(super) fn reduction_name(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Sum => "sum",
        Reduction::Product => "prod",
        Reduction::Max => "max",
        Reduction::Min => "min",
    }
}

/// The terms of a sum, and whether each is subtracted.
pub(super) fn terms_of<'t, 'a>(tree: &'t Tree<'a>, is_negative: bool, found: &mut Vec<(&'t Tree<'a>, bool)>) {
    match tree {
        Tree::Binary(operator @ (Operator::Add | Operator::Subtract), left, right) => {
            terms_of(left, is_negative, found);
            terms_of(right, is_negative != (*operator == Operator::Subtract), found);
        }
        Tree::Negate(inner) => terms_of(inner, !is_negative, found),
        other => found.push((other, is_negative)),
    }
}

pub(super) fn is_one(tree: &Tree<'_>) -> bool {
    matches!(tree, Tree::Constant(value) if value.re == 1.0 && value.im == 0.0)
}

/// Whether a tree is a product of operands and numbers.
pub(super) fn is_product(tree: &Tree<'_>) -> bool {
    match tree {
        Tree::Binary(Operator::Multiply, left, right) => is_product(left) && is_product(right),
        Tree::Negate(inner) | Tree::Apply(Unary::Conj, inner) => is_product(inner),
        Tree::Operand(..) | Tree::Constant(_) => true,
        _ => false,
    }
}

/// Whether a tree reads each of these labels more than once. Of a label that is read once the language asks to say that it is summed.
pub(super) fn repeats_all(tree: &Tree<'_>, over: &[usize]) -> bool {
    let mut read = Vec::new();
    tree.labels(&mut read);
    over.iter().all(|label| read.iter().filter(|own| *own == label).count() > 1)
}
