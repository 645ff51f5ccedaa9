//! Linear algebra checks the rank of block tensors.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn values(a: &Blocks<f64, Shape![3, 4, 5]>) {
    let _factors = tensor!(([i, r], [r], [r, j]) = svd(a[i, j]));
}

fn main() {
    let _ = values;
}
