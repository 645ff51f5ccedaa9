//! What a block knows of the names that its equations before have bound: which indices they have.

use super::cursor::split;
use super::places::{contains, sides};
use super::results::{as_values, in_equations, labels, result};
use super::unread::labels_in;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expression, ExpressionKind, Hole, Right, Scalar, Statement};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// Reads a statement without what the block knows.
pub(super) type Reader = fn(&[Token]) -> Result<Statement, Diagnostic>;

/// Reads a statement behind others.
pub(super) fn behind(before: &[Statement], tokens: &[Token], read: Reader) -> Result<Statement, Diagnostic> {
    let found = read(tokens).map_err(|fault| with_known_indices(fault, before, tokens, read))?;
    let fault = bare_in_cast(before, &found).or_else(|| bare_in_gradient(before, &found, tokens));
    match fault.or_else(|| as_values(before, &found, tokens)) {
        Some(fault) => Err(fault),
        None => Ok(found),
    }
}

/// The fault of `Ok(x)`, `vec![x]`, `[x, y]`, `(x[i], y)` and `x.clone()` where the value of a block stands.
pub(super) fn no_value(before: &[Statement], tokens: &[Token]) -> Option<Diagnostic> {
    let without = |word: &str| format!("the value of a block is written without `{word}`");
    let (what, group) = match tokens {
        [name @ Token { tree: Tree::Ident(known), .. }, dot, Token { tree: Tree::Ident(method), .. }, call]
            if dot.is_punct('.') && call.group(Delimiter::Parenthesis).is_some() =>
        {
            result(before, known)?;
            let fault =
                Diagnostic::syntax(name.span.to(call.span), format!("`{known}` has no methods before the block is computed"));
            let outside = || format!("write `{known}`, and call `{method}` outside of the macro, on the value of the block");
            return Some(fault.help(in_equations(before, known, &text(&tokens[2..])).unwrap_or_else(outside)));
        }
        [word @ Token { tree: Tree::Ident(name), .. }, sign, group] if name == "vec" && sign.is_punct('!') => {
            (without("vec!"), (word.span, group.group(Delimiter::Bracket)?))
        }
        [word @ Token { tree: Tree::Ident(name), .. }, group] if matches!(name.as_str(), "Ok" | "Some") => {
            (without(name), (word.span, group.group(Delimiter::Parenthesis)?))
        }
        // `S { x, y }`
        [word @ Token { tree: Tree::Ident(name), .. }, group] => (without(name), (word.span, group.group(Delimiter::Brace)?)),
        [group] => match (group.group(Delimiter::Bracket).or(group.group(Delimiter::Brace)), group.group(Delimiter::Parenthesis))
        {
            (Some(inner), _) if split(inner, ',').len() == 1 => {
                let what = if group.group(Delimiter::Brace).is_some() { "braces" } else { "brackets" };
                (format!("the value of a block stands without {what}"), (group.span, inner))
            }
            (Some(inner), _) => ("the values of a block stand in parentheses".into(), (group.span, inner)),
            (_, Some(inner)) if inner.iter().any(|token| token.group(Delimiter::Bracket).is_some()) => {
                ("the values of a block are names, without their indices".into(), (group.span, inner))
            }
            _ => return None,
        },
        _ => return None,
    };
    let (at, inner) = group;
    let inner = match inner {
        [only] => only.group(Delimiter::Parenthesis).unwrap_or(inner),
        inner => inner,
    };
    let name = |part: &[Token]| match part {
        [Token { tree: Tree::Ident(name), .. }] => Some(name.clone()),
        [Token { tree: Tree::Ident(name), .. }, indices] if indices.group(Delimiter::Bracket).is_some() => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = inner.split(|token| token.is_punct(',')).map(name).collect::<Option<_>>()?;
    let value = if let [one] = &names[..] { one.clone() } else { format!("({})", names.join(", ")) };
    Some(Diagnostic::syntax(at, what).help(format!("write `{value}`")))
}

/// The fault of a tensor without its indices, if the block knows how many it has.
fn with_known_indices(fault: Diagnostic, before: &[Statement], tokens: &[Token], read: Reader) -> Diagnostic {
    let is_alone = fault.message.ends_with("has no left side");
    if !is_alone && !["has no indices", "names its labels first"].iter().any(|end| fault.message.ends_with(end)) {
        return fault;
    }
    let (left, right) = sides(tokens);
    let written = [left, &tokens[left.len()..tokens.len() - right.len()], &indexed(right, before, is_alone)].concat();
    if written == tokens {
        return fault;
    }
    match read(&written) {
        // The fault is the one of labels that are missing, and its help has the indices now.
        Err(found) if found.span == fault.span && found.message == fault.message => found,
        Err(_) => fault,
        Ok(_) => {
            let right = sides(&written).1;
            let end = right.iter().position(|token| token.is_ident("where")).unwrap_or(right.len());
            fault.help(format!("a tensor is written with its indices: `{}`", text(&right[..end])))
        }
    }
}

/// Tokens in which names that stand alone in parentheses have the indices that the block gave them, and so have all others if `all` is set.
fn indexed(tokens: &[Token], before: &[Statement], all: bool) -> Vec<Token> {
    let mut found = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let span = token.span;
        match &token.tree {
            Tree::Group(Delimiter::Parenthesis, inner) => {
                found.push(Token { tree: Tree::Group(Delimiter::Parenthesis, indexed(inner, before, true)), span });
            }
            Tree::Ident(name) => {
                found.push(token.clone());
                let known = if all && stands_alone(tokens, n) { labels(before, name) } else { None };
                found.extend(known.map(|labels| brackets(&labels, span)));
            }
            _ => found.push(token.clone()),
        }
    }
    found
}

