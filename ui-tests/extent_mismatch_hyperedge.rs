//! An index in three factors, the last of which disagrees.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![2, 3]>, c: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i, j] = a[i, k] * b[j, k] * c[k]);
}

fn main() {}
