//! The labels of a sum behind its body.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i] = sum(a[i, j]; j));
}

fn main() {}
