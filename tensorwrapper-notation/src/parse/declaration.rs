//! `where i, j: n; r: ..=chi, asym(i, j)`: extents of labels, bounds on the extents that a truncation decides, and claims of symmetry.
//!
//! A bound becomes the `max` of the `svd` that makes the index, so that only the grammar knows of bounds.

use super::claim::{claim, in_header, is_claim, no_claim};
use super::cursor::{Cursor, hole, split};
use super::index::{integer, labels};
use super::items::{grouped, joined};
use super::places::sides;
use super::unread::{is_condition, labels_in, without_reference};
use crate::diagnostic::Diagnostic;
use crate::syntax::{
    Claim, Count, Declaration, Decomposition, Expression, ExpressionKind, Factorisation, Index, LeftSide, Name, Right, Statement,
    Target, Word,
};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// What a `where` declares.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) extents: Vec<Declaration>,
    pub(super) bounds: Vec<Bound>,
    pub(super) claims: Vec<Claim>,
}

/// `r: ..=chi`
pub(super) struct Bound {
    labels: Vec<Name>,
    most: Count,
    /// Where `..=` was written.
    span: Span,
}

/// One item of a `where`.
pub(super) enum WhereItem {
    Extent(Declaration),
    Bound(Bound),
}

impl WhereItem {
    pub(super) fn sort(self, extents: &mut Vec<Declaration>, bounds: &mut Vec<Bound>) {
        match self {
            WhereItem::Extent(declaration) => extents.push(declaration),
            WhereItem::Bound(bound) => bounds.push(bound),
        }
    }
}

/// What a `where` is for.
const EXTENTS: &str = "`where` gives extents to labels, after `:`";

/// Whether tokens begin with `i, j:`, so that they continue a header.
pub(super) fn is_declaration(tokens: &[Token]) -> bool {
    let colon = tokens.iter().position(|t| t.is_punct(':'));
    colon.is_some_and(|n| {
        n > 0 && tokens[..n].iter().all(|t| matches!(t.tree, Tree::Ident(_)) && !t.is_ident("let") || t.is_punct(','))
    })
}

/// The `where` of a block.
pub(super) fn header(tokens: &[Token], span: Span, allowed: bool) -> Result<WhereItem, Diagnostic> {
    if !allowed {
        return Err(Diagnostic::syntax(span, "the block's `where` stands before its equations")
            .help("move it to the top, or write it without the `;` before it for one equation alone"));
    }
    declaration(tokens, span)
}

/// `i, j: n` or `r: ..=n`
pub(super) fn declaration(tokens: &[Token], span: Span) -> Result<WhereItem, Diagnostic> {
    if is_claim(tokens) {
        return Err(in_header(tokens, span));
    }
    let fault = Diagnostic::syntax(span, EXTENTS);
    let within = tokens.split(|t| t.is_punct(',')).find_map(|part| Some((part, part.iter().find(|t| t.is_ident("in"))?)));
    if let Some((part, Token { span, .. })) = within {
        let is_range = part.windows(2).any(|pair| pair[0].is_punct('.') && pair[1].is_punct('.'));
        return Err(match is_range {
            true => fault.help(format!("a part of an axis is a slice in the brackets of an operand: `A[{}]`", text(part))),
            false => sparse_map(part, *span),
        });
    }
    if let Some(fault) = no_claim(tokens, &[]) {
        return Err(fault);
    }
    let Some(colon) = tokens.iter().position(|t| t.is_punct(':')) else {
        if let Some(help) = largest(tokens) {
            return Err(fault.help(help));
        }
        if is_condition(tokens) {
            return Err(fault.help("a condition stands in a choice for each element, as in `select(iota[i] < iota[j]; X, 0.0)`"));
        }
        // `C[i, j] = C[j, i]`; in `i = dims[0]` the extent has the brackets.
        if tokens.windows(2).any(|pair| pair[0].group(Delimiter::Bracket).is_some() && pair[1].is_punct('=')) {
            return Err(fault.help("a symmetry of the left side is claimed as `where sym(i, j)`"));
        }
        let names: Vec<&Token> = tokens.iter().take_while(|t| !t.is_punct('=')).collect();
        return Err(match tokens.get(names.len() + 1..) {
            Some(extent) if !names.is_empty() && !extent.is_empty() => fault.help(format!(
                "write `where {}: {}`",
                text(&tokens[..names.len()]),
                text(extent).trim_end_matches([',', ' '])
            )),
            _ => fault.help("write `where i, j: n`"),
        });
    };
    if let Some(fault) = grouped(&tokens[..colon], &tokens[colon + 1..]) {
        return Err(fault);
    }
    let labels = labels(&tokens[..colon], span)?;
    if labels.is_empty() {
        return Err(Diagnostic::syntax(span, "a label is missing before `:`"));
    }
    Ok(match &tokens[colon + 1..] {
        [a, b, c, most @ ..] if a.is_punct('.') && b.is_punct('.') && c.is_punct('=') => WhereItem::Bound(Bound {
            labels,
            most: count(most, c.span, "write `where r: ..=64` or `where r: ..=chi`")?,
            span: a.span,
        }),
        // `r: <= 64`
        [less, equal, most @ ..] if less.is_punct('<') && equal.is_punct('=') && !most.is_empty() => {
            let fault = Diagnostic::syntax(less.span, "a bound on an extent is its largest value, after `..=`");
            return Err(fault.help(format!("write `where {}: ..={}`", text(&tokens[..colon]), text(most))));
        }
        [first, ..] if first.is_punct('.') => {
            return Err(Diagnostic::syntax(first.span, "a bound on an extent is its largest value, after `..=`")
                .help("write `where r: ..=64` or `where r: ..=chi`"));
        }
        extent => WhereItem::Extent(Declaration {
            labels,
            extent: count(extent, tokens[colon].span, "write `where i: 4` or `where i: n`")?,
        }),
    })
}

