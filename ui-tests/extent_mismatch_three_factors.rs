//! The third factor disagrees with the first.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 4]>, c: &Tensor<f64, Shape![4, 5]>) {
    let _ = tensor!([i] = a[i, k] * b[k, l] * c[l, i]);
}

fn main() {}
