//! A whole power that is not whole.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = powi(v[i], 0.5));
}

fn main() {}
