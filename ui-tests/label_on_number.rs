//! A variable that is a number has no indices.

use tensorwrapper::prelude::*;

fn equation(alpha: f64, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = alpha[i] * v[i]);
}

fn main() {}
