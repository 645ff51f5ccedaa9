//! A factor is missing at the start.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = tensor!([i, j] = * a[i, j]);
}

fn main() {}
