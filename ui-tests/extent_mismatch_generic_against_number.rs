//! A const parameter against a number.

use tensorwrapper::prelude::*;

fn multiply<const N: usize>(a: &Tensor<f64, Shape![2, N]>, b: &Tensor<f64, Shape![3, 5]>) -> Tensor<f64, Shape![2, 5]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {}
