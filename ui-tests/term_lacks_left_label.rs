//! A vector added to a matrix.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, v: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([i, j] = a[i, j] + v[j]);
}

fn main() {}
