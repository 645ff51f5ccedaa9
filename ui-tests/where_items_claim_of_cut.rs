//! A claim about two indices, one of which has another extent by an item before it.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn twice(a: &Blocks<f64, Shape![_, _]>) -> Blocks<f64, Shape![3, 4]> {
    tensor!([i, j] = 2 * a[i, j] where i: 3, j: 4, sym(i, j))
}

fn main() {
    let _ = twice;
}
