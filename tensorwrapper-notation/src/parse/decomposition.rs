//! `svd(T[a, i, b, j]; max = 64)`: operations of linear algebra, each of which is a whole right side.

use super::algebra::without_indices;
use super::cursor::{Cursor, split};
use super::expression::{stands_alone, whole};
use super::index::labels;
use super::number::whole_exponent;
use super::options::{are_options, before_semicolon, divided, is_option, of_an_axis, of_an_order, options};
use super::places::{sides, span_of};
use super::unread::labels_in;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Decomposition, Factorisation, Form, Name, Operator, Options};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// The operation at the cursor, if there is one.
pub(super) fn decomposition(cursor: &mut Cursor<'_>) -> Result<Option<Decomposition>, Diagnostic> {
    let (Some(Token { tree: Tree::Ident(name), span }), Some(Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. })) =
        (cursor.peek(), cursor.peek_at(1))
    else {
        return Ok(None);
    };
    let Some(kind) = Factorisation::from_name(name) else { return Ok(None) };
    cursor.next();
    let end = cursor.here();
    cursor.next();
    if Operator::ALL.iter().any(|operator| cursor.peek_punct(operator.symbol())) {
        return Err(stands_alone(name, *span));
    }
    if let Some(fault) = without_indices(kind, cursor.all(), inner) {
        return Err(fault);
    }
    let left = labels_in(sides(cursor.all()).0);
    read(kind, inner, &left, *span, span.to(end)).map(Some)
}

/// The contents of the parentheses: labels of rows and columns `;` arguments `;` options. A help knows the labels of the left side.
fn read(kind: Factorisation, inner: &[Token], left: &[&str], span: Span, call: Span) -> Result<Decomposition, Diagnostic> {
    let form = kind.form(false, false);
    let mut segments: Vec<&[Token]> = split(inner, ';');
    let mut options = Options::default();
    if let Some(fault) = divided(&segments) {
        return Err(fault);
    }
    if segments.len() > 1 && segments.last().is_some_and(|last| are_options(last, segments[0])) {
        options = self::options(form, segments.pop().unwrap_or_default(), call)?;
    }
    if let Some(fault) = between_matrices(form, &segments) {
        return Err(fault);
    }
    let (groups, arguments) = match segments[..] {
        [] => (None, &[][..]),
        [arguments] => (None, arguments),
        [pair, arguments] => (Some(groups(kind, pair, span)?), arguments),
        _ => {
            let fault = Diagnostic::syntax(span, format!("`{}` has one `;` too many", form.name));
            return Err(fault.help(format!("write `{}`", form.usage)));
        }
    };
    let mut arguments = split(arguments, ',');
    if let ("norm", [tensor, order]) = (form.name, &arguments[..])
        && let Some(fault) = of_an_axis(tensor, order).or_else(|| of_an_order(tensor, order, left))
    {
        return Err(fault);
    }
    if let Some(first) = arguments.iter().position(|part| is_option(form, part)) {
        return Err(before_semicolon(form, &arguments, first));
    }
    if form.has_exponent && arguments.len() == 2 {
        options.exponent = Some(whole_exponent(form.name, arguments.pop().unwrap_or_default(), call)?);
    }
    let arguments = arguments.into_iter().map(|part| whole(part, call)).collect::<Result<_, _>>()?;
    Ok(Decomposition { kind, groups, arguments, options, span })
}

/// The fault of `eigh(F[p, q]; S[p, q])`: a `;` between matrices, behind the labels of rows and columns if there are some.
fn between_matrices(form: &Form, segments: &[&[Token]]) -> Option<Diagnostic> {
    let is_matrix = |segment: &&[Token]| segment.iter().any(|token| token.group(Delimiter::Bracket).is_some());
    let first = segments.iter().position(is_matrix)?;
    let (labels, matrices) = segments.split_at(first);
    let [_, second, ..] = matrices else { return None };
    let written = matrices.iter().map(|segment| text(segment)).collect::<Vec<_>>().join(", ");
    let labels = labels.first().map_or_else(String::new, |labels| format!("{}; ", text(labels)));
    if form.arguments.len() < 2 {
        let fault = Diagnostic::syntax(span_of(second), format!("`{}` has one matrix, and here is a second one", form.name));
        return Some(fault.help(format!("write `{}`", form.usage)));
    }
    let fault = Diagnostic::syntax(span_of(second), format!("the matrices of `{}` have `,` between them", form.name));
    Some(fault.help(format!("write `{}({labels}{written})`", form.name)))
}

/// `i, j` or `(a, i), (b, j)`: rows and columns; or all axes of an operation that does not distinguish them.
fn groups(kind: Factorisation, pair: &[Token], span: Span) -> Result<[Vec<Name>; 2], Diagnostic> {
    if !kind.form(false, false).has_columns() {
        return Ok([labels(pair, span)?, Vec::new()]);
    }
    let group = |part: &[Token]| match part {
        [Token { tree: Tree::Group(Delimiter::Parenthesis, inner), span }] => labels(inner, *span),
        _ => labels(part, span),
    };
    let found = split(pair, ',').into_iter().map(group).collect::<Result<Vec<_>, _>>()?;
    <[Vec<Name>; 2]>::try_from(found).map_err(|_| {
        let form = kind.form(false, false);
        Diagnostic::label(span, format!("`{}` names two indices before the `;`: row and column", form.name))
            .help(format!("write `{}`, or groups of indices, `{}((a, i), (b, j); …)`", form.usage, form.name))
    })
}
