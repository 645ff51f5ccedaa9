//! The trace of a matrix product, without its sum.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![3, 3]>) -> f64 {
    tensor!([] = trace(a[i, k] * b[k, i]))
}

fn main() {}
