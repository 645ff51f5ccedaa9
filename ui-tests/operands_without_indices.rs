//! A product of tensors without their indices.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64>, b: &Tensor<f64>) {
    let _ = tensor!([i, j] = a * b);
}

fn main() {}
