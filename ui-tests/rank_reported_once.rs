//! The same operand with the same number of indices is one fault, and extents are not reported too.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4]>, x: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = a[i, k, l] * b[k] * x[l] + a[i, l, k] * b[k] * x[l]);
}

fn main() {}
