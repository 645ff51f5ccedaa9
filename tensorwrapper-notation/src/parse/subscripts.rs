//! `"ik,kj->ij", a, b`: the call of `einsum!`.

use super::cursor::{hole, split};
use super::words::is_keyword;
use crate::diagnostic::Diagnostic;
use crate::syntax::Statement;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// Reads the subscripts and the operands.
pub(super) fn statement(tokens: &[Token]) -> Result<Statement, Diagnostic> {
    let mut parts = split(tokens, ',').into_iter();
    let usage = format!("write `{}`", usage(tokens));
    let Some([Token { tree: Tree::Literal(literal), span }]) = parts.next() else {
        return Err(not_first(tokens, usage));
    };
    let text = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(|text| !text.contains('\\'));
    let Some(text) = text else {
        return Err(Diagnostic::syntax(*span, "the subscripts are a plain string literal, without escapes").help(usage));
    };
    let mut operands = Vec::new();
    for part in parts.clone() {
        if part.is_empty() {
            return Err(Diagnostic::syntax(*span, "an operand is missing between two commas").help(usage));
        }
        if let Some(pair) = part.windows(2).find(|pair| pair.iter().all(is_operand)) {
            let [first, second] = [0, 1].map(|n| crate::token::text(&pair[n..=n]));
            let fault = Diagnostic::syntax(pair[1].span, format!("`,` is missing between the operands `{first}` and `{second}`"));
            return Err(fault.help(usage));
        }
        operands.push(hole(part));
    }
    if let ([group], None) = (parts.next().unwrap_or_default(), parts.next())
        && grouped(group).is_some_and(|inner| split(inner, ',').len() > 1)
    {
        return Err(Diagnostic::syntax(group.span, "the operands stand behind the subscripts without brackets").help(usage));
    }
    crate::einsum::einsum(text, &operands, Some(*span))
}

/// The fault of subscripts that are no literal, or no first argument.
fn not_first(tokens: &[Token], usage: String) -> Diagnostic {
    let at = tokens.first().map_or(Span::default(), |token| token.span);
    match tokens {
        [first, second, ..] if is_literal(first) => {
            Diagnostic::syntax(second.span, "the subscripts have `,` behind them").help(usage)
        }
        _ => {
            let fault = Diagnostic::syntax(at, "the subscripts are a string literal, and come first");
            fault.help(match tokens.iter().any(is_literal) {
                true => usage,
                false => format!("{usage}; subscripts in a variable are for the function, `einsum(subscripts, &[&a, &b])?`"),
            })
        }
    }
}

/// The call with what is written, in its order.
fn usage(tokens: &[Token]) -> String {
    let Some(literal) = tokens.iter().find(|token| is_literal(token)) else {
        return "einsum!(\"ik,kj->ij\", a, b)".into();
    };
    let is_end = |token: &Token| token.is_punct(',') || token.is_punct(';') || is_literal(token);
    let mut written = vec![text(std::slice::from_ref(literal))];
    for part in tokens.split(is_end).filter(|part| !part.is_empty()) {
        match part {
            [group] if let Some(inner) = grouped(group) => written.extend(split(inner, ',').into_iter().map(text)),
            // Names without a `,` between them.
            part if part.iter().all(is_operand) => written.extend(part.iter().map(|one| text(std::slice::from_ref(one)))),
            part => written.push(text(part)),
        }
    }
    if written.len() == 1 {
        written.extend(["a".to_string(), "b".to_string()]);
    }
    format!("einsum!({})", written.join(", "))
}

fn is_literal(token: &Token) -> bool {
    matches!(&token.tree, Tree::Literal(literal) if literal.starts_with('"'))
}

/// What stands in a list or a tuple.
fn grouped(token: &Token) -> Option<&[Token]> {
    token.group(Delimiter::Bracket).or_else(|| token.group(Delimiter::Parenthesis))
}

/// Whether a token is a name that may be an operand.
fn is_operand(token: &Token) -> bool {
    matches!(&token.tree, Tree::Ident(word) if !is_keyword(word) || word == "self")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fault of a call. Before `@` stands its beginning, at `@` the subscripts.
    fn fault(text: &str) -> String {
        let (before, behind) = text.split_once('@').unwrap_or((text, ""));
        let literal = Token { tree: Tree::Literal("\"ij,jk->ki\"".into()), span: Span::default() };
        let literal = if text.contains('@') { vec![literal] } else { Vec::new() };
        let lexed = |text: &str| crate::lex(text).unwrap();
        let found = statement(&[lexed(before), literal, lexed(behind)].concat()).unwrap_err();
        format!("{} | {}", found.message, found.help.unwrap_or_default())
    }

    #[test]
    fn helps_have_what_is_written() {
        let usage = "write `einsum!(\"ij,jk->ki\", b, a)`";
        for (text, message) in [
            ("@, b a", "`,` is missing between the operands `b` and `a`"),
            ("@; b, a", "the subscripts have `,` behind them"),
            ("@ b, a", "the subscripts have `,` behind them"),
            ("b, a, @", "the subscripts are a string literal, and come first"),
            ("@, [b, a]", "the operands stand behind the subscripts without brackets"),
            ("@, (b, a)", "the operands stand behind the subscripts without brackets"),
            ("@, b,, a", "an operand is missing between two commas"),
        ] {
            assert_eq!(fault(text), format!("{message} | {usage}"), "`{text}`");
        }
        assert_eq!(
            fault("subscripts, a, b"),
            "the subscripts are a string literal, and come first | write `einsum!(\"ik,kj->ij\", a, b)`; subscripts in a variable are for the function, `einsum(subscripts, &[&a, &b])?`"
        );
    }
}
