//! A range without a label.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = a[0..2, j]);
}

fn main() {}
