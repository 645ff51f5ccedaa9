//! Helps for calls of linear algebra without their left side, or with tensors that lack their indices: the example of the table, with
//! the names and labels that are already there.

use super::cursor::split;
use super::places::{has_word, operand_before, sides, span_of};
use super::unread::{is_bare, labels_in};
use crate::diagnostic::Diagnostic;
use crate::relabel::unused;
use crate::syntax::Factorisation;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The fault of `svd(a[i, j])` alone.
pub(super) fn without_left(kind: Factorisation, call: &[Token], inner: &[Token], at: Span) -> Diagnostic {
    let form = kind.form(false, false);
    let fault = Diagnostic::syntax(at, format!("`{}` names its results on the left", form.name));
    let written = Example::new(kind, call, inner).and_then(|example| {
        let (known, dropped) = example.labels_of_arguments()?;
        let names = example.names(&known, &dropped);
        Some(format!("{} = {}", text(&named(&example.left, &names)), example.call(&names)))
    });
    fault.help(format!("write `{}`", written.as_deref().unwrap_or(form.usage)))
}

/// The fault of `solve(a, v)`, whose tensors lack their indices.
pub(super) fn without_indices(kind: Factorisation, statement: &[Token], inner: &[Token]) -> Option<Diagnostic> {
    let example = Example::new(kind, statement, inner)?;
    let is_tensor = |argument: &[Token]| argument.iter().any(|token| token.group(Delimiter::Bracket).is_some());
    // The exponent of a power is a number.
    let mut tensors = example.arguments.iter().zip(&example.written).filter(|(argument, _)| is_tensor(argument));
    let (_, bare) = tensors.find(|(_, written)| is_bare(written))?;
    let (given, mut dropped) = example.labels_of_results(sides(statement).0).unwrap_or_default();
    let (mut names, others) = example.labels_of_arguments()?;
    dropped.extend(others);
    for (old, new) in given {
        if !names.iter().any(|(known, _)| *known == old) {
            names.push((old, new));
        }
    }
    let written = example.call(&example.names(&names, &dropped));
    let message = format!("`{}` has no indices", text(bare));
    Some(Diagnostic::syntax(span_of(bare), message).help(format!("a tensor is written with its indices: `{written}`")))
}

/// A label of the example, and what it is called here.
type Pair<'l> = (&'l str, String);

/// The example equation of an operation beside a call of it.
struct Example<'t> {
    name: &'static str,
    /// The statement with the call.
    statement: &'t [Token],
    left: Vec<Token>,
    arguments: Vec<Vec<Token>>,
    /// The arguments as they are written.
    written: Vec<&'t [Token]>,
    /// What is written behind them.
    options: String,
}

