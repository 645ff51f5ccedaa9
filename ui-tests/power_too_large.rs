//! An exponent beyond all whole ones.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = powi(v[i], 3000000000));
}

fn main() {}
