//! What other languages write where the grammar has something else, and what to write in its place.
//!
//! This file must not know the grammar: it looks at tokens that were refused.

use super::choices::choice;
use super::cursor::{Cursor, split};
use super::synonyms::{JOINED, synonym};
use super::unread::{first_term, is_condition, is_whole, items, label_of, labels_in, names, reduction_named, valued};
use crate::diagnostic::Diagnostic;
use crate::function::Function;
use crate::syntax::{Ending, Exchange, Factorisation};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The help for a token behind an expression.
pub(super) fn behind(cursor: &Cursor<'_>) -> Option<String> {
    let token = cursor.peek()?;
    let previous = match cursor.previous().map(|token| &token.tree) {
        Some(Tree::Ident(word)) => word.as_str(),
        _ => "",
    };
    match &token.tree {
        Tree::Ident(word) if matches!(word.as_str(), "and" | "or" | "not") || previous == "not" => Some(JOINED.into()),
        Tree::Ident(word) if word == "mod" => synonym(word),
        // `[i] = v[i] with i: 3`
        Tree::Ident(word) if word == "with" && cursor.peek_at(2).is_some_and(|next| next.is_punct(':')) => {
            Some(format!("extents stand behind `where`: `where {}`", items(&cursor.rest()[1..])))
        }
        // `on &ctx;`
        Tree::Punct('&', _) if matches!(previous, "on" | "with" | "using") && cursor.read().len() == 1 => {
            Some(format!("the context of a block is written `in {};`", text(cursor.rest())))
        }
        Tree::Ident(word) if word == "for" => {
            let help = "an equation runs over all values of its indices by itself: leave the loop out";
            Some(format!("{help}; a part of an axis is a slice, `a[i in 1..3]`"))
        }
        // `exp a[i]`
        Tree::Ident(_) if Function::from_name(previous).is_some() => {
            let is_indexed = cursor.peek_at(1).is_some_and(|next| next.group(Delimiter::Bracket).is_some());
            let argument = text(&cursor.rest()[..1 + usize::from(is_indexed)]);
            Some(format!("the argument of a function stands in parentheses: `{previous}({argument})`"))
        }
        // `sum_{j} A[i, j]`
        Tree::Group(Delimiter::Brace, labels) => {
            let name = reduction_named(previous.strip_suffix('_')?)?;
            let body = if cursor.rest().len() > 1 { text(first_term(&cursor.rest()[1..])) } else { "X".into() };
            let labels = names(labels).map_or_else(|| text(labels), |names| names.join(", "));
            Some(format!("the labels of a reduction stand in front of its body: `{name}({labels}; {body})`"))
        }
        // `qr(A[i, j])[0]`
        Tree::Group(Delimiter::Bracket, _) => {
            let name = cursor.read().iter().rev().nth(1)?;
            let kind = if let Tree::Ident(name) = &name.tree { Factorisation::from_name(name)? } else { return None };
            Some(format!("its results are named on the left side: `{}`", kind.form(false, false).usage))
        }
        Tree::Punct('.', true) if cursor.peek_pair('.', '=') => Some("an existing tensor is written by `=`".into()),
        Tree::Punct('<', true) if cursor.peek_pair('<', '-') => Some("an equation is written with `=`".into()),
        _ => None,
    }
}

/// The help for a token where an operand belongs.
pub(super) fn before(cursor: &Cursor<'_>) -> Option<String> {
    match cursor.peek()?.tree {
        Tree::Punct('.', _) => match cursor.peek_at(1) {
            Some(Token { tree: Tree::Literal(digits), .. }) => Some(format!("write `0.{digits}`")),
            _ => None,
        },
        // `(!m[i] ? a[i] : b[i])`
        Tree::Punct('!', _) => choice(cursor.all()),
        Tree::Punct('~', _) => Some("what does not hold is found by `!`: `!m[i]`".into()),
        Tree::Punct('@', _) => {
            let word = cursor.peek_at(1).map_or(String::new(), |next| text(std::slice::from_ref(next)));
            Some(format!("leave `@{word}` out: the equation stands in the macro alone"))
        }
        _ => None,
    }
}

