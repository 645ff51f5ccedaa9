//! A power without its exponent.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = powi(v[i]));
}

fn main() {}
