//! A number of singular values that is none.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!(([i, r], [r], [r, j]) = svd(a[i, j]; max = 2.5));
}

fn main() {}
