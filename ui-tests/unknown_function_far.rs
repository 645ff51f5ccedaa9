//! A function of no known name.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = activation(v[i]));
}

fn main() {}
