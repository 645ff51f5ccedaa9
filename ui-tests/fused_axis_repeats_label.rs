//! A fused label that stands on the left again.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([(i, j), i] = a[i, j]);
}

fn main() {}
