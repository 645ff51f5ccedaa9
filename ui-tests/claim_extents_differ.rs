//! Labels that change places have equal extents.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn twice(a: &Blocks<f64, Shape![3, 4]>) -> Blocks<f64, Shape![3, 4]> {
    tensor!([i, j] = 2 * a[i, j] where sym(i, j))
}

fn main() {
    let _ = twice;
}
