//! `try_tensor!` is checked as `tensor!` is.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = try_tensor!([i, j] = a[i, k] * b[k, j]);
}

fn main() {}
