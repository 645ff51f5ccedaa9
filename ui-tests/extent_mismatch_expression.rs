//! An operand that is a Rust expression.

use tensorwrapper::prelude::*;

fn equation(psi: &[Tensor<f64, Shape![2, 3]>]) {
    let _ = tensor!([i, j] = (psi[0])[i, k] * (psi[1])[k, j]);
}

fn main() {}
