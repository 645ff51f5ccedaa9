//! Statements and blocks.

use super::condition::truth;
use super::context::context;
use super::cursor::{Cursor, split};
use super::declaration::{Declared, declaration, declarations, header, is_declaration};
use super::decomposition::decomposition;
use super::expression::expression;
use super::index::{indices, labels};
use super::items::divided;
use super::known::{behind, no_value};
use super::left::{no_equals, no_left_side, no_target};
use super::mistake::unexpected;
use super::paired::paired;
use super::within::within;
use super::words::is_keyword;
use crate::diagnostic::Diagnostic;
use crate::syntax::{
    Assignment, Block, BlockValue, ExpressionKind, Invocation, LeftSide, Name, Operator, Right, Scalar, Statement, Target,
};
use crate::token::{Delimiter, Span, Token, Tree, text};

/// What was read of an invocation: the statements without faults, and the faults of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// The faults of syntax, at most one for each statement.
    pub faults: Vec<Diagnostic>,
    /// The statements without faults.
    pub invocation: Option<Invocation>,
    /// The names that faulty statements bind.
    pub broken: Vec<Name>,
}

/// Reads an invocation as far as possible, so that faults of meaning are reported together with those of syntax. An invocation that
/// starts like a block or has a `;` is a block, any other is one equation.
pub fn recover(tokens: &[Token]) -> Recovered {
    match divided(tokens) {
        Some((tokens, mut faults)) => {
            let mut found = read(&tokens);
            faults.append(&mut found.faults);
            Recovered { faults, ..found }
        }
        None => read(tokens),
    }
}

fn read(tokens: &[Token]) -> Recovered {
    let single = |read: Result<Statement, Diagnostic>| match read {
        Ok(statement) => Recovered { faults: Vec::new(), invocation: Some(Invocation::Equation(statement)), broken: Vec::new() },
        Err(fault) => Recovered { faults: vec![fault], invocation: None, broken: Vec::new() },
    };
    let Some(first) = tokens.first() else {
        let fault = Diagnostic::syntax(Span::default(), "there is no equation here");
        return single(Err(fault.help("write `tensor!([i, j] = A[i, k] * B[k, j])`")));
    };
    let starts_block = ["let", "where", "in"].iter().any(|keyword| first.is_ident(keyword));
    if starts_block || tokens.iter().any(|t| t.is_punct(';')) {
        return block(tokens);
    }
    single(statement(tokens))
}

fn block(tokens: &[Token]) -> Recovered {
    let span = tokens[0].span.to(tokens[tokens.len() - 1].span);
    let mut found = Block { context: None, declarations: Vec::new(), statements: Vec::new(), value: BlockValue::Nothing, span };
    let (mut faults, mut broken) = (Vec::new(), Vec::new());
    let mut segments: Vec<&[Token]> = tokens.split(|t| t.is_punct(';')).collect();
    let last = segments.pop().unwrap_or_default();
    let (mut in_header, mut bounds) = (false, Vec::new());
    for (n, segment) in segments.into_iter().enumerate() {
        let read = match segment.first() {
            None => Ok(()),
            Some(token) if token.is_ident("in") && n == 0 => {
                context(&segment[1..], token.span).map(|ctx| found.context = Some(ctx))
            }
            Some(token) if token.is_ident("in") => {
                let fault = Diagnostic::syntax(token.span, "the context of a block is its first line");
                Err(fault.help(format!("write `in {};` before all other lines", text(&segment[1..]))))
            }
            Some(token) if token.is_ident("where") => {
                in_header = found.statements.is_empty();
                header(&segment[1..], token.span, in_header).map(|one| one.sort(&mut found.declarations, &mut bounds))
            }
            Some(token) if in_header && is_declaration(segment) => {
                declaration(segment, token.span).map(|one| one.sort(&mut found.declarations, &mut bounds))
            }
            Some(_) => {
                in_header = false;
                behind(&found.statements, segment, statement).map(|s| found.statements.push(s))
            }
        };
        if let Err(fault) = read {
            faults.push(fault);
            broken.extend(let_names(segment));
        }
    }
    match block_value(last, &found.statements) {
        Ok(LastLine::Value(_)) if last.is_empty() && ends_in_value(&found) => {
            found.statements.pop();
            let semicolon = tokens[tokens.len() - 1].span;
            let fault = Diagnostic::syntax(semicolon, "the value of this equation is dropped by the `;`");
            faults.push(fault.help("leave it out: the last line is the value, as in a block of Rust's"));
        }
        Ok(LastLine::Value(value)) => found.value = value,
        Ok(LastLine::Statement(statement)) => found.statements.push(*statement),
        Err(fault) => faults.push(fault),
    }
    let mut statements: Vec<&mut Statement> = found.statements.iter_mut().collect();
    if let BlockValue::Equation(last) = &mut found.value {
        statements.push(last);
    }
    // A faulty equation may be the one that has the index.
    let is_whole = faults.is_empty();
    let unused = bounds.iter().flat_map(|bound| bound.apply(&mut statements));
    faults.extend(unused.filter(|_| is_whole));
    Recovered { faults, invocation: Some(Invocation::Block(found)), broken }
}

