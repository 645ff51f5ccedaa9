//! Faults of what stands between the items of a `where`, and of items for several labels at once.

use super::claim::is_claim;
use super::cursor::split;
use super::unread::item;
use crate::diagnostic::Diagnostic;
use crate::token::{Delimiter, Span, Token, Tree, text};

/// What stands between items.
const BETWEEN: &str = "items of `where` have `,` between them";

/// The fault of `where i: 3 and sym(i, j)` and of `where i: 3 j: 4`.
pub(super) fn joined(tokens: &[Token]) -> Option<Diagnostic> {
    let (items, first) = items(tokens);
    Some(Diagnostic::syntax(first?, BETWEEN).help(usage(&items)))
}

fn usage(items: &[&[Token]]) -> String {
    format!("write `where {}`", items.iter().map(|one| item(one)).collect::<Vec<_>>().join(", "))
}

/// The items of a `where`, and where the first of them is that has no `,` before it. Labels without an extent are items here.
fn items(tokens: &[Token]) -> (Vec<&[Token]>, Option<Span>) {
    let (mut found, mut first, mut start) = (Vec::new(), None, 0);
    let mut n = 0;
    while n < tokens.len() {
        let joint = match &tokens[n..] {
            [comma, ..] if comma.is_punct(',') => 1,
            [word, rest @ ..]
                if (word.is_ident("and") || word.is_ident("where")) && is_whole(&tokens[start..n]) && begins_item(rest) =>
            {
                1
            }
            [one, two, rest @ ..]
                if one.is_punct('&') && two.is_punct('&') && is_whole(&tokens[start..n]) && begins_item(rest) =>
            {
                2
            }
            _ => 0,
        };
        if joint > 0 || is_whole(&tokens[start..n]) && begins_item(&tokens[n..]) {
            first = first.or((!tokens[n].is_punct(',')).then_some(tokens[n].span));
            found.push(&tokens[start..n]);
            start = n + joint;
        }
        n += joint.max(1);
    }
    found.push(&tokens[start..]);
    (found, first)
}

/// Whether tokens are a claim, or a label with an extent that may end here.
fn is_whole(tokens: &[Token]) -> bool {
    let ends = |last: &Token| !matches!(last.tree, Tree::Punct(..)) && !last.is_ident("as");
    is_claim(tokens) || tokens.iter().any(|token| token.is_punct(':')) && tokens.last().is_some_and(ends)
}

/// Whether a claim or a label with its extent begins tokens.
fn begins_item(tokens: &[Token]) -> bool {
    is_labelled(tokens) || (2..=3).any(|n| tokens.get(..n).is_some_and(is_claim))
}

/// Whether tokens begin with a label and a colon, which is no part of a path.
fn is_labelled(tokens: &[Token]) -> bool {
    let is_end = |next: Option<&Token>| next.is_none_or(|next| !next.is_punct(':'));
    matches!(tokens, [Token { tree: Tree::Ident(_), .. }, colon, ..] if colon.is_punct(':')) && is_end(tokens.get(2))
}

fn comma(span: Span) -> Token {
    Token { tree: Tree::Punct(',', false), span }
}

/// The fault of `(i, j): (3, 4)`.
pub(super) fn grouped(labels: &[Token], extents: &[Token]) -> Option<Diagnostic> {
    let inside = |token: &Token| {
        token.group(Delimiter::Parenthesis).or_else(|| token.group(Delimiter::Bracket)).map(|inner| split(inner, ',').len())
    };
    let [group] = labels else { return None };
    if inside(group)? == 0 {
        return None;
    }
    let parts = |token: &Token| -> Vec<String> {
        let inner = token.group(Delimiter::Parenthesis).or_else(|| token.group(Delimiter::Bracket)).unwrap_or_default();
        split(inner, ',').into_iter().map(text).collect()
    };
    let names = parts(group);
    let fault = Diagnostic::syntax(group.span, "labels stand in a `where` without parentheses or brackets");
    Some(fault.help(match extents {
        [extents] if inside(extents) == Some(names.len()) => {
            let items: Vec<String> = names.iter().zip(parts(extents)).map(|(name, extent)| format!("{name}: {extent}")).collect();
            format!("each label has its extent: `where {}`", items.join(", "))
        }
        [] => format!("write `where {}: n`", names.join(", ")),
        extent => format!("write `where {}: {}`", names.join(", "), text(extent)),
    }))
}

/// The tokens of `[i, j] = … where i: 3; j: 4` with a `,` for the `;`, and the fault.
pub(super) fn divided(tokens: &[Token]) -> Option<(Vec<Token>, Diagnostic)> {
    let lines: Vec<&[Token]> = tokens.split(|token| token.is_punct(';')).collect();
    let follows = |line: &[Token], next: &[Token]| line.iter().skip(1).any(|token| token.is_ident("where")) && is_labelled(next);
    if let Some(found) = cut_off(tokens, &lines) {
        return Some(found);
    }
    let first = lines.windows(2).position(|pair| follows(pair[0], pair[1]))?;
    let last = first + lines[first + 1..].iter().take_while(|line| is_labelled(line)).count();
    let mut repaired: Vec<Token> = Vec::new();
    let (mut at, mut written) = (None, None);
    for (n, line) in lines.iter().enumerate() {
        repaired.extend_from_slice(line);
        let Some(sign) = tokens.get(repaired.len()) else { break };
        at = at.or((n == first).then_some(sign.span));
        repaired.push(if (first..last).contains(&n) { comma(sign.span) } else { sign.clone() });
    }
    let begin = lines[..first].iter().map(|line| line.len() + 1).sum::<usize>();
    let merged = repaired[begin..].split(|token| token.is_punct(';')).next().unwrap_or_default();
    if let Some(word) = merged.iter().skip(1).position(|token| token.is_ident("where")) {
        written = Some(usage(&items(&merged[word + 2..]).0));
    }
    let fault = Diagnostic::syntax(at?, BETWEEN).help(written?);
    Some((repaired, fault))
}

