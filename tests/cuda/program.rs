//! What `examples/gpu_check` compares, with the reference in the device's place: its checks pass where a device is right, and fail
//! where one is not.

use tensorwrapper::prelude::*;

use crate::equations::cases;

#[path = "../../examples/gpu_check/again.rs"]
mod again;
#[allow(dead_code)]
#[path = "../../examples/ccsd/main.rs"]
mod ccsd;
#[path = "../../examples/gpu_check/linalg.rs"]
pub(crate) mod linalg;
#[path = "../../examples/gpu_check/water.rs"]
mod water;

use tensorwrapper::__private::cuda::{Collection, Route};

#[test]
fn a_device_that_is_right_passes() {
    let (passed, faults) = linalg::check(&Context::reference(), &Context::cpu());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(passed, 4 * 19);
    let steps = water::check(&Context::reference(), &Context::cpu());
    assert!(steps.as_ref().is_ok_and(|sentence| sentence.contains("5 steps of CCSD agree")), "{steps:?}");
}

#[test]
fn plans_that_run_again_on_a_device_that_is_right() {
    let (_, gpu) = crate::placed::device("again-and-again");
    let told = again::check(&gpu, &Context::cpu());
    assert!(
        told.as_ref().is_ok_and(|sentence| sentence.contains("50 products of matrices agree, replayed as one: yes")),
        "{told:?}"
    );
    let without = again::check(&Context::reference(), &Context::cpu()).expect_err("it has no memory of its own");
    assert!(without.contains("computes in the host's memory"), "{without}");
}

/// A device that computes nothing gives zeros.
#[test]
fn a_device_that_is_wrong_is_found_out() {
    let zeros = Collection::default().context(Route::Chosen);
    let (passed, faults) = linalg::check(&zeros, &Context::cpu());
    assert!(passed < 4 && faults.len() >= 4, "{passed} passed, {faults:?}");
    assert!(water::check(&zeros, &Context::cpu()).is_err_and(|sentence| sentence.contains("apart")));
    assert!(again::check(&zeros, &Context::cpu()).is_err_and(|sentence| sentence.contains("run 1 of a product of 51")));
}
