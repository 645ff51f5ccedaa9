//! A function whose result forgets the extents that its equation knows.

use tensorwrapper::prelude::*;

fn twice(a: &Tensor<f64, Shape![3, _]>) -> Tensor<f64> {
    tensor!([i, j] = 2 * a[i, j])
}

fn main() {}