/// Whether the last statement of a block has a value that is dropped.
fn ends_in_value(block: &Block) -> bool {
    block.statements.last().is_some_and(|statement| matches!(statement.target, Target::Value(_)))
}

/// The names that a faulty `let` binds, or several `let`s where a `;` is missing between them.
fn let_names(tokens: &[Token]) -> Vec<Name> {
    let name = |token: &Token| match &token.tree {
        Tree::Ident(text) => Some(Name { text: text.clone(), span: token.span }),
        _ => None,
    };
    let mut names = Vec::new();
    for (n, _) in tokens.iter().enumerate().filter(|(_, token)| token.is_ident("let")) {
        match tokens.get(n + 1) {
            Some(token) if token.is_ident("mut") => names.extend(tokens.get(n + 2).and_then(name)),
            Some(Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. }) => names.extend(inner.iter().filter_map(name)),
            Some(token) => names.extend(name(token)),
            None => {}
        }
    }
    names
}

enum LastLine {
    Value(BlockValue),
    Statement(Box<Statement>),
}

/// What follows the last `;`, behind other statements.
fn block_value(tokens: &[Token], before: &[Statement]) -> Result<LastLine, Diagnostic> {
    if let Some(fault) = no_value(before, tokens) {
        return Err(fault);
    }
    let value = match tokens {
        [] => BlockValue::Nothing,
        [Token { tree: Tree::Ident(name), span }] if !is_keyword(name) => {
            BlockValue::Name(Name { text: name.clone(), span: *span })
        }
        [Token { tree: Tree::Group(Delimiter::Parenthesis, inner), .. }] if inner.is_empty() => BlockValue::Nothing,
        [Token { tree: Tree::Group(Delimiter::Parenthesis, inner), span }] => {
            let names = labels(inner, *span).map_err(|fault| {
                Diagnostic::syntax(fault.span, "a block's value is a name, a tuple of names, or an equation in value form")
                    .help("name it first: `let W[i, j] = …;`")
            })?;
            // As in Rust, one name in parentheses is a tuple only with a comma.
            match <[Name; 1]>::try_from(names) {
                Ok([name]) if !inner.iter().any(|token| token.is_punct(',')) => BlockValue::Name(name),
                Ok([name]) => BlockValue::Names(vec![name]),
                Err(names) => BlockValue::Names(names),
            }
        }
        [first, ..] if first.is_ident("in") || first.is_ident("where") => {
            return Err(Diagnostic::syntax(
                tokens[tokens.len() - 1].span,
                "`;` is missing after this line of the block's header",
            ));
        }
        _ => {
            let found = behind(before, tokens, statement).map_err(|fault| value_without_semicolon(tokens).unwrap_or(fault))?;
            match found.target {
                Target::Value(_) => BlockValue::Equation(Box::new(found)),
                Target::Let(_) => {
                    return Err(Diagnostic::syntax(tokens[tokens.len() - 1].span, "`;` is missing after this equation"));
                }
                Target::Place(..) => return Ok(LastLine::Statement(Box::new(found))),
            }
        }
    };
    Ok(LastLine::Value(value))
}