impl<'t> Example<'t> {
    /// The example for a call, unless the call names rows and columns or has another number of arguments.
    fn new(kind: Factorisation, statement: &'t [Token], inner: &'t [Token]) -> Option<Example<'t>> {
        let end = inner.iter().position(|token| token.is_punct(';')).unwrap_or(inner.len());
        let written = split(&inner[..end], ',');
        let options = if end < inner.len() { text(&inner[end..]) } else { String::new() };
        let form = kind.form(false, false);
        let usage = crate::lex(form.usage_of(written.len() - usize::from(form.has_exponent && !written.is_empty()))).ok()?;
        let (left, right) = sides(&usage);
        let call = right.get(1)?.group(Delimiter::Parenthesis)?;
        let arguments: Vec<Vec<Token>> = split(call, ',').into_iter().map(<[Token]>::to_vec).collect();
        let is_whole = arguments.len() == written.len() && !options.contains('[') && written.iter().all(|part| !part.is_empty());
        is_whole.then(|| Example { name: form.name, statement, left: left.to_vec(), arguments, written, options })
    }

    /// What the written arguments call the labels of the example, and those labels that they lack: a vector is one right side. `None` if
    /// an argument has other axes.
    fn labels_of_arguments(&self) -> Option<(Vec<Pair<'_>>, Vec<&str>)> {
        let (mut found, mut dropped) = (Vec::new(), Vec::new());
        for (n, (example, written)) in self.arguments.iter().zip(&self.written).enumerate() {
            if is_bare(written) || example.iter().all(|token| token.group(Delimiter::Bracket).is_none()) {
                continue;
            }
            let is_operand = written.len() > 1 && operand_before(written, written.len() - 1).len() + 1 == written.len();
            let lacking = pair(&labels_in(example), written.last().filter(|_| is_operand)?, &mut found)?;
            if n == 0 && !lacking.is_empty() {
                return None;
            }
            dropped.extend(lacking);
        }
        Some((found, dropped))
    }

    /// What the left side calls the labels of the example, and those labels that it lacks: of one right side there is no second axis.
    fn labels_of_results(&self, left: &[Token]) -> Option<(Vec<Pair<'_>>, Vec<&str>)> {
        let (example, written) = (brackets(&self.left), brackets(left));
        if example.len() != written.len() {
            return None;
        }
        let (mut found, mut dropped) = (Vec::new(), Vec::new());
        for (example, written) in example.into_iter().zip(written) {
            dropped.extend(pair(&labels_in(std::slice::from_ref(example)), written, &mut found)?);
        }
        Some((found, dropped))
    }

    /// The names of all labels of the example: those that are known, and others that nothing else in the statement has, except a label
    /// on its left.
    fn names<'l>(&'l self, known: &[Pair<'l>], dropped: &[&str]) -> Vec<Pair<'l>> {
        let mut names = known.to_vec();
        let (left, right) = sides(self.statement);
        let on_left = labels_in(left);
        let is_word = |name: &str| has_word(right, name) || has_word(left, name) && !on_left.contains(&name);
        let all = labels_in(&self.left).into_iter().chain(self.arguments.iter().flat_map(|argument| labels_in(argument)));
        for label in all.filter(|label| !dropped.contains(label)) {
            if names.iter().any(|(old, _)| *old == label) {
                continue;
            }
            let is_known = |name: &str| names.iter().any(|(_, new)| new == name);
            let is_free = |name: &str| !is_known(name) && !has_word(self.statement, name);
            let other = if is_known(label) || is_word(label) { unused(is_free).next() } else { None };
            names.push((label, other.unwrap_or_else(|| label.to_string())));
        }
        names
    }

    /// The call with indices for those tensors that lack them.
    fn call(&self, names: &[Pair<'_>]) -> String {
        let one = |(example, written): (&Vec<Token>, &&[Token])| match named(example, names).last() {
            Some(token) if is_bare(written) && token.group(Delimiter::Bracket).is_some() => {
                text(&[written, std::slice::from_ref(token)].concat())
            }
            _ => text(written),
        };
        let arguments: Vec<String> = self.arguments.iter().zip(&self.written).map(one).collect();
        format!("{}({}{})", self.name, arguments.join(", "), self.options)
    }
}

/// Tokens of the example with other names for its labels, and without those that have none.
fn named(tokens: &[Token], names: &[Pair<'_>]) -> Vec<Token> {
    let one = |token: &Token| {
        let tree = match &token.tree {
            Tree::Group(Delimiter::Bracket, inner) => {
                let of = |label: &str| names.iter().find(|(old, _)| *old == label).map(|(_, new)| new.as_str());
                let labels: Vec<&str> = labels_in(std::slice::from_ref(token)).into_iter().filter_map(of).collect();
                let span = inner.first().map_or(token.span, |first| first.span);
                let all = Token { tree: Tree::Ident(labels.join(", ")), span };
                Tree::Group(Delimiter::Bracket, if labels.is_empty() { Vec::new() } else { vec![all] })
            }
            Tree::Group(delimiter, inner) => Tree::Group(*delimiter, named(inner, names)),
            tree => tree.clone(),
        };
        Token { tree, span: token.span }
    };
    tokens.iter().map(one).collect()
}

/// The groups in brackets, also those in parentheses.
fn brackets(tokens: &[Token]) -> Vec<&Token> {
    let mut found = Vec::new();
    for token in tokens {
        match &token.tree {
            Tree::Group(Delimiter::Bracket, _) => found.push(token),
            Tree::Group(Delimiter::Parenthesis, inner) => found.extend(brackets(inner)),
            _ => {}
        }
    }
    found
}

/// Gives labels of the example the names that brackets have, and returns those for which there are none. `None` if the brackets have
/// more labels, or other ones than before.
fn pair<'l>(example: &[&'l str], written: &Token, found: &mut Vec<Pair<'l>>) -> Option<Vec<&'l str>> {
    let inner = written.group(Delimiter::Bracket)?;
    let parts = split(inner, ',');
    let labels: Vec<&str> = parts
        .iter()
        .map(|part| match part {
            [Token { tree: Tree::Ident(label), .. }] => Some(label.as_str()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    if labels.len() > example.len() {
        return None;
    }
    for (old, new) in example.iter().zip(&labels) {
        match found.iter().find(|(known, name)| known == old || name == new) {
            Some((known, name)) if known == old && name == new => {}
            Some(_) => return None,
            None => found.push((old, new.to_string())),
        }
    }
    Some(example[labels.len()..].to_vec())
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn linear_algebra() {
        refused(&[
            ("svd(a[i, j])", &["svd: `svd` names its results on the left | write `([i, r], [r], [r, j]) = svd(a[i, j])`"]),
            (
                "svd(t[x, y]; max = 3)",
                &["svd: `svd` names its results on the left | write `([x, r], [r], [r, y]) = svd(t[x, y]; max = 3)`"],
            ),
            (
                "svd(a[x, y]; max = r)",
                &["svd: `svd` names its results on the left | write `([x, k], [k], [k, y]) = svd(a[x, y]; max = r)`"],
            ),
            ("i[j] = solve(a, v)", &["a: `a` has no indices | a tensor is written with its indices: `solve(a[k, j], v[k])`"]),
            (
                "[i] = solve(a, v) where k: 3",
                &["a: `a` has no indices | a tensor is written with its indices: `solve(a[l, i], v[l])`"],
            ),
            ("([n], [p, n]) = eigh(q)", &["q: `q` has no indices | a tensor is written with its indices: `eigh(q[p, k])`"]),
            ("eigh(f[i, j])", &["eigh: `eigh` names its results on the left | write `([n], [i, n]) = eigh(f[i, j])`"]),
            (
                "solve(a[r, s], b[r, t])",
                &["solve: `solve` names its results on the left | write `[s, t] = solve(a[r, s], b[r, t])`"],
            ),
            ("solve(a[i, j], b[i])", &["solve: `solve` names its results on the left | write `[j] = solve(a[i, j], b[i])`"]),
            ("qr(a)", &["qr: `qr` names its results on the left | write `([i, r], [r, j]) = qr(a[i, j])`"]),
            ("qr(a[i, j, k])", &["qr: `qr` names its results on the left | write `([i, r], [r, j]) = qr(A[i, j])`"]),
            ("[i] = solve(a, v)", &["a: `a` has no indices | a tensor is written with its indices: `solve(a[k, i], v[k])`"]),
            (
                "[i, j] = solve(a[k, i], self.b)",
                &["self.b: `self.b` has no indices | a tensor is written with its indices: `solve(a[k, i], self.b[k, j])`"],
            ),
            ("([k], [p, k]) = eigh(b)", &["b: `b` has no indices | a tensor is written with its indices: `eigh(b[p, q])`"]),
            ("[] = det(a)", &["a: `a` has no indices | a tensor is written with its indices: `det(a[i, j])`"]),
            ("[i, j] = inv(a)", &["a: `a` has no indices | a tensor is written with its indices: `inv(a[j, i])`"]),
            ("[i, j] = matpow(m, n)", &["m: `m` has no indices | a tensor is written with its indices: `matpow(m[i, j], n)`"]),
            (
                "let (e[n], C[q, n]) = eigh(h.f); e",
                &["h.f: `h.f` has no indices | a tensor is written with its indices: `eigh(h.f[q, k])`"],
            ),
            (
                "([i, k], [k, j]) = qr(a[i, j]).unwrap()",
                &[
                    ".unwrap: `.unwrap` cannot follow an equation | leave it out: `tensor!` panics by itself, and `try_tensor!` gives a `Result`",
                ],
            ),
            (
                "([i, k], [k, j]) = qr(a[i, j])?",
                &[
                    "?: expected an operator, found `?` | leave it out: `tensor!` panics by itself, and `try_tensor!` gives a `Result`",
                ],
            ),
            ("[] = ||v[i]||", &["|: expected an operand, found `|` | a norm is `norm(v[i])`, alone on the right side"]),
        ]);
    }
}
