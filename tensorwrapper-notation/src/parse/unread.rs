//! What tokens that are not read yet have: labels, and signs that compare.

pub(super) use crate::relabel::{label_of, labels_in};
use crate::syntax::Ending;
use crate::token::{Delimiter, Token, Tree, text};

/// Whether an index is `:`, `*` or `1:end`. Languages that have `end` count from 1.
pub(super) fn is_whole(part: &[Token]) -> bool {
    match part {
        [sign] => sign.is_punct('*') || sign.is_punct(':'),
        [start @ .., colon, end] => colon.is_punct(':') && end.is_ident("end") && matches!(text(start).as_str(), "" | "1"),
        [] => false,
    }
}

/// The longest code that a help repeats.
pub(super) const LONGEST: usize = 120;

/// Whether tokens are one word.
pub(super) fn is_name(part: &&[Token]) -> bool {
    matches!(part, [Token { tree: Tree::Ident(_), .. }])
}

/// Whether tokens are a name, perhaps with a path or fields, and nothing else.
pub(super) fn is_bare(tokens: &[Token]) -> bool {
    let is_word = |token: &Token| matches!(token.tree, Tree::Ident(_));
    tokens.last().is_some_and(is_word) && tokens.iter().all(|token| is_word(token) || token.is_punct('.') || token.is_punct(':'))
}

/// The start of a range, the `=` of its end if it has one, and the end.
pub(super) fn bounds(range: &[Token]) -> Option<(&[Token], &'static str, &[Token])> {
    let dots = range.windows(2).position(|pair| pair.iter().all(|token| token.is_punct('.')))?;
    Some(match &range[dots + 2..] {
        [first, end @ ..] if first.is_punct('=') => (&range[..dots], "=", end),
        end => (&range[..dots], "", end),
    })
}

