//! `assume` belongs to the symmetry behind it, without a comma.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn twice(a: &Blocks<f64>) -> Blocks<f64, Shape![_, _]> {
    tensor!([i, j] = 2 * a[i, j] where assume, sym(i, j))
}

fn main() {
    let _ = twice;
}
