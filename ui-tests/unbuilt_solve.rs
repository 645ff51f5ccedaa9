//! A linear system.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([k, j] = solve(a[i, k], b[i, j]));
}

fn main() {}
