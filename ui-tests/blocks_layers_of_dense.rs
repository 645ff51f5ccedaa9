//! Layers are those of block tensors: a dense tensor has none.

use tensorwrapper::prelude::*;

fn twice(a: &Tensor<f64, Shape![3, 4]>) -> Tensor<f64, Shape![3, 4]> {
    tensor!([i; j] = 2 * a[i; j])
}

fn main() {
    let _ = twice;
}
