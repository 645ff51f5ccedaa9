//! A decomposition followed by a factor.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i, k] = cholesky(a[i, j]) * 2.0);
}

fn main() {}
