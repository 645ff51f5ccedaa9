//! A function that takes another number of arguments than it is given.

use tensorwrapper::prelude::*;

fn product(x: f64, y: f64) -> f64 {
    x * y
}

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i, j] = map(product; A[i, j], A[j, i], 2.0));
}
