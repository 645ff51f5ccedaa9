//! Einstein summation from the command line: a file of cases with their expected values, or one equation on `.npy` files.
//!
//! ```text
//! cargo run --release --example einsum                                        # the cases of tests/data
//! cargo run --release --example einsum -- --cases FILE
//! cargo run --release --example einsum -- "ij,jk->ik" a.npy b.npy [-o c.npy]
//! ```
//!
//! | file         | does                                                             |
//! |--------------|------------------------------------------------------------------|
//! | `cases.rs`   | reads a file of cases and answers for what stands in it          |
//! | `judge.rs`   | evaluates a case and compares the result with what was expected  |
//! | `one.rs`     | evaluates one equation on tensors in files                       |
//!
//! Exit status 0: all is well. 1: a case failed. 2: what was given cannot be evaluated, and one sentence says why.

// It reads more than this program asks for: the tests' corpus shares it.
#[allow(dead_code)]
mod cases;
mod judge;
mod one;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cases::Case;

const USAGE: &str = "usage: einsum [--cases FILE] or einsum SUBSCRIPTS OPERAND.npy... [-o RESULT.npy]";

/// Why there is no result: one sentence.
pub(crate) struct Refused(pub(crate) String);

/// An output that nobody reads any more, for example.
impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused(format!("the output cannot be written: {error}"))
    }
}

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).collect(), &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(Refused(sentence)) => {
            eprintln!("einsum: {sentence}");
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for; false if a case failed.
pub(crate) fn run(arguments: Vec<OsString>, out: &mut impl Write) -> Result<bool, Refused> {
    let default = || concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/einsum_cases.json").into();
    let first = arguments.first().map(|argument| argument.to_string_lossy().into_owned());
    match (first.as_deref(), arguments.len()) {
        (None, _) => all_cases(default(), out),
        (Some("--cases"), 2) => all_cases(PathBuf::from(&arguments[1]), out),
        (Some("--cases"), _) => Err(Refused(format!("one file follows `--cases`; {USAGE}"))),
        (Some("--help" | "-h"), _) => {
            writeln!(out, "{USAGE}")?;
            Ok(true)
        }
        (Some(option), _) if option.starts_with("--") => Err(Refused(format!("there is no option `{option}`; {USAGE}"))),
        (Some(_), _) => one::evaluate(&arguments, out).map(|()| true),
    }
}

/// Every case of a file; false if one failed.
fn all_cases(file: PathBuf, out: &mut impl Write) -> Result<bool, Refused> {
    let cases: Vec<Case> = cases::read(Path::new(&file)).map_err(Refused)?;
    let mut failed = 0;
    for case in &cases {
        match judge::judge(case) {
            Ok(None) => {}
            Ok(Some(result)) => writeln!(out, "{} `{}` = {result}", case.id, case.subscripts)?,
            Err(sentence) => {
                failed += 1;
                writeln!(out, "{} `{}` {:?}: {sentence}", case.id, case.subscripts, case.shapes)?;
            }
        }
    }
    writeln!(out, "{} passed, {failed} failed", cases.len() - failed)?;
    out.flush()?;
    Ok(failed == 0)
}
