//! An axis that is split.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i, j] = v[(i, j)] where i: 2);
}

fn main() {}
