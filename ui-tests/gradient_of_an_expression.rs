//! The gradient of an expression that has no name.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([i] = grad(a[j] * a[j]; a[i]));
}

fn main() {}
