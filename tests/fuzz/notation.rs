//! Any text to the language: every fault is found and told, and nothing panics, hangs or ends the stack.
//!
//! This is what the macros do before they write code. Ten thousand texts; `tests/fuzz/run.sh` reads a million.

#[allow(dead_code)]
mod soup;

use tensorwrapper_notation::syntax::{BlockValue, Invocation};
use tensorwrapper_notation::{Diagnostic, Recovered, Span, Token, Tree, axes, check, einsum_call, lex, recover};

/// A fault is a sentence, with a help that is one.
fn judge(text: &str, faults: &[Diagnostic]) {
    for Diagnostic { message, help, span, .. } in faults {
        assert!(!message.is_empty() && help.as_ref().is_none_or(|help| !help.is_empty()), "{text:?}: {message}");
        assert!(span.start <= span.end, "{text:?}: {message} at {span:?}");
    }
}

/// The tokens of a text, if it has any.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let read = lex(text);
    if let Err(fault) = &read {
        judge(text, std::slice::from_ref(fault));
    }
    read.ok()
}

/// Reads and checks one invocation; true if nothing is wrong with it.
fn read(text: &str, tokens: &[Token], door: fn(&[Token]) -> Recovered) -> bool {
    let Recovered { faults, invocation, .. } = door(tokens);
    judge(text, &faults);
    assert!(invocation.is_some() || !faults.is_empty(), "{text:?}: nothing is read, and nothing is said");
    let (statements, header) = match invocation {
        None => return false,
        Some(Invocation::Equation(statement)) => (vec![statement], Vec::new()),
        Some(Invocation::Block(mut block)) => {
            if let BlockValue::Equation(last) = block.value {
                block.statements.push(*last);
            }
            (block.statements, block.declarations)
        }
    };
    let mut good = faults.is_empty();
    for statement in &statements {
        match check(statement, &header) {
            Ok(equation) => judge(text, equation.warnings()),
            Err(found) => {
                assert!(!found.is_empty(), "{text:?}: refused in silence");
                judge(text, &found);
                good = false;
            }
        }
    }
    good
}

#[test]
fn equations_and_blocks() {
    soup::run("the language", |soup| {
        let text = soup.equation();
        let Some(tokens) = tokens(&text) else { return false };
        drop(axes(&tokens));
        read(&text, &tokens, recover)
    });
}

#[test]
fn subscripts_in_literals() {
    soup::run("einsum!", |soup| {
        let (text, operands) = (soup.subscripts(), soup.equation());
        // Most often as many operands as the text names.
        let parts = text.split("->").next().unwrap_or_default().split(',').count();
        let operands = if soup.below(4) == 0 { operands } else { ", A".repeat(parts) };
        let Some(operands) = tokens(&operands) else { return false };
        let span = Span { start: 0, end: text.len() };
        // As the compiler delivers them: the lexer of texts has no strings.
        let mut given = vec![Token { tree: Tree::Literal(format!("\"{text}\"")), span }];
        given.extend(operands);
        read(&text, &given, einsum_call)
    });
}
