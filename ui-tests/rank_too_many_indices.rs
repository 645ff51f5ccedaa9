//! More indices than axes.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3]>) {
    let _ = tensor!([i, j] = a[i, j, k] * b[k]);
}

fn main() {}
