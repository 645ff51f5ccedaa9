//! What a machine without a GPU is told.

use tensorwrapper::ErrorKind;
use tensorwrapper::prelude::*;

/// Where there is a GPU it computes; where there is none, an error says what is missing and what was tried.
#[test]
fn missing_gpu_is_an_error_that_names_what_is_missing() {
    match Context::cuda(0) {
        Ok(context) => {
            let a = Tensor::<f64>::from_slice([2, 2], &[1.0, 2.0, 3.0, 4.0]).expect("memory for four numbers");
            let square = context.einsum("ij,jk->ik", &[&a, &a]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(square.as_slice(), [7.0, 10.0, 15.0, 22.0]);
        }
        Err(error) => {
            let ErrorKind::Unavailable { library, tried } = error.kind() else { panic!("{error}") };
            assert!(!library.is_empty() && !tried.is_empty());
            assert!(error.to_string().contains("is not there; tried: "), "{error}");
        }
    }
}

#[test]
fn device_number_beyond_all_machines_is_unavailable() {
    let error = Context::cuda(usize::MAX).expect_err("no machine has so many devices");
    assert!(matches!(error.kind(), ErrorKind::Unavailable { .. }), "{error}");
}
