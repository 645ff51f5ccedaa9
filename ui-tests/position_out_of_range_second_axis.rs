//! A position just beyond the end of the second axis.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([i] = a[i, 4]);
}

fn main() {}
