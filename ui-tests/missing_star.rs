//! Two factors side by side.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([i, j] = a[i, k] b[k, j]);
}

fn main() {}
