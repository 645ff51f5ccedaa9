//! Two indices are wrong: two errors.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = tensor!([] = a[i, j] * b[i, j]);
}

fn main() {}
