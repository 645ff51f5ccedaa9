//! A position that is no whole number.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([j] = a[1.5, j]);
}

fn main() {}
