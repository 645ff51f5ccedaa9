//! A range that ends before it begins.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = v[i in 3..2]);
}

fn main() {}
