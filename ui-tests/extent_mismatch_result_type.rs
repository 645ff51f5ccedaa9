//! The result is of another shape than the function promises.

use tensorwrapper::prelude::*;

fn multiply(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) -> Tensor<f64, Shape![2, 5]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {}
