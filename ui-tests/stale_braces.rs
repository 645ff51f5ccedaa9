//! A number of the block, as it was outside.

use tensorwrapper::prelude::*;

fn equation(s: f64, x: &Tensor<f64, Shape![3]>) {
    let _ = tensor! { let s = x[i] * x[i]; let d[i] = { s } * x[i]; d };
}

fn main() {}
