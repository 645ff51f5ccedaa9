//! A power by another name.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = pow(v[i], 2));
}

fn main() {}
