//! An implicit sum in a function's argument.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, w: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([i] = exp(a[i, k] * w[k]));
}

fn main() {}
