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
                if (word.is_ident("and") || word.is_ident("where")) && begins_item(rest) && is_whole(&tokens[start..n]) =>
            {
                1
            }
            [one, two, rest @ ..]
                if one.is_punct('&') && two.is_punct('&') && begins_item(rest) && is_whole(&tokens[start..n]) =>
            {
                2
            }
            _ => 0,
        };
        if joint > 0 || begins_item(&tokens[n..]) && is_whole(&tokens[start..n]) {
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

/// The tokens of `[i, j] = … where i: 3; j: 4` with a `,` for the `;`, and of a block's `where i: 3, j: 4;` with a `;` for the `,`; and the
/// faults.
pub(super) fn divided(tokens: &[Token]) -> Option<(Vec<Token>, Vec<Diagnostic>)> {
    if !tokens.iter().any(|token| token.is_ident("where")) {
        return None;
    }
    let lines: Vec<&[Token]> = tokens.split(|token| token.is_punct(';')).collect();
    let mut signs = tokens.iter().filter(|token| token.is_punct(';'));
    let (mut repaired, mut faults, mut n, mut in_header) = (Vec::new(), Vec::new(), 0, true);
    while n < lines.len() {
        let word = lines[n].iter().position(|token| token.is_ident("where"));
        let behind = lines[n + 1..].iter().take_while(|line| word.is_some_and(|word| word > 0) && is_labelled(line)).count();
        let (begin, mut first): (usize, Option<Span>) = (repaired.len(), None);
        repaired.extend_from_slice(lines[n]);
        let first_word = lines[n].first().filter(|first| first.is_ident("where") || first.is_ident("in"));
        in_header &= first_word.is_some() || is_labelled(lines[n]);
        if in_header && word == Some(0) {
            faults.extend(header(&mut repaired[begin..]));
        }
        for (line, sign) in lines[n + 1..=n + behind].iter().zip(signs.by_ref()) {
            first = first.or(Some(sign.span));
            repaired.push(comma(sign.span));
            repaired.extend_from_slice(line);
        }
        if let (Some(word), Some(at)) = (word, first) {
            faults.push(Diagnostic::syntax(at, BETWEEN).help(usage(&items(&repaired[begin + word + 1..]).0)));
        }
        repaired.extend(signs.next().cloned());
        n += 1 + behind;
    }
    if let Some((whole, fault)) = cut_off(&repaired) {
        repaired = whole;
        faults.push(fault);
    }
    (!faults.is_empty()).then_some((repaired, faults))
}

/// Puts a `;` in the place of each `,` between the items of a block's `where`, and returns the fault.
fn header(line: &mut [Token]) -> Option<Diagnostic> {
    let begins = |rest: &[Token]| {
        let end = rest.iter().position(|token| !matches!(token.tree, Tree::Ident(_)) && !token.is_punct(','));
        end.is_some_and(|end| end > 0 && is_labelled(&rest[end - 1..]))
    };
    let mut first = None;
    let mut has_extent = false;
    for n in 0..line.len() {
        has_extent |= line[n].is_punct(':');
        if has_extent && line[n].is_punct(',') && begins(&line[n + 1..]) {
            first = first.or(Some(line[n].span));
            line[n].tree = Tree::Punct(';', false);
            has_extent = false;
        }
    }
    let items: Vec<String> = line[1..].split(|token| token.is_punct(';')).map(item).collect();
    let fault = Diagnostic::syntax(first?, "items of a block's `where` have `;` between them");
    Some(fault.help(format!("write `where {};`", items.join("; "))))
}

/// The tokens of `[i] = …; where i: 3` without the `;`, and the fault.
fn cut_off(tokens: &[Token]) -> Option<(Vec<Token>, Diagnostic)> {
    let mut lines = tokens.rsplit(|token| token.is_punct(';'));
    let (last, before) = (lines.next()?, lines.next()?);
    let is_equation = before.iter().skip(1).any(|token| token.is_punct('='));
    let is_header = before.first().is_some_and(|first| first.is_ident("where") || first.is_ident("in"));
    let [word, ..] = last else { return None };
    if !word.is_ident("where") || !is_equation || is_header || before.iter().any(|token| token.is_ident("where")) {
        return None;
    }
    let n = tokens.len() - last.len() - 1;
    let fault = Diagnostic::syntax(tokens[n].span, "the `where` of an equation stands behind it without a `;`");
    // The equation of a `let` ends with a `;`.
    let (end, help) = match before.first().is_some_and(|first| first.is_ident("let")) {
        true => (Some(tokens[n].clone()), "write the `;` behind the `where`"),
        false => (None, "leave out the `;`"),
    };
    let repaired = tokens[..n].iter().chain(last).cloned().chain(end);
    Some((repaired.collect(), fault.help(help)))
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
