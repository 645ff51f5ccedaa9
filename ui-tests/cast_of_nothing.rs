//! A cast of nothing.

use tensorwrapper::prelude::*;

fn equation(y: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = y[i] * cast());
}

fn main() {}
