//! A Rust function of elements.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, f: fn(f64) -> f64) {
    let _ = tensor!([i] = map(f; v[i]));
}

fn main() {}
