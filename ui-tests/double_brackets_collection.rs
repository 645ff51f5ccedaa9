//! An element of a collection.

use tensorwrapper::prelude::*;

fn equation(psi: &[Tensor<f64, Shape![2, 3]>], n: usize) {
    let _ = tensor!([i, j] = psi[n][i, j]);
}

fn main() {}
