//! The programs of `examples/twins` find what their twins in NumPy print, and are not longer.

#[path = "../../examples/twins/main.rs"]
mod programs;

#[test]
fn programs_agree_with_their_twins() {
    for (name, program, twin) in programs::TWINS {
        let found = program().unwrap();
        assert!((found - twin).abs() < 1e-11 * twin.abs().max(1.0), "{name}: {found}, not {twin}");
    }
}

/// The tokens of the twins, as `tokens.py` beside them counts them.
const TOKENS: [(&str, &str, usize); 5] = [
    ("attention", include_str!("../../tensorwrapper/src/programs/attention.rs"), 260),
    ("network", include_str!("../../tensorwrapper/src/programs/network.rs"), 234),
    ("peps", include_str!("../../tensorwrapper/src/programs/peps.rs"), 261),
    ("tebd", include_str!("../../tensorwrapper/src/programs/tebd.rs"), 494),
    ("trg", include_str!("../../tensorwrapper/src/programs/trg.rs"), 307),
];

/// Signs of several characters.
const SIGNS: [&str; 13] = ["..=", "::", "->", "=>", "..", "-=", "+=", "*=", "/=", "==", "!=", "<=", ">="];

/// Names, numbers, strings and signs; comments are none.
fn tokens(text: &str) -> usize {
    let (mut rest, mut count) = (text.trim_start(), 0);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = |text: &str| text.find(|c| !is_word(c)).unwrap_or(text.len());
        let len = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => 2 + rest[1..].find('"').expect("a string ends"),
            _ if first.is_ascii_digit() => {
                let whole = word(rest);
                let fraction = rest[whole..].strip_prefix('.').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                whole + fraction.map_or(0, |fraction| 1 + word(fraction))
            }
            _ if is_word(first) => {
                let name = word(rest);
                name + usize::from(rest[name..].starts_with('!') && !rest[name..].starts_with("!="))
            }
            _ => SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len()),
        };
        count += usize::from(!rest.starts_with("//"));
        rest = rest[len..].trim_start();
    }
    count
}

#[test]
fn programs_are_not_longer_than_their_twins() {
    assert_eq!(tokens("let a = f!(\"x\", 1.5)?; // no\n0..=2f64"), 14);
    for (name, text, twin) in TOKENS {
        let own = tokens(text);
        assert!(own > 100 && own <= twin, "{name} has {own} tokens, its twin {twin}");
    }
}
