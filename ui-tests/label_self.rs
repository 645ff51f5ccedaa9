//! `self` as an index.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i] = a[i, self]);
}

fn main() {}
