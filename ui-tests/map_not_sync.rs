//! A function that threads cannot share.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let calls = std::cell::Cell::new(0);
    let counted = |x: f64| {
        calls.set(calls.get() + 1);
        x
    };
    let _ = tensor!([i, j] = map(counted; A[i, j]));
}
