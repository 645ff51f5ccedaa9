//! What `examples/gpu_check` compares, with the reference in the device's place: its checks pass where a device is right, and fail
//! where one is not.

use tensorwrapper::prelude::*;

use crate::equations::cases;

#[allow(dead_code)]
#[path = "../../examples/ccsd/main.rs"]
mod ccsd;
#[path = "../../examples/gpu_check/linalg.rs"]
mod linalg;
#[path = "../../examples/gpu_check/water.rs"]
mod water;

use tensorwrapper::__private::cuda::{Collection, Route};

#[test]
fn a_device_that_is_right_passes() {
    let (passed, faults) = linalg::check(&Context::reference(), &Context::cpu());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(passed, 4 * 10);
    let steps = water::check(&Context::reference(), &Context::cpu());
    assert!(steps.as_ref().is_ok_and(|sentence| sentence.contains("5 steps of CCSD agree")), "{steps:?}");
}

/// A device that computes nothing gives zeros.
#[test]
fn a_device_that_is_wrong_is_found_out() {
    let zeros = Collection::default().context(Route::Chosen);
    let (passed, faults) = linalg::check(&zeros, &Context::cpu());
    assert!(passed < 4 && faults.len() >= 4, "{passed} passed, {faults:?}");
    assert!(water::check(&zeros, &Context::cpu()).is_err_and(|sentence| sentence.contains("apart")));
}
