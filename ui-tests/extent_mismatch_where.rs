//! A declared extent and an operand disagree.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = a[i, j] where i: 4);
}

fn main() {}
