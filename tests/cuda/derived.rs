//! Derivatives in the simulator: the reference cases, each to its file's tolerance.

use std::path::{Path, PathBuf};

use tensorwrapper::__private::cuda::{Collection, Route, Schedule, collecting, running};

use crate::is_there;

#[allow(dead_code)]
#[path = "../../examples/derivatives/main.rs"]
mod reference;

#[test]
fn reference_cases_of_derivatives() {
    if !is_there("derivatives by simulated kernels", Collection::compiler()) {
        return;
    }
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/derivatives"));
    let read = || ["ad_cases.json", "ad_cases_more.json"].map(|file| reference::read(&data.join(file)).expect("a file of cases"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("derived");
    let collection = Collection::default();
    let mut refused = Vec::new();
    for mut case in read().into_iter().flatten() {
        // What steps need is collected, and nothing is computed: zeros are as good as any value.
        let all = &mut case.tolerances;
        (all.value, all.gradient, all.second) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        if reference::judge(&case, &collecting(&collection, Route::Library)).is_err() {
            refused.push(case.name);
        }
    }
    // The second derivative of a truncated SVD of zeros does not exist, so that its kernels are not collected. `gpu_check` has all cases.
    assert_eq!(refused, ["svd_truncated"]);
    let programs = collection.compile(&folder, str::to_string).unwrap_or_else(|error| panic!("{error}"));
    for case in read().iter().flatten().filter(|case| !refused.contains(&case.name)) {
        for schedule in Schedule::ALL {
            let context = running(&programs, schedule, Route::Library);
            reference::judge(case, &context).unwrap_or_else(|sentence| panic!("{} {schedule:?}: {sentence}", case.name));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
