//! An extent of one is not stretched.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![1]>, b: &Tensor<f64, Shape![4]>) {
    let _ = tensor!([i] = a[i] * b[i]);
}

fn main() {}
