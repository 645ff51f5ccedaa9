//! Expansions as text, so that they stay readable, and their size.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proc_macro2::{TokenStream, TokenTree};

use super::hygiene::private_module;
use super::{Failure, invocation, named};

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

/// The run time has names up to the numbers for which the macros write them, and none beyond.
#[test]
fn numbers_with_names_are_those_of_the_run_time() {
    let read = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tensorwrapper-runtime/src/private").join(path);
        std::fs::read_to_string(path).expect("the crates of the library are beside each other")
    };
    let [counts, parts] = ["mod.rs", "static_expr/names.rs"].map(read);
    let has = |text: &str, name: String| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let first_without = |text: &str, name: &dyn Fn(usize) -> String| (0..).find(|&n| !has(text, name(n)));
    assert_eq!(first_without(&counts, &|n| format!("INDICES_{n}")), Some(named::INDICES));
    for name in ["LabelIndex", "LabelExtent"] {
        assert_eq!(first_without(&parts, &|n| format!("{name}{n}")), Some(named::LABELS), "{name}");
    }
    for name in ["ElementOfOperand", "MixedWith", "Read"] {
        assert_eq!(first_without(&parts, &|n| format!("{name}{n}")), Some(named::OPERANDS), "{name}");
    }
    for operand in 0..named::OPERANDS {
        assert_eq!(first_without(&parts, &|n| format!("AxisExtent{operand}_{n}")), Some(named::AXES), "operand {operand}");
    }
}

#[test]
fn numbers_without_names_stand_in_angle_brackets() {
    let of = |indices: &str| formatted(&expansion(&format!("[{indices}] = x[{indices}]")));
    let (named, numbered) = (of("a, b, c, d, e, f, g, h"), of("a, b, c, d, e, f, g, h, i"));
    assert!(named.contains("__tw::INDICES_8") && named.contains("__static::LabelIndex7"), "{named}");
    assert!(numbered.contains("__tw::GivenIndices::<9usize>") && !numbered.contains("INDICES_"), "{numbered}");
    let sum = formatted(&expansion("[] = x[a, b, c, d, e] * y[e, d, c, f, g] * z[f, g, h, i] * x[a, b, h, i, i]"));
    assert!(sum.contains("__static::LabelIndex<8usize>") && sum.contains("__static::AxisExtent<0usize, 4usize>"), "{sum}");
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
