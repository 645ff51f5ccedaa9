//! A new index that is missing in one result.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!(([i, r], [q], [r, j]) = svd(a[i, j]));
}

fn main() {}
