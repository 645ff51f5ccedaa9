//! The labels of `sum` in brackets.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i] = sum[k](a[i, k]));
}

fn main() {}
