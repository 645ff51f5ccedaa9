//! Whether a norm is taken of what is summed, or over it.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, p: &Tensor<f64, Shape![3, 3]>) -> f64 {
    tensor!([] = norm(a[i, k] * a[k, j] - p[i, j]))
}

fn main() {}
