//! Static tensors of another extent, and a result of the type promised.

use tensorwrapper::prelude::*;

fn equation(a: &StaticTensor<f64, Shape![2, 3]>, b: &StaticTensor<f64, Shape![4, 2]>) -> StaticTensor<f64, Shape![2, 2]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {}
