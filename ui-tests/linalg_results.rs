//! A singular value decomposition with two results.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!(([i, r], [r]) = svd(a[i, j]));
}

fn main() {}
