//! An implicit sum in a denominator.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, v: &Tensor<f64, Shape![2]>) {
    let _ = tensor!([i] = v[i] / a[i, k]);
}

fn main() {}
