//! Arithmetic in an index.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = v[i + 1]);
}

fn main() {}
