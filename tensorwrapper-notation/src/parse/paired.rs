//! Faults of several equations in one, `let (x[i], y[i]) = (v[i], w[i]);`, and of what stands behind a `,`.

use super::cursor::{Cursor, split};
use super::places::{has_word, span_of};
use super::unread::{LONGEST, labels_in};
use crate::diagnostic::Diagnostic;
use crate::token::{Delimiter, Token, Tree, text};

/// The fault of as many right sides as left sides. Only one operation has several results.
pub(super) fn paired(statement: &[Token]) -> Option<Diagnostic> {
    let n = statement.iter().position(|token| token.is_punct('='))?;
    let (left, right) = (&statement[..n], &statement[n + 1..]);
    let end = right.iter().position(|token| token.is_ident("where"));
    let right = &right[..end.unwrap_or(right.len())];
    let is_let = left.first().is_some_and(|first| first.is_ident("let"));
    let (lefts, rights) = (items(&left[usize::from(is_let)..]), items(right));
    if lefts.len() < 2 || lefts.len() != rights.len() || right.iter().any(|token| token.is_punct('=')) {
        return None;
    }
    let fault = Diagnostic::syntax(span_of(right), "each result has an equation of its own");
    // Which of the equations a `where` belongs to is not told.
    let code = if end.is_none() { apart(statement, is_let, &lefts, &rights) } else { None };
    Some(match code {
        Some(code) if code.chars().count() <= LONGEST => fault.help(format!("write `{code}`")),
        _ => fault.help("equations have `;` between them"),
    })
}

/// What stands between commas, perhaps in one pair of parentheses.
fn items(tokens: &[Token]) -> Vec<&[Token]> {
    match tokens {
        [group] => split(group.group(Delimiter::Parenthesis).unwrap_or(tokens), ','),
        tokens => split(tokens, ','),
    }
}

/// The equations one behind the other. `None` if one reads what an equation before it has made, so that its old value is lost.
fn apart(statement: &[Token], is_let: bool, lefts: &[&[Token]], rights: &[&[Token]]) -> Option<String> {
    let mut fresh = unused(statement);
    let (mut equations, mut values) = (Vec::new(), Vec::new());
    for (n, (left, right)) in lefts.iter().zip(rights).enumerate() {
        let written = match left {
            [brackets] if brackets.group(Delimiter::Bracket).is_some() && !is_let => {
                let name = fresh.next()?;
                values.push(name);
                format!("let {name}{}", text(left))
            }
            [Token { tree: Tree::Ident(name), .. }, ..] if is_let || left.len() > 1 => {
                if rights[n + 1..].iter().any(|later| has_word(later, name)) {
                    return None;
                }
                format!("{}{}", if is_let { "let " } else { "" }, text(left))
            }
            _ => return None,
        };
        equations.push(format!("{written} = {}", text(right)));
    }
    Some(as_block(&equations, &values))
}

/// Names for results that no word of a statement is.
pub(super) fn unused(statement: &[Token]) -> impl Iterator<Item = &'static str> {
    ["x", "y", "z", "u", "v", "w"].into_iter().filter(|name| !has_word(statement, name))
}

/// Equations one behind the other, and the values that they make. Without values, a `let` is followed by more lines.
pub(super) fn as_block(equations: &[String], values: &[&str]) -> String {
    let end = match values {
        [] if equations.iter().any(|equation| equation.starts_with("let ")) => ";".to_string(),
        [] => String::new(),
        values => format!("; ({})", values.join(", ")),
    };
    equations.join("; ") + &end
}

/// The help for what stands behind an equation and a `,`: the value of a block, or the extent of a label.
pub(super) fn behind_comma(cursor: &Cursor<'_>) -> Option<String> {
    let read = cursor.read();
    if !read.iter().any(|token| token.is_punct('=')) {
        return None;
    }
    match &cursor.rest()[1..] {
        [Token { tree: Tree::Ident(name), .. }] if !labels_in(read).contains(&name.as_str()) => {
            Some(format!("an equation and the value of the block have `;` between them: `{}; {name}`", text(read)))
        }
        [Token { tree: Tree::Ident(label), .. }, sign, extent @ ..]
            if (sign.is_punct('=') || sign.is_punct(':')) && !extent.is_empty() && labels_in(read).contains(&label.as_str()) =>
        {
            Some(format!("extents stand behind `where`: `where {label}: {}`", text(extent)))
        }
        _ => Some("an equation has one right side, and equations have `;` between them".into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn several_equations_in_one() {
        refused(&[
            (
                "let (x[i], y[i]) = (v[i], w[i]); (x, y)",
                &["(v[i], w[i]): each result has an equation of its own | write `let x[i] = v[i]; let y[i] = w[i];`"],
            ),
            (
                "([i], [j]) = (v[i], sum(k; a[j, k]))",
                &[
                    "(v[i], sum(k; a[j, k])): each result has an equation of its own | write `let x[i] = v[i]; let y[j] = sum(k; a[j, k]); (x, y)`",
                ],
            ),
            (
                "let (x[i], y[i]) = (y[i], x[i]); (x, y)",
                &["(y[i], x[i]): each result has an equation of its own | equations have `;` between them"],
            ),
            (
                "C[i], D[i] = A[i], B[i]",
                &["A[i], B[i]: each result has an equation of its own | write `C[i] = A[i]; D[i] = B[i]`"],
            ),
            (
                "([i], [j]) = (v[i], 1[j]) where i, j: n",
                &["(v[i], 1[j]): each result has an equation of its own | equations have `;` between them"],
            ),
            (
                "let L = a[i, j] * a[i, j]; let (g[i, j], h[k]) = (grad(L; a[i, j]), grad(L; x[k])); g",
                &[
                    "(grad(L; a[i, j]), grad(L; x[k])): each result has an equation of its own | write `let g[i, j] = grad(L; a[i, j]); let h[k] = grad(L; x[k]);`",
                ],
            ),
            (
                "let x[i] = v[i], y[i] = w[i]; (x, y)",
                &[",: expected an operator, found `,` | equations have `;` between them: `let x[i] = v[i]; let y[i] = w[i];`"],
            ),
            (
                "let x = v[i] * v[i], y = w[i] * v[i]; (x, y)",
                &[
                    ",: expected an operator, found `,` | equations have `;` between them: `let x = v[i] * v[i]; let y = w[i] * v[i];`",
                ],
            ),
            (
                "let C[i, j] = A[i, k] * B[k, j], C",
                &[
                    ",: expected an operator, found `,` | an equation and the value of the block have `;` between them: `let C[i, j] = A[i, k] * B[k, j]; C`",
                ],
            ),
            (
                "C[i, j] = A[i, k] * B[k, j], k",
                &[",: expected an operator, found `,` | an equation has one right side, and equations have `;` between them"],
            ),
            ("[i] = 1[i], i = 3", &[",: expected an operator, found `,` | extents stand behind `where`: `where i: 3`"]),
            ("let (g[i, j], h[k]) = grad(L; (a[i, j], x[k])); g", &[",: expected an operator, found `,`"]),
            (
                "let g[i, j], h[k] = grad(L; a[i, j], x[k]); (g, h)",
                &[",: several results stand in parentheses | write `let (g[i, j], h[k]) = …;`"],
            ),
        ]);
    }
}
