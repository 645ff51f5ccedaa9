//! The programs of `examples/twins` find the numbers that their twins in NumPy printed when they were written, and are not longer.
//!
//! Both sides are read and counted here by one rule. A token is a name, a number, a string or a sign, and the `!` of a macro is a sign of
//! its own. Spaces, line ends, indentation, comments and documentation (`//!`, docstrings) are no tokens. What only starts a
//! program does not count: the last lines of a twin from `if __name__` on, and a `main`, which the programs in Rust do not have.

#[path = "../../examples/twins/main.rs"]
mod programs;

#[test]
fn programs_agree_with_their_twins() {
    for (name, program, twin) in programs::TWINS {
        let found = program().unwrap();
        assert!((found - twin).abs() < 1e-11 * twin.abs().max(1.0), "{name}: {found}, not {twin}");
    }
}

/// The text of a program and of its twin.
macro_rules! both {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../tensorwrapper/src/programs/", $name, ".rs")),
            include_str!(concat!("../../tensorwrapper/src/programs/", $name, ".py")),
        )
    };
}

const TEXTS: [(&str, &str, &str); 5] = [both!("attention"), both!("network"), both!("peps"), both!("tebd"), both!("trg")];

/// What is written differently in the two languages.
struct Language {
    comment: &'static str,
    /// Opens and closes a string of documentation.
    docstring: Option<&'static str>,
    /// What starts the program, up to the end of its file.
    driver: Option<&'static str>,
    /// Signs of several characters, longer ones before their beginnings.
    signs: &'static [&'static str],
}

const RUST: Language = Language {
    comment: "//",
    docstring: None,
    driver: None,
    signs: &[
        "..=", "<<=", ">>=", "::", "->", "=>", "..", "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=",
    ],
};

const PYTHON: Language = Language {
    comment: "#",
    docstring: Some("\"\"\""),
    driver: Some("\nif __name__ == \"__main__\":"),
    signs: &["**=", "//=", "...", "**", "//", "->", ":=", "<<", ">>", "+=", "-=", "*=", "/=", "@=", "%=", "==", "!=", "<=", ">="],
};

/// How many of the first characters hold.
fn run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|c| !holds(c)).unwrap_or(text.len())
}

/// The length of the number that a text starts with: digits, a fraction, an exponent with its sign, a type.
fn number(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut len = run(text, is_word);
    // `0..8`, `1.max(2)` and `p.0.x` have no fraction.
    if text[len..].strip_prefix('.').is_some_and(|rest| !rest.starts_with(|c: char| c == '.' || c == '_' || c.is_alphabetic())) {
        len += 1 + run(&text[len + 1..], is_word);
    }
    if text[..len].ends_with(['e', 'E']) && text[len..].starts_with(['+', '-']) {
        len += 1 + run(&text[len + 1..], is_word);
    }
    len
}

/// The length of the string that a text starts with, with its quotes.
fn string(text: &str) -> usize {
    let quote = text.chars().next().expect("a quote");
    let mut escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.expect("a string ends") + 2
}

/// The tokens of a program, in order.
fn tokens<'t>(language: &Language, text: &'t str) -> Vec<&'t str> {
    let end = language.driver.and_then(|driver| text.find(driver)).unwrap_or(text.len());
    let (mut rest, mut found) = (text[..end].trim_start(), Vec::new());
    while let Some(first) = rest.chars().next() {
        let docstring = language.docstring.filter(|mark| rest.starts_with(mark));
        let len = match first {
            _ if rest.starts_with(language.comment) => run(rest, |c| c != '\n'),
            _ if docstring.is_some() => 6 + rest[3..].find(docstring.expect("just found")).expect("a docstring ends"),
            '"' | '\'' => string(rest),
            _ if first.is_ascii_digit() => number(rest),
            _ if first.is_alphabetic() || first == '_' => run(rest, |c| c.is_alphanumeric() || c == '_'),
            _ => language.signs.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len()),
        };
        if docstring.is_none() && !rest.starts_with(language.comment) {
            found.push(&rest[..len]);
        }
        rest = rest[len..].trim_start();
    }
    found
}

#[test]
fn both_languages_are_counted_by_one_rule() {
    let rust = tokens(&RUST, "//! Says.\nlet a = f!(\"x \\\" // y\", 1.5e-3)?; // no\n0..=2f64");
    assert_eq!(rust, ["let", "a", "=", "f", "!", "(", "\"x \\\" // y\"", ",", "1.5e-3", ")", "?", ";", "0", "..=", "2f64"]);
    let python =
        tokens(&PYTHON, "\"\"\"Says\nmore.\"\"\"\nx = a[:, 1.]**2 @ 'b # c'  # no\n\n\nif __name__ == \"__main__\":\n    f(x)\n");
    assert_eq!(python, ["x", "=", "a", "[", ":", ",", "1.", "]", "**", "2", "@", "'b # c'"]);
}

#[test]
fn programs_are_not_longer_than_their_twins() {
    for (name, program, twin) in TEXTS {
        assert!(twin.contains(PYTHON.driver.expect("Python has one")), "{name}: what starts the twin is not found");
        let (own, twin) = (tokens(&RUST, program).len(), tokens(&PYTHON, twin).len());
        println!("{name:<10} {own:>5} in Rust, {twin:>5} in Python");
        assert!(own > 100 && own <= twin, "{name} has {own} tokens, its twin {twin}");
    }
    let names = programs::TWINS.map(|(name, ..)| name);
    assert!(names.iter().all(|name| TEXTS.iter().any(|text| text.0 == *name)), "every program is counted");
}
