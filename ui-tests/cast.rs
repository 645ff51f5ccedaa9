//! A cast in an equation.

use tensorwrapper::prelude::*;

fn equation(n: usize, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = n as f64 * v[i]);
}

fn main() {}
