//! What is no function is mapped.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let factor = 2.0;
    let _ = tensor!([i, j] = map(factor; A[i, j]));
}
