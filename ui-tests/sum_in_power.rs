//! An implicit sum under a power.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i] = powi(a[i, k], 2));
}

fn main() {}
