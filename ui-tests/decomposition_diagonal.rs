//! A repeated index on the left of a decomposition.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i, i] = cholesky(a[i, j]));
}

fn main() {}
