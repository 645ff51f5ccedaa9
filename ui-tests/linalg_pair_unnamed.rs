//! Which two of three indices are the matrix.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 2, 2]>) -> Tensor<f64, Shape![2, 2, 2]> {
    tensor!([i, j, b] = expm(a[i, j, b]))
}

fn main() {}
