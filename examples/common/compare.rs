//! How examples that compare numbers with known ones end.

use std::process::ExitCode;

/// A number that was found, what it should be, and how near it has to be.
pub(crate) struct Compared {
    pub(crate) name: String,
    pub(crate) found: f64,
    pub(crate) expected: f64,
    pub(crate) tolerance: f64,
}

impl Compared {
    /// What is not a number is near to nothing.
    pub(crate) fn is_near(&self) -> bool {
        (self.found - self.expected).abs() <= self.tolerance
    }
}

/// Prints a line for each number, and closes with `N passed, N failed`; or with a sentence where there are no numbers.
pub(crate) fn ended(program: &str, result: Result<Vec<Compared>, tensorwrapper::Error>) -> ExitCode {
    let all = match result {
        Ok(all) => all,
        Err(error) => {
            eprintln!("{program}: {error}");
            return ExitCode::FAILURE;
        }
    };
    for one in &all {
        let Compared { name, found, expected, tolerance } = one;
        let verdict = if one.is_near() { "ok   " } else { "FAIL " };
        println!("{verdict} {name}: {found:.12}, known {expected:.12}, {:.1e} apart of {tolerance:.0e}", found - expected);
    }
    let failed = all.iter().filter(|one| !one.is_near()).count();
    println!("{} passed, {failed} failed", all.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
