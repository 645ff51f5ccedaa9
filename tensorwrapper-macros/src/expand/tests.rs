//! Expansions as text, so that they stay readable, and their size.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proc_macro2::{TokenStream, TokenTree};

use super::hygiene::private_module;
use super::{Failure, invocation};

/// Tokens of the expansion of one equation over two operands. Whoever changes it changes the build time of every program.
const TOKENS_OF_TWO_OPERANDS: usize = 1176;

/// Code as the toolchain's formatter lays it out.
fn formatted(code: &TokenStream) -> String {
    let mut formatter = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", "max_width=128"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the toolchain has rustfmt");
    let function = format!("fn expansion() {{ let value = {code}; }}");
    formatter.stdin.take().expect("its input is piped").write_all(function.as_bytes()).expect("rustfmt reads");
    let output = formatter.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt does not read the expansion {function}");
    String::from_utf8(output.stdout).expect("rustfmt writes text")
}

fn expansion(text: &str) -> TokenStream {
    invocation(text.parse().expect("the text is Rust tokens"), Failure::Panic)
}

/// Compares an expansion with its snapshot, or writes the snapshot if `EXPANSIONS=overwrite` is set.
#[track_caller]
fn is_snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/expand/snapshots").join(name);
    let found = format!("//! tensor!({text})\n{}", formatted(&expansion(text)));
    if std::env::var("EXPANSIONS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, &found).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the snapshot is there; EXPANSIONS=overwrite makes it");
    assert!(found == expected, "{name} has changed to\n{found}\nEXPANSIONS=overwrite accepts that");
}

#[test]
fn expansions_are_readable() {
    is_snapshot("value.rs", "[i, j] = a[i, k] * b[k, j]");
    is_snapshot("assignment.rs", "c[i, j] += alpha * self.a[i, 2, j in r]");
    is_snapshot("block.rs", "in &ctx; let w[i, j] = a[i, k] * a[k, j]; c[i] -= w[i, i]; let e = w[i, j] * w[j, i]; e");
}

fn count(stream: TokenStream) -> usize {
    let one = |tree| if let TokenTree::Group(group) = tree { 2 + count(group.stream()) } else { 1 };
    stream.into_iter().map(one).sum()
}

#[test]
fn expansions_are_small() {
    assert_eq!(count(expansion("[i, j] = a[i, k] * b[k, j]")), TOKENS_OF_TWO_OPERANDS);
}

/// The library and the run time have the module that expansions of this version use; whoever raises the version renames it.
#[test]
fn private_module_has_the_version_in_its_name() {
    let name = private_module().to_string();
    for library in ["tensorwrapper", "tensorwrapper-runtime"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(library).join("src/lib.rs");
        let source = std::fs::read_to_string(&path).expect("the crates of the library are beside each other");
        let is_there = source.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        assert!(is_there, "{library} has no module {name}: rename the one of the version before");
    }
}
