//! What examples that evaluate files of cases share: the run over the files, lists of numbers in JSON, and drawn numbers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

/// Evaluates the files of the command line, or those of a folder of `examples/data`: prints a line for each case, and closes with
/// `N passed, N failed`.
pub(crate) fn evaluate<C>(
    (folder, names): (&str, &[&str]),
    read: impl Fn(&Path) -> Result<Vec<C>, String>,
    name: impl Fn(&C) -> &str,
    judge: impl Fn(&C) -> Result<String, String>,
) -> ExitCode {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data").join(folder);
        files = names.iter().map(|name| folder.join(name)).collect();
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
                    println!("ok    {}: {summary}", name(case));
                }
                Err(sentence) => {
                    failed += 1;
                    println!("FAIL  {}: {sentence}", name(case));
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A list of whole numbers.
pub(crate) fn numbers(value: &Value) -> Result<Vec<usize>, String> {
    let list = value.as_array().ok_or_else(|| format!("a list of numbers is needed, not {value}"))?;
    list.iter().map(|n| n.as_u64().map(|n| n as usize).ok_or_else(|| format!("{n} is no whole number"))).collect()
}

/// The generator splitmix64.
pub(crate) struct Stream(u64);

impl Stream {
    pub(crate) fn new(seed: u64) -> Stream {
        Stream(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from −1 up to 1.
    pub(crate) fn number(&mut self) -> f64 {
        2.0 * ((self.next() >> 11) as f64 * 2f64.powi(-53)) - 1.0
    }
}
