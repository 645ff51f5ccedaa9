//! The result of an equation over block tensors has the extents of its labels.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn twice(a: &Blocks<f64, Shape![3, 4]>) -> Blocks<f64, Shape![3, 3]> {
    tensor!([i, j] = 2 * a[i, j])
}

fn main() {
    let _ = twice;
}
