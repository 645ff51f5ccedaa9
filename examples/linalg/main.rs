//! Evaluates cases of linear algebra from a file, and compares results with recorded ones and with what defines them.
//!
//! ```text
//! cargo run --release --example linalg                    # the cases of examples/data
//! cargo run --release --example linalg -- --cases FILE
//! ```
//!
//! A file is JSON: `cases` of `id`, `op`, `inputs` (matrices as `shape` and `data`, or `re` and `im`; `null` is NaN), and
//! optionally `expect` (`value`, `error`, `error_or_nan`), `reference` and `abs_tol`. Ends with `N passed, M failed`.
//!
//! Exit status 0: all passed. 1: some failed. 2: what was given is no file of cases, and one sentence says why.

mod cases;
mod judge;

use std::process::ExitCode;

use cases::Case;
use num_complex::Complex;

const USAGE: &str = "usage: linalg [--cases FILE]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/linalg.json"),
        ["--cases", file] => file,
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        ["--cases"] => return refused(&format!("`--cases` needs a value behind it; {USAGE}")),
        [option, ..] => return refused(&format!("`{option}` is not understood; {USAGE}")),
    };
    let cases = match cases::read(file) {
        Ok(cases) => cases,
        Err(message) => return refused(&format!("{file}: {message}")),
    };
    let (mut passed, mut failed) = (0, 0);
    for case in &cases {
        match judge_any(case) {
            Ok(what) => {
                passed += 1;
                println!("{}: {what}", case.id);
            }
            Err(message) => {
                failed += 1;
                println!("{}: FAILED, {message}", case.id);
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn refused(sentence: &str) -> ExitCode {
    eprintln!("linalg: {sentence}");
    ExitCode::from(2)
}

/// Real where no input has an imaginary part.
fn judge_any(case: &Case) -> Result<String, String> {
    if case.is_complex() { judge::judge::<Complex<f64>>(case) } else { judge::judge::<f64>(case) }
}
