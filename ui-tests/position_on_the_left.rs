//! A position in a new tensor.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([0, j] = v[j]);
}

fn main() {}
