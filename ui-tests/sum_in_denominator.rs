//! An implicit sum in a denominator in parentheses.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, v: &Tensor<f64, Shape![2]>, w: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([i] = v[i] / (1.0 + a[i, k] * w[k]));
}

fn main() {}
