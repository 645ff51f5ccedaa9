//! All faults of one equation.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![4, 5]>) {
    let _ = tensor!([i, m, n] = a[i, k] / b[k, l] + exp(b[i, l]));
}

fn main() {}
