//! A comparison inside of an expression.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = 3.0 * exp(a[i, j] < 2.0));
}

fn main() {}
