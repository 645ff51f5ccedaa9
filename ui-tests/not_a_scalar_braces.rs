//! An integer in braces.

use tensorwrapper::prelude::*;

fn equation(n: usize, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = { n + 1 } * v[i]);
}

fn main() {}