/// The fault of a block's value with no `;` before it, if all before the value is an equation.
fn value_without_semicolon(tokens: &[Token]) -> Option<Diagnostic> {
    let (last, before) = tokens.split_last()?;
    let is_value = match &last.tree {
        Tree::Ident(word) => !is_keyword(word),
        Tree::Group(Delimiter::Parenthesis, inner) => !inner.is_empty() && labels(inner, last.span).is_ok(),
        _ => false,
    };
    // `f(x)` at the end is a call.
    let is_call = matches!(last.tree, Tree::Group(..)) && matches!(before.last()?.tree, Tree::Ident(_));
    let found = text(std::slice::from_ref(last));
    (is_value && !is_call && statement(before).is_ok())
        .then(|| Diagnostic::syntax(last.span, format!("`;` is missing before `{found}`")))
}

fn statement(tokens: &[Token]) -> Result<Statement, Diagnostic> {
    alone(tokens).map_err(|fault| within(fault, tokens))
}

/// A statement; helps of faults do not know what else stands in it.
fn alone(tokens: &[Token]) -> Result<Statement, Diagnostic> {
    let span = tokens[0].span.to(tokens[tokens.len() - 1].span);
    let mut cursor = Cursor::new(tokens, tokens[tokens.len() - 1].span);
    if let Some(fault) = paired(tokens) {
        return Err(fault);
    }
    let target = target(&mut cursor)?;
    if let (Target::Let(_), Some(inner), Some(next)) = (&target, cursor.peek_group(Delimiter::Bracket), cursor.peek_at(1))
        && next.is_punct('=')
    {
        return Err(Diagnostic::syntax(cursor.here(), "the indices of a `let` follow its name")
            .help(format!("write `let W[{}] = …`", text(inner))));
    }
    let right = right(&mut cursor)?;
    let declared = if cursor.take_ident("where") { declarations(&mut cursor)? } else { Declared::default() };
    unexpected(&cursor)?;
    let mut statement = Statement { target, right, declarations: declared.extents, claims: declared.claims, span };
    match declared.bounds.iter().flat_map(|bound| bound.apply(&mut [&mut statement])).next() {
        Some(fault) => Err(fault),
        None => Ok(statement),
    }
}

fn target(cursor: &mut Cursor<'_>) -> Result<Target, Diagnostic> {
    let first = cursor.here();
    if let Some(fault) = no_target(cursor.rest()) {
        return Err(fault);
    }
    if cursor.take_ident("let") {
        let target = let_target(cursor)?;
        equals(cursor, true)?;
        return Ok(Target::Let(target));
    }
    if let Some(inner) = cursor.peek_group(Delimiter::Bracket) {
        let indices = Some(indices(inner, first)?);
        cursor.next();
        equals(cursor, false)?;
        return Ok(Target::Value(vec![LeftSide { indices, span: first }]));
    }
    if let Some(inner) = cursor.peek_group(Delimiter::Parenthesis)
        && matches!(cursor.peek_at(1), Some(token) if token.is_punct('='))
    {
        let results = split(inner, ',').into_iter().map(|part| left_side(part, first)).collect::<Result<_, _>>()?;
        cursor.next();
        equals(cursor, false)?;
        return Ok(Target::Value(results));
    }
    place(cursor)
}

fn left_side(tokens: &[Token], end: Span) -> Result<LeftSide, Diagnostic> {
    match tokens {
        [Token { tree: Tree::Group(Delimiter::Bracket, inner), span }] => {
            Ok(LeftSide { indices: Some(indices(inner, *span)?), span: *span })
        }
        [Token { tree: Tree::Ident(name), span }] | [Token { tree: Tree::Ident(name), span }, ..] => {
            Err(Diagnostic::syntax(*span, "several results are given as their indices alone")
                .help(format!("write `let (x, y) = tensor!(([i], [i, j]) = …)`, or a block with `let ({name}[…], …) = …;`")))
        }
        _ => Err(Diagnostic::syntax(tokens.first().map_or(end, |t| t.span), "several results are written `([i], [i, j]) = …`")),
    }
}

fn let_target(cursor: &mut Cursor<'_>) -> Result<Vec<(Name, LeftSide)>, Diagnostic> {
    let one = |cursor: &mut Cursor<'_>| {
        if cursor.peek().is_some_and(|t| t.is_ident("mut")) {
            return Err(Diagnostic::syntax(cursor.here(), "names of a block are bound once")
                .help("leave out `mut`; binding a name again shadows it"));
        }
        let name = cursor.name("a name such as `W[i, j]`")?;
        let mut left = LeftSide { indices: None, span: name.span };
        if let Some(inner) = cursor.peek_group(Delimiter::Bracket) {
            left = LeftSide { indices: Some(indices(inner, cursor.here())?), span: cursor.here() };
            cursor.next();
        }
        Ok((name, left))
    };
    let Some(inner) = cursor.peek_group(Delimiter::Parenthesis) else {
        return Ok(vec![one(cursor)?]);
    };
    let span = cursor.here();
    cursor.next();
    let several = |part| {
        let mut cursor = Cursor::new(part, span);
        let found = one(&mut cursor)?;
        cursor.finish("`,` between results")?;
        Ok(found)
    };
    split(inner, ',').into_iter().map(several).collect()
}

