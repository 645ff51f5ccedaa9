//! A matrix that is not square.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!([k] = solve(b[i, k], b[i, 0]));
}

fn main() {}
