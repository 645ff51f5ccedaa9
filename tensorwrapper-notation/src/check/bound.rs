//! Labels that a reduction binds although they are also used outside of it.

use super::checker::Checker;
use super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::lex::lex_written;
use crate::relabel::{renamed, unused};
use crate::sentence::quoted;
use crate::spelling;
use crate::syntax::{Expression, Name, Right};
use crate::token::{Delimiter, Token, Tree, text};

impl Checker<'_> {
    /// One fault for all labels of a reduction that are in scope around it.
    pub(super) fn bound_outside(&mut self, word: &str, labels: &[Name], body: &Expression, scope: &Scope) {
        let is_outside = |name: &&Name| scope.get(&name.text).is_some();
        // A list may name a label twice, and the help names it once.
        let is_first = |n: usize| !labels[..n].iter().any(|known| known.text == labels[n].text);
        let labels: Vec<&Name> = (0..labels.len()).filter(|&n| is_first(n)).map(|n| &labels[n]).collect();
        let outside: Vec<&Name> = labels.iter().copied().filter(is_outside).collect();
        let Some(first) = outside.first() else { return };
        let list = quoted(outside.iter().map(|name| &name.text));
        let (what, other) = match outside.len() {
            1 => (format!("index {list} is"), "the bound index another name"),
            _ => (format!("indices {list} are"), "the bound indices other names"),
        };
        let names: Vec<(&str, String)> = outside.iter().map(|name| name.text.as_str()).zip(self.unused()).collect();
        let renamed = |label: &str| names.iter().find(|(old, _)| *old == label).map(|(_, new)| new.clone());
        let over: Vec<String> = labels.iter().map(|name| renamed(&name.text).unwrap_or_else(|| name.text.clone())).collect();
        let body = with_labels(body, &names).unwrap_or_else(|| "…".to_string());
        let fault = Diagnostic::label(first.span, format!("{what} bound by `{word}` here, but also used outside of it"));
        let help = format!("give {other}: `{word}({}; {body})`", over.join(", "));
        self.faults.push(fault.help(help).operators(format!("give {other} than {list}")));
    }

    /// Names that nothing on the right has, and that are no labels.
    fn unused(&self) -> impl Iterator<Item = String> {
        let expressions = match self.right {
            Right::Expression(expression) => std::slice::from_ref(expression),
            Right::Factorisation(call) => &call.arguments,
        };
        let written: String = expressions.iter().map(|one| spelling::expression(one) + " ").collect();
        let words: Vec<String> = written.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_string).collect();
        unused(move |name| !self.names.contains(name) && !words.iter().any(|word| word == name))
    }
}

/// An expression with other labels: the first of each pair becomes the second.
fn with_labels(expression: &Expression, names: &[(&str, String)]) -> Option<String> {
    let tokens = lex_written(&spelling::expression(expression)).ok()?;
    Some(text(&renamed(&unbraced(&tokens, false), names)))
}

/// Tokens as they were written: a Rust fragment stands here in braces even where it had none. As an index, a name needs them.
fn unbraced(tokens: &[Token], are_indices: bool) -> Vec<Token> {
    let one = |token: &Token| {
        let tree = match &token.tree {
            Tree::Group(Delimiter::Brace, inner) => match &inner[..] {
                [Token { tree: Tree::Ident(written), .. }] if !are_indices || written.starts_with('{') => inner[0].tree.clone(),
                _ => token.tree.clone(),
            },
            Tree::Group(delimiter, inner) => {
                Tree::Group(*delimiter, unbraced(inner, are_indices || *delimiter == Delimiter::Bracket))
            }
            tree => tree.clone(),
        };
        Token { tree, span: token.span }
    };
    tokens.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn labels_that_are_also_used_outside() {
        refused(&[
            (
                "[i] = sum(k; A[i, k]) * B[k]",
                &[
                    "k: index `k` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(l; A[i, l])`",
                ],
            ),
            (
                "[i] = sum(i; A[i])",
                &[
                    "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; A[k])`",
                ],
            ),
            (
                "[i] = sum(i, i; A[i, i])",
                &[
                    "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; A[k, k])`",
                ],
            ),
            (
                "[i] = sum(i; A[i] * sum(i; B[i]))",
                &[
                    "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; A[k] * sum(i; B[i]))`",
                    "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; B[k])`",
                ],
            ),
            (
                "[i, j] = a[i, j] * sum(i, j; asym(i, j; a[i, j] + b[j, i]))",
                &[
                    "i: indices `i`, `j` are bound by `sum` here, but also used outside of it | give the bound indices other names: `sum(k, l; asym(k, l; a[k, l] + b[l, k]))`",
                ],
            ),
            (
                "[a, i] = sum(a, i; sym((a, i), (b, j); T[a, i, b, j])) * u[a, i] * 1[b, j]",
                &[
                    "a: indices `a`, `i` are bound by `sum` here, but also used outside of it | give the bound indices other names: `sum(k, l; sym((k, l), (b, j); T[k, l, b, j]))`",
                ],
            ),
            (
                "[i] = sum(i; A[i, { i }] * n * 1[i] * iota[i])",
                &[
                    "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; A[k, { i }] * n * 1[k] * iota[k])`",
                ],
            ),
            (
                "[i] = map(|x| x + t[0]; A[i]) * sum(i; map(|x| x + t[0]; A[i]))",
                &[
                    "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; map(|x| x + t[0]; A[k]))`",
                ],
            ),
            (
                "C[i] += sum(i; A[i])",
                &[
                    "i: index `i` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; A[k])`",
                ],
            ),
            (
                "[i] = A[i] * sum(j; B[j] * sum(j; A[j]))",
                &[
                    "j: index `j` is bound by `sum` here, but also used outside of it | give the bound index another name: `sum(k; A[k])`",
                ],
            ),
            (
                "[i, j] = a[i, j] / mean(i, j; self.a[i, j in 1..k] * { x })",
                &[
                    "i: indices `i`, `j` are bound by `mean` here, but also used outside of it | give the bound indices other names: `mean(l, m; self.a[l, m in 1..k] * { x })`",
                ],
            ),
        ]);
    }
}
