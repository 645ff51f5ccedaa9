//! A scalar behind a reference, dereferenced by hand.

use tensorwrapper::prelude::*;

fn equation(x: &f64, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = *x * v[i]);
}

fn main() {}
