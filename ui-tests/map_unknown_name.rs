//! A function that is not in scope.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i, j] = map(sqroot; A[i, j]));
}
