//! Linear algebra checks the rank of block tensors.

use tensorwrapper::prelude::*;
use tensorwrapper::Blocks;

fn values(a: &Blocks<f64, Shape![3, 4, 5]>) {
    tensor!((U[i, r], s[r], V[r, j]) = svd(a[i, j]));
}

fn main() {
    let _ = values;
}
