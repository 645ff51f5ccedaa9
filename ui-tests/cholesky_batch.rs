//! Which pair is the matrix is not said.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3, 3]>) {
    let _ = tensor!([b, i, k] = cholesky(a[b, i, j]));
}

fn main() {}
