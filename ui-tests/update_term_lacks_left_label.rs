//! One of two terms of `+=` lacks a left index.

use tensorwrapper::prelude::*;

fn equation(v: &Tensor<f64, Shape![2]>, a: &Tensor<f64, Shape![2, 3]>, c: &mut Tensor<f64, Shape![2, 3]>) {
    tensor!(c[i, j] += a[i, j] + v[i]);
}

fn main() {}
