//! A tensor without its indices.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2]>, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = a * v[i]);
}

fn main() {}