/// Whether a name has no path, fields, arguments and indices.
fn stands_alone(tokens: &[Token], n: usize) -> bool {
    let joins = |token: &Token| token.is_punct('.') || token.is_punct(':');
    let follows = |token: &Token| joins(token) || matches!(token.tree, Tree::Group(..));
    !n.checked_sub(1).is_some_and(|n| joins(&tokens[n])) && !tokens.get(n + 1).is_some_and(follows)
}

/// Brackets with labels.
fn brackets(labels: &[&str], span: Span) -> Token {
    let mut inner = Vec::new();
    for (n, label) in labels.iter().enumerate() {
        inner.extend((n > 0).then_some(Token { tree: Tree::Punct(',', false), span }));
        inner.push(Token { tree: Tree::Ident(label.to_string()), span });
    }
    Token { tree: Tree::Group(Delimiter::Bracket, inner), span }
}

/// The fault of `cast(k)` where `k` is a result of the block.
fn bare_in_cast(before: &[Statement], statement: &Statement) -> Option<Diagnostic> {
    let Right::Expression(right) = &statement.right else { return None };
    let (named, hole) = cast_of_a_name(right, &|name| result(before, name).is_some())?;
    let (name, labels) = (&hole.text, labels(before, &hole.text).unwrap_or_default().join(", "));
    let fault =
        Diagnostic::syntax(hole.span, format!("`{name}` is a result of this block, and stands here without its brackets"));
    let named = named.map_or(String::new(), |named| format!("{named}; "));
    Some(fault.help(format!("write `cast({named}{name}[{labels}])`")))
}

/// The type of the first `cast` of a name alone for which a test holds, and the name.
fn cast_of_a_name<'e>(expression: &'e Expression, test: &dyn Fn(&str) -> bool) -> Option<(Option<&'e str>, &'e Hole)> {
    match &expression.kind {
        ExpressionKind::Cast(named, inner)
            if let ExpressionKind::Scalar(Scalar::Hole(hole)) = &inner.kind
                && test(&hole.text) =>
        {
            Some((named.as_ref().map(|named| named.text.as_str()), hole))
        }
        kind => kind.children().into_iter().find_map(|part| cast_of_a_name(part, test)),
    }
}

/// The fault of `grad(x; v[j])` where the block has given `x` indices.
fn bare_in_gradient(before: &[Statement], statement: &Statement, tokens: &[Token]) -> Option<Diagnostic> {
    let Right::Expression(right) = &statement.right else { return None };
    let (name, at) = bare_operand(right, &|name| labels(before, name).is_some())?;
    let defined = labels(before, name)?;
    let (left, right) = sides(tokens);
    let on_right = labels_in(right);
    // What the left side has, and nothing else on the right, are the indices of this operand.
    let mut missing = labels_in(left);
    missing.retain(|label| !on_right.contains(label));
    // With others the derivatives would be summed.
    if missing.len() != defined.len() {
        return None;
    }
    let written = text(call_around(&with_brackets(right, at, &missing), at)?);
    let message = format!("`{name}` has no indices here, and this block gave it `[{}]`", defined.join(", "));
    Some(Diagnostic::syntax(at, message).help(format!("write `{written}`")))
}

