//! The second item of a `where`, behind a claim, names an index that the equation does not have.

use tensorwrapper::Blocks;
use tensorwrapper::prelude::*;

fn twice(a: &Blocks<f64, Shape![4, 4, _]>) -> Blocks<f64, Shape![4, 4, 3]> {
    tensor!([i, j, k] = 2 * a[i, j, k] where sym(i, j), m: 3)
}

fn main() {
    let _ = twice;
}
