//! A slice of a new tensor.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i in 0..2] = v[i]);
}

fn main() {}
