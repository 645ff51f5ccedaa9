//! A vector is no tensor.

use tensorwrapper::prelude::*;

fn equation(x: &Vec<f64>, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = x[i] * v[i]);
}

fn main() {}
