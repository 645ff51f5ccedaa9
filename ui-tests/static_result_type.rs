//! The result of static tensors is of another shape than the function promises.

use tensorwrapper::prelude::*;

fn multiply(a: &StaticTensor<f64, Shape![2, 3]>, b: &StaticTensor<f64, Shape![3, 4]>) -> StaticTensor<f64, Shape![2, 5]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {}
