//! A number is cast.

use tensorwrapper::prelude::*;

fn equation(x: &Tensor<f64, Shape![2]>, n: f32) {
    let _ = tensor!([i] = x[i] * cast(n));
}

fn main() {}
