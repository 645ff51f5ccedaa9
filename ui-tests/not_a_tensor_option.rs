//! A tensor in an `Option`.

use tensorwrapper::prelude::*;

fn equation(x: Option<Tensor<f64, Shape![2]>>) {
    let _ = tensor!([i] = x[i]);
}

fn main() {}
