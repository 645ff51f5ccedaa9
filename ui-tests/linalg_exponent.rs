//! A power that is no whole number.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!([i, j] = matpow(a[i, j], 0.5));
}

fn main() {}