/// The help for `r <= 2`, which may be meant for an index that `svd` makes.
fn largest(tokens: &[Token]) -> Option<String> {
    let tokens = if tokens.last().is_some_and(|last| last.is_punct(',')) { &tokens[..tokens.len() - 1] } else { tokens };
    let (label, most) = match tokens {
        [label, less, equal, Token { tree: Tree::Literal(most), .. }] if less.is_punct('<') && equal.is_punct('=') => {
            (label, most.clone())
        }
        [label, less, Token { tree: Tree::Literal(end), .. }] if less.is_punct('<') => {
            (label, end.parse::<usize>().ok()?.checked_sub(1)?.to_string())
        }
        _ => return None,
    };
    let label = matches!(label.tree, Tree::Ident(_)).then(|| text(std::slice::from_ref(label)))?;
    Some(format!(
        "the largest extent of an index that `svd` makes is `where {label}: ..={most}`; a condition stands in a choice for each element, as in \
         `select(iota[i] < iota[j]; X, 0.0)`"
    ))
}

/// The fault of `r = 2` behind an `svd` that makes `r`: the index has a bound, and no extent.
fn bound_of_svd(tokens: &[Token], statement: &[Token], span: Span) -> Option<Diagnostic> {
    let [Token { tree: Tree::Ident(label), .. }, sign, most @ ..] = tokens else { return None };
    let right = sides(statement).1;
    let is_svd = right.first()?.is_ident(Factorisation::Svd.name());
    if !is_svd || !sign.is_punct('=') || most.is_empty() || labels_in(right).contains(&label.as_str()) {
        return None;
    }
    let most = text(most);
    let help = format!("write `where {label}: ..={}`", most.trim_end_matches([',', ' ']));
    Some(Diagnostic::syntax(span, EXTENTS).help(help))
}

/// The fault of `i in L[j]`. A name alone may be that of a tiling, which is an extent.
fn sparse_map(part: &[Token], span: Span) -> Diagnostic {
    let fault = Diagnostic::unbuilt(span, "a sparse map in `where`");
    let is_name = |token: &Token| matches!(token.tree, Tree::Ident(_)) || token.is_punct('.');
    match part {
        [label, _, tiling @ ..] if is_name(label) && !tiling.is_empty() && without_reference(tiling).iter().all(is_name) => {
            let (label, tiling) = (text(std::slice::from_ref(label)), text(without_reference(tiling)));
            fault.help(format!("a tiling, which cuts the index, is its extent: `where {label}: &{tiling}`"))
        }
        _ => fault,
    }
}

