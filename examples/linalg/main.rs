//! Evaluates cases of linear algebra from a file, and compares results with recorded ones and with what defines them.
//!
//! ```text
//! cargo run --release --example linalg -- --cases FILE
//! ```
//!
//! A file is JSON: `cases` of `id`, `op`, `inputs` (matrices as `shape` and `data`, or `re` and `im`; `null` is NaN), and
//! optionally `expect` (`value`, `error`, `error_or_nan`), `reference` and `abs_tol`. Ends with `N passed, M failed`.

mod cases;
mod judge;

use std::process::ExitCode;

use cases::Case;
use num_complex::Complex;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [option, file] = &arguments[..] else {
        eprintln!("usage: linalg --cases FILE");
        return ExitCode::FAILURE;
    };
    if option != "--cases" {
        eprintln!("`{option}` is not an option: write `linalg --cases FILE`");
        return ExitCode::FAILURE;
    }
    let cases = match cases::read(file) {
        Ok(cases) => cases,
        Err(message) => {
            eprintln!("{file}: {message}");
            return ExitCode::FAILURE;
        }
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

/// Real where no input has an imaginary part.
fn judge_any(case: &Case) -> Result<String, String> {
    if case.is_complex() { judge::judge::<Complex<f64>>(case) } else { judge::judge::<f64>(case) }
}
