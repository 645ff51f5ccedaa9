//! A position beyond the end of an axis.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([j] = a[5, j]);
}

fn main() {}
