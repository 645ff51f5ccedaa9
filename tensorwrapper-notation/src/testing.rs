//! What this crate's tests share: a text through lexer, parser and check.

use crate::syntax::{BlockValue, Invocation, Statement};
use crate::{Diagnostic, Equation, check, header, lex, parse};

/// The syntax tree of a text.
pub(crate) fn parsed(text: &str) -> Result<Invocation, Vec<Diagnostic>> {
    parse(&lex(text).map_err(|fault| vec![fault])?)
}

/// Every equation of a text, checked; or every fault.
pub(crate) fn checked(text: &str) -> Result<Vec<Equation>, Vec<Diagnostic>> {
    let (statements, header, mut faults): (Vec<Statement>, _, Vec<Diagnostic>) = match parsed(text)? {
        Invocation::Equation(statement) => (vec![statement], Vec::new(), Vec::new()),
        Invocation::Block(mut block) => {
            let (declarations, faults) = header(&block);
            if let BlockValue::Equation(last) = block.value {
                block.statements.push(*last);
            }
            (block.statements, declarations, faults)
        }
    };
    let mut equations = Vec::new();
    for part in statements.iter().flat_map(|statement| statement.parts().into_owned()) {
        match check(&part, &header) {
            Ok(equation) => equations.push(equation),
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() { Ok(equations) } else { Err(faults) }
}

/// The faults of a text, each as `token: message | help`.
#[track_caller]
pub(crate) fn faults(text: &str) -> Vec<String> {
    let found = checked(text).expect_err("this is wrong");
    found.iter().map(|fault| describe(text, fault)).collect()
}

/// The warnings of a text, likewise.
#[track_caller]
pub(crate) fn warnings(text: &str) -> Vec<String> {
    let equations = checked(text).unwrap_or_else(|faults| panic!("`{text}`: {faults:?}"));
    equations.iter().flat_map(Equation::warnings).map(|warning| describe(text, warning)).collect()
}

/// Compares the faults of texts with what is expected of each, and checks that what the helps say can be written.
#[track_caller]
pub(crate) fn refused(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(faults(text), *expected, "`{text}`");
        for (_, help) in expected.iter().filter_map(|fault| fault.split_once(" | ")) {
            can_be_written(help);
            equations_are_right(help);
        }
    }
}

/// What stands between backticks in a help, without Rust and without single words.
pub(crate) fn code_of(help: &str) -> impl Iterator<Item = &str> {
    let is_rust = |code: &str| ["?;", "tensor!", "::<", "…"].iter().any(|sign| code.contains(sign));
    let is_word = |code: &str| !code.contains(['[', '(', '{', ' ']) || code.starts_with([';', '`']);
    help.split('`').skip(1).step_by(2).filter(move |code| !is_rust(code) && !is_word(code))
}

/// Checks that the code in a help breaks no rule where it is a whole equation, or lines of a block.
#[track_caller]
pub(crate) fn equations_are_right(help: &str) {
    // Placeholders stand for what has the labels that are missing.
    let is_placeholder = |code: &str| code.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "X" | "Y"));
    let is_whole = |code: &&str| parsed(code).is_ok() && !code.starts_with("where ") && !is_placeholder(code);
    for code in code_of(help).filter(is_whole) {
        let found = checked(code);
        assert!(found.is_ok(), "`{code}` of the help `{help}`: {found:?}");
    }
}

/// Checks that the code in a help is an equation, or a part of one.
#[track_caller]
pub(crate) fn can_be_written(help: &str) {
    for code in code_of(help) {
        let code = code.replace("(C;", "(x > y;");
        let svd = "([i, r], [r], [r, j]) = svd(A[i, j]";
        let parts = [
            code.clone(),
            format!("[] = {code}"),
            format!("[] = A[{code}]"),
            format!("{code} = A[i, j]"),
            format!("{svd}; {code})"),
            format!("{svd}) {code}"),
        ];
        assert!(parts.iter().any(|text| parsed(text).is_ok()), "`{code}` of the help `{help}` cannot be written");
    }
}

fn describe(text: &str, fault: &Diagnostic) -> String {
    let token = text.get(fault.span.start..fault.span.end.min(text.len())).unwrap_or("?");
    match &fault.help {
        Some(help) => format!("{token}: {} | {help}", fault.message),
        None => format!("{token}: {}", fault.message),
    }
}