/// A literal, or a Rust fragment.
fn count(tokens: &[Token], before: Span, help: &str) -> Result<Count, Diagnostic> {
    match tokens {
        [] => {
            let sign = if help.contains("..=") { "..=" } else { ":" };
            Err(Diagnostic::syntax(before, format!("an extent is missing after `{sign}`")).help(help))
        }
        [Token { tree: Tree::Literal(literal), span }] => Ok(Count::Literal(integer(literal, *span, "an extent: those")?, *span)),
        other => Ok(Count::Hole(hole(other))),
    }
}

/// The `where` of a single equation: `where i: 4, a, b: n`.
pub(super) fn declarations(cursor: &mut Cursor<'_>) -> Result<Declared, Diagnostic> {
    let span = cursor.before();
    let mut found = Declared::default();
    let mut pending = Vec::new();
    if let Some(fault) = joined(cursor.rest()) {
        return Err(fault);
    }
    let parts = split(cursor.rest(), ',');
    for (n, &part) in parts.iter().enumerate() {
        if pending.is_empty() && is_claim(part) {
            found.claims.push(claim(part)?);
            continue;
        }
        let fault = match &pending[..] {
            [] if part.len() > 1 => no_claim(part, parts.get(n + 1).copied().unwrap_or_default()),
            // A label may be called `assume`, but no claim follows labels that have no extent yet.
            [_, _] if is_claim(part) => no_claim(&pending, &[]),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(fault);
        }
        pending.extend_from_slice(part);
        if part.iter().any(|t| t.is_punct(':')) {
            declaration(&pending, span)?.sort(&mut found.extents, &mut found.bounds);
            pending.clear();
        } else if let Some(last) = part.last() {
            pending.push(Token { tree: Tree::Punct(',', false), span: last.span });
        }
    }
    if let Some(fault) = bound_of_svd(&pending, cursor.all(), span) {
        return Err(fault);
    }
    if !pending.is_empty() || found.extents.is_empty() && found.bounds.is_empty() && found.claims.is_empty() {
        declaration(&pending, span)?;
    }
    while cursor.next().is_some() {}
    Ok(found)
}

impl Bound {
    /// Sets the `max` of each truncation that makes one of its labels. A label that no truncation makes is a fault.
    pub(super) fn apply(&self, statements: &mut [&mut Statement]) -> Vec<Diagnostic> {
        self.labels.iter().filter_map(|label| self.apply_to(label, statements)).collect()
    }

    fn apply_to(&self, label: &Name, statements: &mut [&mut Statement]) -> Option<Diagnostic> {
        let mut is_used = false;
        for statement in statements {
            let is_new = is_named(&statement.target, &label.text);
            let Right::Factorisation(call) = &mut statement.right else { continue };
            if !is_new || call.kind != Factorisation::Svd || call.arguments.iter().any(|argument| reads(argument, &label.text)) {
                continue;
            }
            is_used = true;
            let Decomposition { options, .. } = &mut **call;
            if options.has(Word::Max) {
                let message = format!("index `{}` has a bound and a `max`", label.text);
                return Some(Diagnostic::label(label.span, message).help("leave out one of them: they say the same"));
            }
            options.max = Some(self.most.clone());
            options.words.push((Word::Max, self.span));
        }
        let fault = || {
            let message = format!("index `{}` has a bound, and is the new index of no `svd` here", label.text);
            Diagnostic::label(label.span, message)
                .help("to keep at most 64 values, write `([i, r], [r], [r, j]) = svd(A[i, j]) where r: ..=64`")
        };
        (!is_used).then(fault)
    }
}

/// Whether a left side has a label.
fn is_named(target: &Target, name: &str) -> bool {
    let has = |side: &LeftSide| side.indices.iter().flatten().any(|index| matches!(index, Index::Label(own) if own.text == name));
    match target {
        Target::Value(sides) => sides.iter().any(has),
        Target::Let(results) => results.iter().any(|(_, side)| has(side)),
        Target::Place(..) => false,
    }
}

/// Whether a label stands in an operand of an expression.
fn reads(expression: &Expression, name: &str) -> bool {
    let own = match &expression.kind {
        ExpressionKind::Operand(_, indices) => indices.iter().flat_map(Index::labels).any(|own| own.text == name),
        ExpressionKind::Spread(_, names) => names.iter().any(|own| own.text == name),
        ExpressionKind::Iota(own) => own.text == name,
        _ => false,
    };
    own || expression.kind.children().into_iter().any(|part| reads(part, name))
}
