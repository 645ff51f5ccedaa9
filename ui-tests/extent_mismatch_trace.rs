//! A diagonal of what is not square.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([] = a[i, i]);
}

fn main() {}
