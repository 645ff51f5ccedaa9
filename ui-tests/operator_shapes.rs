//! Tensors of other extents are added.

use tensorwrapper::prelude::*;

fn sum(a: &Tensor<f64, Shape![2, 3]>, b: &Tensor<f64, Shape![2, 4]>) {
    let _ = a + b;
}

fn main() {}
