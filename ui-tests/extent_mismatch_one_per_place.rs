//! The same wrong operand in many terms is reported once.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = a[i, k] * b[k] + 2.0 * a[i, k] * b[k] - a[i, l] * b[l]);
}

fn main() {}
