//! Several layers of indices are those of block tensors: a dense tensor has one.

use tensorwrapper::prelude::*;

fn twice(a: &Tensor<f64, Shape![3, 4]>) -> Tensor<f64, Shape![3, 4]> {
    tensor!([i; j] = 2 * a[i; j])
}

fn main() {
    let _ = twice;
}