/// The fault of `np.exp(a[i])` and `np.linalg.svd(a[i, j])`: a function by the module that has it elsewhere.
///
/// A variable may have the name of a module: only known functions of tensors are refused, and what is indexed is no such function.
pub(super) fn in_a_module<'a>(start: &Cursor<'a>, cursor: &Cursor<'a>, arguments: &[Token]) -> Option<Diagnostic> {
    let path = &start.rest()[..start.rest().len() - cursor.rest().len()];
    let is_path = path.iter().all(|token| matches!(token.tree, Tree::Ident(_)) || token.is_punct('.'));
    let ([Token { tree: Tree::Ident(module), .. }, .., word @ Token { tree: Tree::Ident(name), .. }], true) = (path, is_path)
    else {
        return None;
    };
    let is_module = matches!(module.as_str(), "np" | "numpy" | "torch" | "jnp" | "jax" | "tf" | "math" | "cmath" | "scipy");
    let is_indexed = cursor.peek_at(1).is_some_and(|next| next.group(Delimiter::Bracket).is_some());
    // The subscripts of `einsum` are in quotation marks, which are signs by themselves in a text that is read when the program runs.
    let is_quoted = |token: &Token| match &token.tree {
        Tree::Literal(literal) => literal.starts_with('"'),
        _ => token.is_punct('"'),
    };
    // Any other text is an argument of a method: `tf.phase("in")`.
    let reads_tensors = !labels_in(arguments).is_empty() || name == "einsum" && arguments.iter().any(is_quoted);
    let is_here = Function::from_name(name).is_some()
        || Exchange::from_name(name).is_some()
        || Factorisation::from_name(name).is_some()
        || matches!(name.as_str(), "powi" | "powf" | "select" | "clip");
    let ending = Ending::from_name(name).is_some();
    let choice = || choice(&[word.clone(), cursor.peek()?.clone()]);
    let help = match synonym(name).or_else(choice) {
        Some(help) => help,
        None if is_here || ending && arguments.iter().any(|token| token.is_punct(';')) => {
            format!("functions stand in no module: `{name}({})`", text(arguments))
        }
        None if ending => format!("functions stand in no module, and a reduction names its labels: `{name}(k; X)`"),
        None => return None,
    };
    let path_text = text(path);
    (is_module && reads_tensors && !is_indexed).then(|| {
        let at = cursor.hole_since(*start).span;
        Diagnostic::syntax(at, format!("`{path_text}` is no function of tensor equations")).help(help)
    })
}

/// What a whole axis is where nothing is known of the equation.
pub(super) const WHOLE: &str = "a whole axis has a label of its own";

/// The help for something that is not an index.
pub(super) fn index(tokens: &[Token]) -> Option<String> {
    let is_name = |token: &Token| matches!(token.tree, Tree::Ident(_));
    if tokens.windows(3).any(|three| three.iter().all(|token| token.is_punct('.'))) {
        return Some("the remaining axes are `..`, on the left side too: `[.., j] = A[.., j]`".into());
    }
    match tokens {
        _ if is_whole(tokens) => Some(WHOLE.into()),
        // `A[i: 1..3]`, `A[i = 1..3]`
        [label, sign, range @ ..]
            if is_name(label)
                && (sign.is_punct(':') || sign.is_punct('='))
                && range.windows(2).any(|pair| pair.iter().all(|token| token.is_punct('.'))) =>
        {
            Some(format!("a slice has `in` between its label and its range: `{} in {}`", text(&tokens[..1]), text(range)))
        }
        [_, _, _, ..] if tokens.iter().all(|token| is_name(token) && !token.is_ident("as")) => {
            let names: Vec<String> = tokens.iter().map(|token| text(std::slice::from_ref(token))).collect();
            Some(format!("labels have `,` between them: `{}`", names.join(", ")))
        }
        // `A[[i, j]]`
        [Token { tree: Tree::Group(Delimiter::Bracket, inner), .. }]
            if split(inner, ',').into_iter().all(|part| label_of(part).is_some()) =>
        {
            Some(format!("the indices of an operand stand in one pair of brackets: `A[{}]`", text(inner)))
        }
        // `A[j => 1]`
        [name, sign, arrow, _, ..] if is_name(name) && sign.is_punct('=') && arrow.is_punct('>') => Some(
            "axes have no names: a position stands at the place of its axis, and positions count from 0: the first is `0`".into(),
        ),
        // `A[j = 0]`
        [name, sign, place @ ..]
            if is_name(name)
                && sign.is_punct('=')
                && place.first().is_some_and(|first| !matches!(first.tree, Tree::Punct(..))) =>
        {
            let place = match place {
                [Token { tree: Tree::Literal(position), .. }] => position.clone(),
                place => format!("{{ {} }}", text(place)),
            };
            Some(format!("axes have no names: a position stands at the place of its axis, `{place}`"))
        }
        _ if is_condition(tokens) => Some(by_condition((&text(&compared_values(tokens)), "A[i]"), ["b", "a", "m"])),
        _ => part(tokens),
    }
}