fn equals(cursor: &mut Cursor<'_>, named: bool) -> Result<(), Diagnostic> {
    if cursor.peek_pair('=', '=') {
        return unexpected(cursor);
    }
    if cursor.take_punct('=') {
        return Ok(());
    }
    Err(no_equals(cursor, named))
}

/// `C[i, j] +=`: an existing tensor.
fn place(cursor: &mut Cursor<'_>) -> Result<Target, Diagnostic> {
    let start = *cursor;
    let left = expression(cursor)?;
    if cursor.is_empty() || cursor.peek_pair('-', '>') {
        let written = &start.rest()[..start.rest().len() - cursor.rest().len()];
        let arrow = cursor.peek_at(2).and_then(|token| token.group(Delimiter::Bracket));
        let at = if cursor.is_empty() { start.here() } else { cursor.here() };
        return Err(no_left_side(&left, written, arrow, at));
    }
    let assignment = assignment(cursor)?;
    match left.kind {
        ExpressionKind::Operand(operand, indices) => {
            let tokens: Vec<&Token> = start.rest().iter().filter(|t| t.span.end <= operand.span.end).collect();
            if let Some(span) = side_effect(&tokens) {
                let fault = Diagnostic::syntax(
                    span,
                    "a place is evaluated twice, to read it and to write it, so it may not have side effects",
                );
                return Err(fault.help("bind it first, `let c = &mut …;`, and write into `c[i]`"));
            }
            Ok(Target::Place(operand, indices, assignment))
        }
        ExpressionKind::Scalar(Scalar::Hole(name)) => Err(Diagnostic::syntax(
            name.span,
            format!("`{}` has no indices", name.text),
        )
        .help(format!(
            "a tensor is written with its indices, `{0}[i, j] = …`, and one of rank 0 as `{0}[]`; a number is bound by `let {0} = tensor!([] = …)`, \
             or in a block by `let {0} = …;`",
            name.text
        ))),
        _ => Err(Diagnostic::syntax(left.span, "this cannot be assigned to")
            .help("the left side is `[i, j]` or an existing tensor `C[i, j]`")),
    }
}

/// The first token of an expression that may have a side effect: a call, a macro, an assignment, `?`, a block.
fn side_effect(tokens: &[&Token]) -> Option<Span> {
    tokens.iter().enumerate().find_map(|(n, token)| match &token.tree {
        Tree::Punct('!' | '?' | '=', _) | Tree::Group(Delimiter::Brace, _) => Some(token.span),
        Tree::Group(Delimiter::Parenthesis, _) if n > 0 && !matches!(tokens[n - 1].tree, Tree::Punct(..)) => Some(token.span),
        Tree::Group(_, inner) => side_effect(&inner.iter().collect::<Vec<_>>()),
        _ => None,
    })
}

fn assignment(cursor: &mut Cursor<'_>) -> Result<Assignment, Diagnostic> {
    for operator in Operator::ALL {
        if cursor.take_pair(operator.symbol(), '=') {
            return Ok(Assignment::Update(operator));
        }
    }
    if cursor.peek_pair(':', '=') {
        return Err(no_equals(cursor, false));
    }
    if cursor.peek_pair('=', '=') || !cursor.peek_punct('=') {
        unexpected(cursor)?;
    }
    cursor.next();
    Ok(Assignment::Set)
}

/// An operation of linear algebra, a comparison, or an expression.
fn right(cursor: &mut Cursor<'_>) -> Result<Right, Diagnostic> {
    match decomposition(cursor)? {
        Some(found) => Ok(Right::Factorisation(Box::new(found))),
        None => match truth(cursor, expression)? {
            Some(found) => Ok(Right::Expression(found)),
            None => expression(cursor).map(Right::Expression),
        },
    }
}