/// The first operand of a gradient that is a name alone for which a test holds.
fn bare_operand<'e>(expression: &'e Expression, test: &dyn Fn(&str) -> bool) -> Option<(&'e str, Span)> {
    if let ExpressionKind::Gradient(value, variables) = &expression.kind {
        for operand in [&**value].into_iter().chain(variables) {
            if let ExpressionKind::Operand(hole, _) = &operand.kind
                && operand.span == hole.span
                && test(&hole.text)
            {
                return Some((&hole.text, hole.span));
            }
        }
    }
    expression.kind.children().into_iter().find_map(|part| bare_operand(part, test))
}

/// Tokens with brackets behind the token at a place.
fn with_brackets(tokens: &[Token], at: Span, labels: &[&str]) -> Vec<Token> {
    let one = |token: &Token| match &token.tree {
        _ if token.span == at && matches!(token.tree, Tree::Ident(_)) => vec![token.clone(), brackets(labels, at)],
        Tree::Group(delimiter, inner) => {
            vec![Token { tree: Tree::Group(*delimiter, with_brackets(inner, at, labels)), span: token.span }]
        }
        _ => vec![token.clone()],
    };
    tokens.iter().flat_map(one).collect()
}

/// The innermost call of a function around a place.
fn call_around(tokens: &[Token], at: Span) -> Option<&[Token]> {
    let n = tokens.iter().position(|token| matches!(token.tree, Tree::Group(..)) && contains(token.span, at))?;
    let Tree::Group(delimiter, inner) = &tokens[n].tree else { return None };
    let is_call = *delimiter == Delimiter::Parenthesis && n > 0 && matches!(tokens[n - 1].tree, Tree::Ident(_));
    call_around(inner, at).or(is_call.then(|| &tokens[n - 1..=n]))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn names_of_the_block() {
        refused(&[
            (
                "let k = argmax(i; n[i]); let l = cast(k) * a[0, 1]; l",
                &["k: `k` is a result of this block, and stands here without its brackets | write `cast(k[])`"],
            ),
            (
                "let q = sum(i; n[i]); [i] = cast(f64; q) * v[i]",
                &["q: `q` is a result of this block, and stands here without its brackets | write `cast(f64; q[])`"],
            ),
            (
                "let x[i, j] = a[i, j]; [i] = cast(x) * v[i]",
                &["x: `x` is a result of this block, and stands here without its brackets | write `cast(x[i, j])`"],
            ),
            (
                "let x[i] = v[i] * w[i]; let d = sum(x * x); d",
                &["sum: `sum` names its labels first | write `sum(i; x[i] * x[i])`"],
            ),
            ("let x[i] = v[i] * w[i]; 2.0 * x", &["2.0: this equation has no left side | write `[i] = 2.0 * x[i]`"]),
            ("let x[i] = v[i] * w[i]; x + 1", &["x: this equation has no left side | write `[i] = x[i] + 1[i]`"]),
            (
                "let x[i] = v[i] * w[i]; let g[i, j] = grad(x; v[j]); g",
                &["x: `x` has no indices here, and this block gave it `[i]` | write `grad(x[i]; v[j])`"],
            ),
            (
                "let x[i] = v[i] * w[i]; [i, j] = 2.0 * grad(x; v[j])",
                &["x: `x` has no indices here, and this block gave it `[i]` | write `grad(x[i]; v[j])`"],
            ),
            (
                "let x[j] = v[j] * w[j]; let g[i, j] = grad(x; v[j]); g",
                &["x: `x` has no indices here, and this block gave it `[j]` | write `grad(x[i]; v[j])`"],
            ),
            (
                "let a[k, l] = b[k, l]; let s = a[i, j] * a[i, j]; let g[i, j] = grad(s; a); g",
                &["a: `a` has no indices here, and this block gave it `[k, l]` | write `grad(s; a[i, j])`"],
            ),
            (
                "let x[i] = v[i]; let y = norm(x); y",
                &["x: `x` has no indices | a tensor is written with its indices: `norm(x[i])`"],
            ),
            (
                "let x[i, j] = v[i] * w[j]; let y = norm(x) where i: 3; y",
                &["x: `x` has no indices | a tensor is written with its indices: `norm(x[i, j])`"],
            ),
            ("let x[i, j] = v[i] * w[j]; let y = sum(x); y", &["sum: `sum` names its labels first | write `sum(i, j; x[i, j])`"]),
            (
                "let x[i, j] = v[i] * w[j]; [i, j] = x[i, j] / max(x)",
                &["max: `max` names its labels first | write `max(k, l; x[k, l])`"],
            ),
        ]);
    }
}
