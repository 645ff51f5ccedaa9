//! Evaluates files of equations over block tensors and compares the results with what the files expect.
//!
//! `cargo run --release --example blocks -- examples/data/structured/blocks.json` prints a line for each case and closes with
//! `N passed, N failed`. A file is a list of cases as `examples/data/structured/README.md` describes them: operands by their cuts, blocks, symmetries
//! and charges, elements from a seed, and of the result elements, sums, blocks, norms and symmetries. Without a file it evaluates those
//! of `examples/data/structured/`.

mod cases;
mod judge;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/structured");
        files = ["blocks.json", "sparse.json", "jagged.json"].map(|name| folder.join(name)).to_vec();
    }
    let (mut passed, mut failed) = (0, 0);
    for file in &files {
        let cases = match cases::read(file) {
            Ok(cases) => cases,
            Err(sentence) => {
                eprintln!("{sentence}");
                return ExitCode::FAILURE;
            }
        };
        for case in &cases {
            match judge::judge(case) {
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
