//! The new index is missing.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i, j] = cholesky(a[i, j]));
}

fn main() {}
