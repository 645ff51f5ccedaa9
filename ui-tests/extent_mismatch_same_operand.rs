//! One tensor twice, and its rows are not as many as its columns.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = a[i, k] * a[k, j]);
}

fn main() {}
