//! More arguments than a function takes.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i, j] = map(f; A[i, j], 1, 2, 3, 4, 5, 6, 7, 8));
}
