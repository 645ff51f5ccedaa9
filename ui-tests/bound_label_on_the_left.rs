//! A label of `sum` on the left.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, k] = sum(k; a[i, k]));
}

fn main() {}
