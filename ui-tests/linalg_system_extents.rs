//! A right side with other rows than the matrix.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!([k, j] = solve(a[i, k], b[i, j]));
}

fn main() {}
