//! A determinant in a product.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![3, 3]>, b: &Tensor<f64, Shape![4, 2]>) {
    let _ = (a, b);
    let _ = tensor!([i] = det(a[i, j]) * a[i, i]);
}

fn main() {}
