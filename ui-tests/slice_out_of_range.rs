//! A slice beyond the end of an axis.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([i, j] = a[i in 2..9, j]);
}

fn main() {}