/// Names with `,` between them, or with nothing.
pub(super) fn names(tokens: &[Token]) -> Option<Vec<&str>> {
    let found: Vec<&str> = tokens
        .iter()
        .filter(|token| !token.is_punct(','))
        .map(|token| match &token.tree {
            Tree::Ident(name) => Some(name.as_str()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    (!found.is_empty()).then_some(found)
}

/// The labels of `{ik}` and `{i k}`, which are written as in a formula, beside labels that are known. Nothing if these are other words:
/// the subscript of `x_{old}` has no letter that is a label.
pub(super) fn labels_of_letters(tokens: &[Token], known: &[&str]) -> String {
    let found = names(tokens).unwrap_or_default();
    let are_letters = found.iter().all(|name| name.chars().count() <= 4 && name.chars().all(char::is_alphabetic));
    match &found[..] {
        [joined] if are_letters && !known.contains(joined) => {
            let letters: Vec<String> = joined.chars().map(String::from).collect();
            let is_any_known = letters.iter().any(|letter| known.contains(&letter.as_str()));
            if is_any_known { letters.join(", ") } else { String::new() }
        }
        several if are_letters => several.join(", "),
        _ => String::new(),
    }
}

/// An item of a `where` as a person would write it.
pub(super) fn item(tokens: &[Token]) -> String {
    let is_of_label = |token: &Token| matches!(token.tree, Tree::Ident(_)) || token.is_punct(',');
    match tokens.iter().position(|token| token.is_punct(':')) {
        Some(n) if tokens[..n].iter().all(is_of_label) => format!("{}: {}", text(&tokens[..n]), text(&tokens[n + 1..])),
        _ => text(tokens),
    }
}

/// Items of a `where`, likewise.
pub(super) fn items(tokens: &[Token]) -> String {
    tokens.split(|token| token.is_punct(',')).map(item).collect::<Vec<_>>().join(", ")
}

/// The tokens up to the next term, or to a `where`.
pub(super) fn first_term(tokens: &[Token]) -> &[Token] {
    let ends = |token: &Token| token.is_punct('+') || token.is_punct('-') || token.is_ident("where");
    let end = tokens.iter().skip(1).position(ends).map_or(tokens.len(), |n| n + 1);
    &tokens[..end]
}

/// The reduction of a name, or of the letter by which it is written in formulas.
pub(super) fn reduction_named(name: &str) -> Option<&str> {
    match name {
        "Σ" => Some("sum"),
        "Π" => Some("prod"),
        _ => Ending::from_name(name).map(|_| name),
    }
}

/// The reduction and the labels of `sum_k` and `Σ_ij`, if all of these are labels of what follows.
pub(super) fn subscripted<'w>(word: &'w str, known: &[&str]) -> Option<(&'w str, String)> {
    let (name, label) = word.split_once('_')?;
    let (name, label) = (reduction_named(name)?, label.strip_prefix("over_").unwrap_or(label));
    if known.contains(&label) {
        return Some((name, label.to_string()));
    }
    let mut letters: Vec<String> = label.chars().map(String::from).collect();
    letters.dedup();
    let are_known = letters.iter().all(|letter| known.contains(&letter.as_str()));
    (!letters.is_empty() && are_known).then(|| (name, letters.join(", ")))
}

/// The array that a list of positions is: `[0, 2]`, `&[0, 2]`, `vec![0, 2]`.
pub(super) fn list(range: &[Token]) -> Option<String> {
    let list = match without_reference(range) {
        [list] => list,
        [word, sign, list] if word.is_ident("vec") && sign.is_punct('!') => list,
        _ => return None,
    };
    list.group(Delimiter::Bracket).map(|inner| format!("[{}]", text(inner)))
}

/// What a `&` before it refers to.
pub(super) fn without_reference(part: &[Token]) -> &[Token] {
    match part {
        [sign, part @ ..] if sign.is_punct('&') => part,
        part => part,
    }
}

/// Whether an index is `..`, which stands for any number of axes.
pub(super) fn is_rest(part: &[Token]) -> bool {
    matches!(part, [first, second, ..] if first.is_punct('.') && second.is_punct('.'))
}

/// Tokens with the values of the labels among them.
pub(super) fn valued(tokens: &[Token], is_label: &dyn Fn(&Token) -> bool) -> Vec<Token> {
    let one = |token: &Token| {
        let tree = match &token.tree {
            Tree::Ident(name) if is_label(token) => Tree::Ident(format!("iota[{name}]")),
            // Labels between brackets remain labels.
            Tree::Group(Delimiter::Parenthesis, inner) => Tree::Group(Delimiter::Parenthesis, valued(inner, is_label)),
            other => other.clone(),
        };
        Token { tree, span: token.span }
    };
    tokens.iter().map(one).collect()
}

/// Tokens with the values of these labels among them.
pub(super) fn with_values(tokens: &[Token], labels: &[&str]) -> Vec<Token> {
    valued(tokens, &|token| matches!(&token.tree, Tree::Ident(name) if labels.contains(&name.as_str())))
}

/// Tokens with labels behind each number that is a term by itself: a number has none.
pub(super) fn with_spread(tokens: &[Token], labels: &[&str]) -> Vec<Token> {
    let ends =
        |token: Option<&Token>| token.is_none_or(|token| token.is_punct('+') || token.is_punct('-') || token.is_punct('='));
    let mut found = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        found.push(token.clone());
        let before = n.checked_sub(1).map(|n| &tokens[n]);
        if matches!(token.tree, Tree::Literal(_)) && ends(before) && ends(tokens.get(n + 1)) && !labels.is_empty() {
            let all = Token { tree: Tree::Ident(labels.join(", ")), span: token.span };
            found.push(Token { tree: Tree::Group(Delimiter::Bracket, vec![all]), span: token.span });
        }
    }
    found
}

/// Whether tokens are a comparison as a whole, and not only in parentheses. Loops and choices of other languages are none.
pub(super) fn is_comparison(tokens: &[Token]) -> bool {
    let is_group = |token: &&Token| matches!(token.tree, Tree::Group(..));
    let is_other = |token: &Token| ["for", "if", "else", "where"].iter().any(|word| token.is_ident(word)) || token.is_punct('?');
    let outside: Vec<Token> = tokens.iter().filter(|token| !is_group(token)).cloned().collect();
    is_condition(&outside) && !tokens.iter().any(is_other)
}

/// Whether tokens compare, so that they are no expression.
pub(super) fn is_condition(tokens: &[Token]) -> bool {
    let is_before = |n: usize, test: &dyn Fn(&Tree) -> bool| n.checked_sub(1).is_some_and(|before| test(&tokens[before].tree));
    let is_next = |n: usize, sign: char| tokens.get(n + 1).is_some_and(|next| next.is_punct(sign));
    // Types of a Rust path stand between `::<` and `>`.
    let mut types = 0usize;
    tokens.iter().enumerate().any(|(n, token)| match &token.tree {
        Tree::Punct('<', _) if types > 0 || is_before(n, &|tree| matches!(tree, Tree::Punct(':', _))) => {
            types += 1;
            false
        }
        // Arrows do not compare.
        Tree::Punct('>', _) if is_before(n, &|tree| matches!(tree, Tree::Punct('-' | '=', true))) => false,
        Tree::Punct('>', _) if types > 0 => {
            types -= 1;
            false
        }
        Tree::Punct('<' | '>', _) => true,
        Tree::Punct('=', true) => is_next(n, '='),
        Tree::Punct(sign @ ('&' | '|'), true) => is_next(n, *sign),
        Tree::Punct('!', _) => n == 0 || is_next(n, '=') || is_before(n, &|tree| matches!(tree, Tree::Punct('&' | '|', _))),
        // Parentheses behind a name are those of a function.
        Tree::Group(Delimiter::Parenthesis, inner) => {
            !is_before(n, &|tree| matches!(tree, Tree::Ident(_))) && is_condition(inner)
        }
        _ => false,
    })
}
