//! A literal beyond all numbers.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = 1e400 * v[i]);
}

fn main() {}
