//! Evaluates files of programs with their derivatives and compares them with what the files expect.
//!
//! `cargo run --release --example derivatives -- examples/data/derivatives/ad_cases.json` prints a line for each case and closes with
//! `N passed, N failed`. A case is a program of named operations whose last line is a real number: its value, its gradient by some
//! inputs, the derivative of the gradient along a direction, and the changes of other lines along it.
//! `examples/data/derivatives/README.md` describes the files. Without a file it evaluates those of `examples/data/derivatives/`.

mod cases;
mod judge;
mod program;

pub(crate) use cases::read;
pub(crate) use judge::judge;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/derivatives");
        files = ["ad_cases.json", "ad_cases_more.json"].map(|name| folder.join(name)).to_vec();
    }
    let (mut passed, mut failed) = (0, 0);
    for file in &files {
        let cases = match read(file) {
            Ok(cases) => cases,
            Err(sentence) => {
                eprintln!("{sentence}");
                return ExitCode::FAILURE;
            }
        };
        for case in &cases {
            match judge(case) {
                Ok(summary) => {
                    passed += 1;
                    println!("ok    {}: {summary}", case.name);
                }
                Err(sentence) => {
                    failed += 1;
                    println!("FAIL  {}: {sentence}", case.name);
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
