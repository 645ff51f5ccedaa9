//! A product has one result.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!(([i], [j]) = a[i, j]);
}

fn main() {}
