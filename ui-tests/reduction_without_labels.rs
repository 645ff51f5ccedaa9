//! A `sum` that does not say over what.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i] = sum(a[i, k]));
}

fn main() {}
