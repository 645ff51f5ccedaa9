//! A closure of other elements than the equation has.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i, j] = 2.0 * map(|x: f32| 0.5 * x; A[i, j]));
}
