//! An array is no static tensor.

use tensorwrapper::prelude::*;

fn equation(x: &[f64; 2], v: &StaticTensor<f64, Shape![2]>) {
    let _ = tensor!([i] = x[i] * v[i]);
}

fn main() {}
