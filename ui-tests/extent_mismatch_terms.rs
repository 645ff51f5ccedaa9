//! A left index differs between two terms.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![2, 5]>) {
    let _ = tensor!([i, j] = a[i, j] + b[i, j]);
}

fn main() {}
