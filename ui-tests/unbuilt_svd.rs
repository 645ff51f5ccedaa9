//! A decomposition of a later version.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let (_, _, _) = tensor!(([i, r], [r], [r, j]) = svd(a[i, j]));
}

fn main() {}
