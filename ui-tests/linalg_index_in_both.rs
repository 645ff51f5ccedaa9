//! An index that is a row and a column.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!(([i, j, r], [r, j]) = qr(a[i, j]));
}

fn main() {}
