//! Extents of block tensors are checked as those of dense ones.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn product(a: &Blocks<f64, Shape![3, 6]>, b: &Tensor<f64, Shape![5, 2]>) -> Blocks<f64, Shape![3, 2]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn main() {
    let _ = product;
}
