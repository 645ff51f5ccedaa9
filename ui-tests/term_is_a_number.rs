//! A number added to a matrix.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = a[i, j] + 1.0);
}

fn main() {}
