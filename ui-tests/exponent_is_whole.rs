//! A whole exponent for a real power.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, n: usize) {
    let _ = tensor!([i] = powf(v[i], n));
}

fn main() {}
