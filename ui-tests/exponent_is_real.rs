//! A real exponent for a whole power.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, x: f64) {
    let _ = tensor!([i] = powi(v[i], x));
}

fn main() {}
