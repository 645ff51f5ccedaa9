//! A slice in the notation of NumPy.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i, j] = a[i in 0:2, j]);
}

fn main() {}
