//! Two arguments where one is due.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, w: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = exp(v[i], w[i]));
}

fn main() {}
