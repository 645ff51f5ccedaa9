//! A slice that starts beyond the end of an axis.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 4]>) {
    let _ = tensor!([i, j] = a[i in 5.., j]);
}

fn main() {}
