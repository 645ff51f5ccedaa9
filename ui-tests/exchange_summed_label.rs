//! A label that changes places, but is summed.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i] = asym(i, j; a[i, j]));
}

fn main() {}
