//! The function and its argument with a comma between them.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i, j] = map(f64::sqrt, A[i, j]));
}
