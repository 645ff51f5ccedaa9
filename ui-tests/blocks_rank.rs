//! The type of a block tensor says its rank, as that of a dense one.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn twice(a: &Blocks<f64, Shape![3, 4]>) {
    let _twice = tensor!([i] = 2 * a[i]);
}

fn main() {
    let _ = twice;
}
