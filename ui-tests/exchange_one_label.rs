//! One label cannot change places.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i, j] = sym(i; a[i, j]));
}

fn main() {}
