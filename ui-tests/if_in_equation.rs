//! A Rust `if` outside of braces.

use tensorwrapper::prelude::*;

fn equation(x: bool, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = if x { 1.0 } else { 2.0 } * v[i]);
}

fn main() {}
