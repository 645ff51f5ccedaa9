//! A double among singles.

use tensorwrapper::prelude::*;

fn equation(x: f64, v: &Tensor<f32, Shape![2]>) {
    let _ = tensor!([i] = x * v[i]);
}

fn main() {}
