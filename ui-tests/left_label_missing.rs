//! A left index that nothing on the right has.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([i, m] = a[i, k] * b[k, j]);
}

fn main() {}
