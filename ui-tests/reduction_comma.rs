//! A comma for the semicolon of `sum`.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i] = sum(k, a[i, k]));
}

fn main() {}
