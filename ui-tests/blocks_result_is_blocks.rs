//! A result is in blocks where an operand is.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn product(a: &Blocks<f64, Shape![3, 6]>, b: &Tensor<f64, Shape![6, 2]>) -> Tensor<f64, Shape![3, 2]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {
    let _ = product;
}
