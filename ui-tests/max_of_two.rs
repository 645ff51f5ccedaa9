//! The larger of two elements, written as a reduction.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64>) {
    let _ = tensor!([i, j] = max(a[i, j], 0.0));
}

fn main() {}