/// The tokens of `[i] = …; where i: 3` without the `;`, and the fault.
fn cut_off(tokens: &[Token], lines: &[&[Token]]) -> Option<(Vec<Token>, Diagnostic)> {
    let [.., before, last] = lines else { return None };
    let is_equation = before.iter().skip(1).any(|token| token.is_punct('='));
    let is_header = before.first().is_some_and(|first| first.is_ident("where") || first.is_ident("in"));
    let [word, ..] = last else { return None };
    if !word.is_ident("where") || !is_equation || is_header || before.iter().any(|token| token.is_ident("where")) {
        return None;
    }
    let n = tokens.len() - last.len() - 1;
    let fault = Diagnostic::syntax(tokens[n].span, "the `where` of an equation stands behind it without a `;`");
    Some(([&tokens[..n], last].concat(), fault.help("leave out the `;`")))
}

#[cfg(test)]
mod tests {
    use crate::testing::refused;

    #[test]
    fn between_items() {
        refused(&[
            (
                "[i, j] = v[(i, j)] where (i, j): (3, 4)",
                &[
                    "(i, j): labels stand in a `where` without parentheses or brackets | each label has its extent: `where i: 3, j: 4`",
                ],
            ),
            (
                "[i, j] = v[(i, j)] where [i, j]: [3, n + 1]",
                &[
                    "[i, j]: labels stand in a `where` without parentheses or brackets | each label has its extent: `where i: 3, j: n + 1`",
                ],
            ),
            (
                "[i, j] = v[(i, j)] where (i, j): n",
                &["(i, j): labels stand in a `where` without parentheses or brackets | write `where i, j: n`"],
            ),
            ("[i, j] = v[(i, j)] where i: 3; j: 4", &[";: items of `where` have `,` between them | write `where i: 3, j: 4`"]),
            (
                "[i, j, k] = v[(i, j, k)] where i: 3; j: 4; k: 5",
                &[";: items of `where` have `,` between them | write `where i: 3, j: 4, k: 5`"],
            ),
            (
                "let x[i, j] = v[(i, j)] where i: 3; j: 4; x",
                &[";: items of `where` have `,` between them | write `where i: 3, j: 4`"],
            ),
            (
                "[i, j] = a[i, k] * a[j, k] where sym[i, j]",
                &["[i, j]: the labels of `sym` stand in parentheses | write `where sym(i, j)`"],
            ),
            (
                "[i, j] = a[i, k] * a[j, k] where i: 3, assume sym[i, j]",
                &["[i, j]: the labels of `sym` stand in parentheses | write `where assume sym(i, j)`"],
            ),
            (
                "[i, j] = a[i, k] * a[j, k] where sym(i, j) and i: &occ",
                &["and: items of `where` have `,` between them | write `where sym(i, j), i: &occ`"],
            ),
            (
                "[i, j] = a[i, k] * a[j, k] where i: n and assume sym(i, j)",
                &["and: items of `where` have `,` between them | write `where i: n, assume sym(i, j)`"],
            ),
            (
                "[i, j] = v[(i, j)] where i: 3 and j: 3",
                &["and: items of `where` have `,` between them | write `where i: 3, j: 3`"],
            ),
            ("[i, j] = v[(i, j)] where i: 3 && j: 3", &["&: items of `where` have `,` between them | write `where i: 3, j: 3`"]),
            ("[i, j] = v[(i, j)] where i: 3 j: 3", &["j: items of `where` have `,` between them | write `where i: 3, j: 3`"]),
            (
                "[i, j] = v[(i, j)] where i: m.n j: f(3), k: a::b",
                &["j: items of `where` have `,` between them | write `where i: m.n, j: f(3), k: a::b`"],
            ),
            (
                "[i, j] = a[i, k] * a[j, k] where sym(i, j) i: 3",
                &["i: items of `where` have `,` between them | write `where sym(i, j), i: 3`"],
            ),
            (
                "[i, j] = a[i, k] * a[j, k] where i: 3 sym(i, j)",
                &["sym: items of `where` have `,` between them | write `where i: 3, sym(i, j)`"],
            ),
            (
                "[i, j] = v[(i, j)] where i in occ",
                &[
                    "in: a sparse map in `where` is part of the language, but not of this version of tensorwrapper | a tiling, which cuts the index, is its extent: `where i: &occ`",
                ],
            ),
            (
                "[i, j] = v[(i, j)] where i in &self.occ",
                &[
                    "in: a sparse map in `where` is part of the language, but not of this version of tensorwrapper | a tiling, which cuts the index, is its extent: `where i: &self.occ`",
                ],
            ),
            (
                "[i, j] = v[(i, j)] where i: 3, j in occ",
                &[
                    "in: a sparse map in `where` is part of the language, but not of this version of tensorwrapper | a tiling, which cuts the index, is its extent: `where j: &occ`",
                ],
            ),
        ]);
    }
}