/// The help for elements that a condition chooses. The names are those of the tensor of such elements, of the tensor that has them, and
/// of the tensor of truth values.
pub(super) fn by_condition((condition, element): (&str, &str), [result, tensor, mask]: [&str; 3]) -> String {
    format!(
        "a condition chooses among elements, `select({condition}; {element}, 0.0)`; those that fulfil it are \
         `let {result} = {tensor}.compress(&{mask})?;`, a method of whole tensors, where `{mask}` has the truth values"
    )
}

/// The condition `i == 0` about an index, with the value of that index: `iota[i] == 0`. The first name of a comparison is taken for an
/// index, and so are the letters that mostly are one: `i == n` compares with a number.
fn compared_values(tokens: &[Token]) -> Vec<Token> {
    let is_joint = |token: &Token| token.is_punct('&') || token.is_punct('|');
    let compares = |part: &&[Token]| part.iter().any(|token| ['<', '>', '='].iter().any(|&sign| token.is_punct(sign)));
    let first = |part: &[Token]| (0..part.len()).find_map(|n| bare_name(part, n).map(str::to_string));
    let names: Vec<String> = tokens.split(is_joint).filter(compares).filter_map(first).collect();
    let is_index = |name: &str| names.iter().any(|known| known == name) || matches!(name, "i" | "j" | "k" | "l");
    let indices: Vec<Span> = (0..tokens.len())
        .filter(|&n| bare_name(tokens, n).is_some_and(|name| !names.is_empty() && is_index(name)))
        .map(|n| tokens[n].span)
        .collect();
    valued(tokens, &|token| indices.contains(&token.span))
}

/// The name that stands there alone: no part of a path, no field, nothing that is indexed or called.
fn bare_name(tokens: &[Token], n: usize) -> Option<&str> {
    let Tree::Ident(name) = &tokens[n].tree else { return None };
    let joins = |token: &Token| token.is_punct('.') || token.is_punct(':') || token.is_ident("as");
    let follows = |token: &Token| joins(token) || matches!(token.tree, Tree::Group(..));
    let is_joined = n.checked_sub(1).is_some_and(|before| joins(&tokens[before])) || tokens.get(n + 1).is_some_and(follows);
    (!is_joined).then_some(name)
}

/// `0:3`, `:3`, `:-1`, `1:end`
fn part(tokens: &[Token]) -> Option<String> {
    let mut parts = tokens.split(|token| token.is_punct(':'));
    let (start, end) = (parts.next()?, parts.next()?);
    let is_path = tokens.windows(2).any(|pair| pair[0].is_punct(':') && pair[1].is_punct(':'));
    if is_path || parts.next().is_some() {
        return None;
    }
    let extent = if tokens.iter().any(|token| token.is_ident("n")) { "m" } else { "n" };
    let is_end = |token: &Token| token.is_ident("end");
    let counted = format!(", `{extent}` is the extent");
    // Languages that have `end` count from 1, and include it.
    if end.iter().any(is_end) {
        let first = match text(start).as_str() {
            "" | "1" => String::new(),
            start => match start.parse::<usize>() {
                Ok(place) => place.checked_sub(1)?.to_string(),
                Err(_) => format!("{{ {} - 1 }}", start.replacen("end", extent, 1)),
            },
        };
        let last = match end {
            [_] => String::new(),
            end => format!("{{ {} }}", text(end).replacen("end", extent, 1)),
        };
        let counted = if end.len() > 1 || start.iter().any(is_end) { &counted } else { "" };
        return Some(format!("a part of an axis has a label, `k in {first}..{last}`: positions count from 0{counted}"));
    }
    // Negative positions of Python count from the end.
    let place = |part: &[Token]| match part {
        [sign, number @ ..] if sign.is_punct('-') && !number.is_empty() => format!("{{ {extent} - {} }}", text(number)),
        part => text(part),
    };
    let is_negative = [start, end].iter().any(|part| part.first().is_some_and(|sign| sign.is_punct('-')));
    let counted = if is_negative { &counted } else { "" };
    Some(format!(
        "a part of an axis has a label, `k in {}..{}`: positions count from 0, the end is left out{counted}",
        place(start),
        place(end)
    ))
}
