//! Names of indices where their values are meant.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>) {
    let _ = tensor!([i, j] = select(i == j; a[i, j], 0.0));
}

fn main() {}
