//! A Rust macro outside of braces.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = scale!(2.0) * v[i]);
}

fn main() {}
