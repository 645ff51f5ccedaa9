//! A literal that is not read.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = 0x10 * v[i]);
}

fn main() {}
