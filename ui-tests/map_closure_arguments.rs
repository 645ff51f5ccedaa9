//! A closure that takes another number of arguments than it is given.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i, j] = map({ |x: f64, y: f64| x * y }; A[i, j]));
}
