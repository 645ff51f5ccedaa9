//! A sum inside the argument or outside: the equation does not say.

use tensorwrapper::prelude::*;

#[allow(non_snake_case)]
fn main() {
    let A: Tensor<f64> = Tensor::zeros([2, 2]).unwrap();
    let _ = tensor!([i] = map(f64::sqrt; A[i, j]));
}
