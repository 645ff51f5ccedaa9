//! Two operators in a row.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = tensor!([i, j] = a[i, j] * / 2.0);
}

fn main() {}
