//! A semicolon after the only equation.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = 2.0 * v[i];);
}

fn main() {}
