//! A label of `sum` that its body has not.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i] = sum(l; a[i, i]));
}

fn main() {}
