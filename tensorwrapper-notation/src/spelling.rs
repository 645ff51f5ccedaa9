//! Parts of equations as text: expressions, indices, names. Rust fragments that are more than a single name are between backticks.

use crate::syntax::{Count, Expression, ExpressionKind, Hole, Index, Indices, Name, Range, Scalar};

pub(crate) fn list<X>(items: &[X], one: impl Fn(&X) -> String) -> String {
    items.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The indices between two brackets.
pub(crate) fn axes(indices: &Indices) -> String {
    let mut text = String::new();
    for (n, one) in indices.iter().map(index).enumerate().filter(|(_, text)| !text.is_empty()) {
        let separator = if indices.begins_layer(n) { "; " } else { ", " };
        text += if text.is_empty() { "" } else { separator };
        text += &one;
    }
    text
}

/// A label.
pub(crate) fn label(name: &Name) -> String {
    word(&name.text)
}

/// A Rust fragment as one token.
pub(crate) fn host(hole: &Hole) -> String {
    word(&hole.text)
}

pub(crate) fn word(text: &str) -> String {
    let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_') && !text.starts_with(char::is_numeric);
    if is_name { text.to_string() } else { format!("`{}`", text.replace('`', "'")) }
}

pub(crate) fn index(index: &Index) -> String {
    match index {
        Index::Label(name) => label(name),
        Index::Slice(name, Range::Literal(start, end, _)) => {
            format!("{} in {start}..{}", label(name), end.map_or(String::new(), |end| end.to_string()))
        }
        Index::Slice(name, Range::Hole(hole)) => format!("{} in {}", label(name), host(hole)),
        Index::Chip(Count::Literal(position, _)) => position.to_string(),
        Index::Chip(Count::Hole(hole)) => braced(hole),
        Index::Fused(names, _) => format!("({})", list(names, label)),
        Index::Rest(_) => "..".to_string(),
        // The run time need not know that it was written.
        Index::NoAxes(_) => String::new(),
    }
}

/// A Rust fragment in braces, where a name alone would be read as something else.
pub(crate) fn braced(hole: &Hole) -> String {
    format!("{{{}}}", host(hole))
}

pub(crate) fn count(count: &Count) -> String {
    match count {
        Count::Literal(value, _) => value.to_string(),
        Count::Hole(hole) => host(hole),
    }
}

pub(crate) fn scalar(scalar: &Scalar) -> String {
    match scalar {
        // Digits that read back as the same number.
        Scalar::Literal(value, _) => value.to_string(),
        Scalar::Hole(hole) => braced(hole),
    }
}

pub(crate) fn expression(written: &Expression) -> String {
    match &written.kind {
        ExpressionKind::Operand(hole, indices) => format!("{}[{}]", host(hole), axes(indices)),
        ExpressionKind::Scalar(number) => scalar(number),
        ExpressionKind::Spread(number, names) => format!("{}[{}]", scalar(number), list(names, label)),
        ExpressionKind::Iota(name) => format!("iota[{}]", label(name)),
        ExpressionKind::Negate(inner) => format!("-{}", expression(inner)),
        ExpressionKind::Binary(operator, left, right) => {
            format!("{} {} {}", expression(left), operator.symbol(), expression(right))
        }
        ExpressionKind::Parentheses(inner) => format!("({})", expression(inner)),
        ExpressionKind::Reduce(ending, names, inner) => {
            format!("{}({}; {})", ending.name(), list(names, label), expression(inner))
        }
        ExpressionKind::Map(functions, arguments) => {
            format!("map({}; {})", list(functions, host), list(arguments, expression))
        }
        ExpressionKind::Select(condition, values) => {
            format!("select({}; {})", condition.text(&mut expression), list(&values[..], expression))
        }
        ExpressionKind::Truth(condition) => condition.text(&mut expression),
        ExpressionKind::Clip(parts) => format!("clip({})", list(&parts[..], expression)),
        ExpressionKind::Cast(None, inner) => format!("cast({})", expression(inner)),
        ExpressionKind::Cast(Some(named), inner) => format!("cast({}; {})", host(named), expression(inner)),
        ExpressionKind::Apply(function, inner) => format!("{}({})", function.name(), expression(inner)),
        ExpressionKind::PowerInteger(inner, exponent) => format!("powi({}, {})", expression(inner), scalar(exponent)),
        ExpressionKind::PowerReal(inner, exponent) => format!("powf({}, {})", expression(inner), scalar(exponent)),
        ExpressionKind::Exchange(exchange, [a, b], inner) => {
            let group = |names: &[Name]| match names {
                [one] => label(one),
                several => format!("({})", list(several, label)),
            };
            format!("{}({}, {}; {})", exchange.name(), group(a), group(b), expression(inner))
        }
        ExpressionKind::Gradient(value, variables) => format!("grad({}; {})", expression(value), list(variables, expression)),
    }
}
