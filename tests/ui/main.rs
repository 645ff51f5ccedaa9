//! The messages of the macros: one mistake a file under `ui-tests/`, its message beside it.
//!
//! This is a program of its own because it starts the compiler. What must compile without a warning is in `tests/integration`.
//! After a change of messages, read the new ones, then write them with `TRYBUILD=overwrite cargo test -p tensorwrapper-ui`.

use std::env;
use std::process::Command;

/// Set where this program compiles the cases; otherwise it starts itself to do so.
const INSIDE: &str = "TENSORWRAPPER_UI_CASES";

/// The flags with which trybuild compiles the cases. It compiles their dependencies before, without the last flag, and would do so
/// again for the cases, because cargo compiles everything anew for other flags. This variable of cargo's takes precedence over both.
const FLAGS: (&str, [&str; 6]) =
    ("CARGO_ENCODED_RUSTFLAGS", ["--cfg", "trybuild", "--verbose", "-A", "dead_code", "--diagnostic-width=140"]);

#[test]
fn mistakes_have_their_messages() {
    if env::var_os(INSIDE).is_some() {
        trybuild::TestCases::new().compile_fail("../../ui-tests/*.rs");
        return;
    }
    let program = env::current_exe().expect("a program knows where it is");
    // Arguments such as `trybuild=extent_mismatch` choose cases.
    let inside = Command::new(program)
        .args(["--exact", "mistakes_have_their_messages", "--nocapture"])
        .args(env::args().filter(|argument| argument.starts_with("trybuild=")))
        .env(INSIDE, "1")
        .env(FLAGS.0, FLAGS.1.join("\x1f"))
        .status();
    assert!(inside.expect("the program starts").success(), "the cases that failed are above");
}
