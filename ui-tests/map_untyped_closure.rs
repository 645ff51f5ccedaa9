//! A method of a parameter whose type nobody says.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i, j] = map(|x| x.sqrt(); A[i, j]));
}
