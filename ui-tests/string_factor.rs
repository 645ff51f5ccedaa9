//! A string among the factors.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = "x" * v[i]);
}

fn main() {}
