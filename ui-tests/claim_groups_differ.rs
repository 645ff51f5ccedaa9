//! Groups that change places have as many labels each.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn twice(a: &Blocks<f64>) -> Blocks<f64, Shape![_, _, _]> {
    tensor!([i, j, k] = 2 * a[i, j, k] where sym((i, j), k))
}

fn main() {
    let _ = twice;
}
