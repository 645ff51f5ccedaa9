//! A decomposition among factors.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i, k] = 2.0 * cholesky(a[i, j]));
}

fn main() {}
