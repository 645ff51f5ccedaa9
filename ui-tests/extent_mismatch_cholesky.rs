//! A matrix that is not square is not factored.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, k] = cholesky(a[i, j]));
}

fn main() {}
