//! The reference cases of derivatives, on the device and each to its file's tolerance.

use tensorwrapper::Context;

#[allow(dead_code)]
#[path = "../derivatives/main.rs"]
mod reference;

const FILES: [&str; 2] =
    [include_str!("../data/derivatives/ad_cases.json"), include_str!("../data/derivatives/ad_cases_more.json")];

/// How many cases have the values that are expected, and what is wrong with the others.
pub(crate) fn check(gpu: &Context) -> Result<(usize, Vec<String>), String> {
    let (mut passed, mut faults) = (0, Vec::new());
    for file in FILES {
        for case in super::embedded(file, reference::read)? {
            match reference::judge(&case, gpu) {
                Ok(_) => passed += 1,
                Err(sentence) => faults.push(format!("{}: {sentence}", case.name)),
            }
        }
    }
    Ok((passed, faults))
}
