//! Two left indices that nothing on the right has.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![3, 2]>) {
    let _ = tensor!([i, m, n] = a[i, k] * b[k, i]);
}

fn main() {}
