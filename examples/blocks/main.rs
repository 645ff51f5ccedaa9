//! Evaluates files of equations over block tensors and compares the results with what the files expect.
//!
//! `cargo run --release --example blocks -- examples/data/structured/blocks.json` prints a line for each case and closes with
//! `N passed, N failed`. A file is a list of cases as `examples/data/structured/README.md` describes them: operands by their cuts, blocks,
//! symmetries and charges, elements from a seed, and of the result elements, sums, blocks, norms and symmetries. Each case runs on `cpu`,
//! and on `reference` where that takes seconds at most. Without a file it evaluates those of `examples/data/structured/`.

mod cases;
#[path = "../common/cases.rs"]
mod common;
mod judge;
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    let files = ("structured", &["blocks.json", "sparse.json", "jagged.json"][..]);
    common::evaluate(files, cases::read, |case| &case.name, judge::judge)
}
