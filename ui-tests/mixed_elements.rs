//! Singles and doubles.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, w: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = v[i] * w[i]);
}

fn main() {}
