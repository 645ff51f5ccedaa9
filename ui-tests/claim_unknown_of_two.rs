//! An unknown symmetry before one that exists.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn twice(a: &Blocks<f64>) -> Blocks<f64, Shape![_, _]> {
    tensor!([i, j] = 2 * a[i, j] where symmetric(i, j), sym(i, j))
}

fn main() {
    let _ = twice;
}
