//! Evaluates files of programs with their derivatives and compares them with what the files expect.
//!
//! `cargo run --release --example derivatives -- examples/data/derivatives/ad_cases.json` prints a line for each case and closes with
//! `N passed, N failed`. A case is a program of named operations whose last line is a real number: its value, its gradient by some
//! inputs, the derivative of the gradient along a direction, and the changes of other lines along it.
//! `examples/data/derivatives/README.md` describes the files. Without a file it evaluates those of `examples/data/derivatives/`.

mod cases;
#[path = "../common/cases.rs"]
mod common;
mod judge;
mod program;

pub(crate) use cases::read;
pub(crate) use judge::judge;

use std::process::ExitCode;

fn main() -> ExitCode {
    let files = ("derivatives", &["ad_cases.json", "ad_cases_more.json"][..]);
    let context = tensorwrapper::Context::default();
    common::evaluate(files, read, |case| &case.name, |case| judge(case, &context))
}
