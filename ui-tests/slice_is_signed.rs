//! A range of a signed type.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, n: i32) {
    let _ = tensor!([i] = v[i in 0..n]);
}

fn main() {}
