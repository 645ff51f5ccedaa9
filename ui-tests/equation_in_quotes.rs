//! An equation in quotes, as other libraries have subscripts.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!("[i, j] = a[i, k] * a[k, j]");
}

fn main() {}
